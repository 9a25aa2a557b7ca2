package wire

import (
	"bytes"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/provider/answer"
)

// Gemini is the protocol of Google's generateContent, as the Gemini API, Vertex AI
// and Code Assist have it: the last wraps the request and the answer.
type Gemini struct{}

func (Gemini) Name() string { return "gemini" }

// assist ends the paths of Code Assist, before the method.
const assist = "/v1internal"

// geminiPath parts a path: the model, empty where the body names it, and the
// method; ok is false for what passes.
func geminiPath(path string) (model, method string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	path, method, ok = strings.Cut(path, ":")
	if !ok || (method != "generateContent" && method != "streamGenerateContent" && method != "countTokens") {
		return "", "", false
	}
	if strings.HasSuffix(path, assist) {
		return "", method, true
	}
	_, model, ok = strings.Cut(path, "/models/")
	return model, method, ok
}

func (Gemini) Kind(method, path string) Kind {
	_, call, ok := geminiPath(path)
	switch {
	case !ok || method != "POST":
		return Other
	case call == "countTokens":
		return Count
	}
	return Generate
}

// wrapped reports whether a path's requests and answers stand in an object.
func wrapped(path string) bool { return strings.Contains(path, assist+":") }

func (Gemini) Scan(path string, body []byte, known []Message) (*Request, error) {
	sh := shape{
		list: "contents", within: "generateContentRequest",
		head: []string{
			"systemInstruction", "system_instruction", "tools", "toolConfig", "tool_config", "cachedContent", "cached_content",
		},
		model: func(role, _ string) bool { return role == "model" },
	}
	if wrapped(path) {
		sh.within = "request"
	}
	r, err := scan(path, body, known, sh)
	if err != nil {
		return nil, err
	}
	model, method, _ := geminiPath(path)
	if r.Stream = method == "streamGenerateContent"; model != "" {
		r.Model = model
	}
	r.Model = strings.TrimPrefix(r.Model, "models/")
	r.calls = &geminiCalls{whole: r, ids: map[int]geminiID{}}
	return r, nil
}

func (Gemini) Head(r *Request) (tenfold.ConfigDelta, error) { return r.settings("gemini") }

// nameless gives calls their ids: the tool's name and how many of it there were in the
// answer. Those that the vendor gives are not told from those that clients make up, and
// many clients send neither.
type nameless map[string]int

func (n nameless) id(tool string) string {
	n[tool]++
	return tool + "/" + strconv.Itoa(n[tool])
}

func (Gemini) Listen(r *Request) Listener {
	l := newListener(answer.Gemini(r.Model, nameless{}.id))
	l.unwrap = func(data []byte) (list [][]byte) {
		data = bytes.TrimSpace(data)
		chunks := []Span{{0, len(data)}}
		if len(data) > 0 && data[0] == '[' { // a stream without events
			chunks, _ = array(data, chunks[0])
		}
		for _, at := range chunks {
			if f, err := object(data, at); err == nil {
				if inner, ok := f.get("response"); ok {
					at = inner
				}
			}
			list = append(list, at.of(data))
		}
		return list
	}
	return l
}

func geminiText(quoted []byte) []byte {
	return append(append([]byte(`{"text":`), quoted...), '}')
}
