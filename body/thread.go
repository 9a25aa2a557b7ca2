package body

import (
	"crypto/sha256"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// A Thread checks the requests of one conversation, given in the order in which
// they are sent: reasoning that its provider signed is bound to all that stood
// before it when it was made (live B1, B4). Single bodies cannot show that.
// A Thread is for one goroutine at a time.
type Thread struct {
	profile Profile
	sent    map[[32]byte][]string // what a whole request said, and the reasoning in it
	made    map[string]thought    // by signature
}

// thought is what a piece of reasoning stood behind when it first came.
type thought struct {
	under  [32]byte
	before []string
}

// Thread begins to check the requests of a conversation. The reasoning of the first
// of them is taken to be where it belongs.
func (f Profile) Thread() *Thread {
	return &Thread{profile: f, sent: map[[32]byte][]string{}, made: map[string]thought{}}
}

// Check lists what the provider would refuse in the next request, as
// [Profile.Check] does, and reasoning that does not stand where it was made:
// behind a prefix that differs from that of the request it answered, with a gap
// in the reasoning before it, or with reasoning before it that had been left out.
func (t *Thread) Check(body []byte) []Violation {
	r := report{list: t.profile.Check(body)}
	if t.profile.check == nil {
		return r.list
	}
	var before []string // reasoning
	sums := [][32]byte{{}}
	pieces := t.profile.pieces(body)
	start, thoughts := 0, 0 // where the response under way begins in sums and before
	for _, p := range pieces {
		if p.signature == "" {
			sums = append(sums, p.sum(sums[len(sums)-1]))
			if !p.model {
				start, thoughts = len(sums)-1, len(before)
			}
			continue
		}
		was, known := t.made[p.signature]
		if !known {
			was = thought{sums[len(sums)-1], before}
			if len(t.sent) > 0 {
				was.before = t.answered(&r, p.path, sums[start:], before, thoughts)
			}
			t.made[p.signature] = was
		}
		switch {
		case was.under != sums[len(sums)-1]:
			r.addf(p.path, "the reasoning is bound to a different conversation")
		case !isSuffix(before, was.before):
			r.addf(p.path, "the reasoning before it is not what it was made with")
		}
		before = append(slices.Clip(before), p.signature)
	}
	t.sent[sums[len(sums)-1]] = before
	return r.list
}

// answered looks for the request that a new response answers: one that ended where
// the response begins. It gives the reasoning that stood in it, and what of the same
// response came before.
func (t *Thread) answered(r *report, path string, ends [][32]byte, before []string, thoughts int) []string {
	for _, sum := range slices.Backward(ends) {
		if sent, ok := t.sent[sum]; ok {
			sent = slices.Clone(sent)
			for _, s := range before[thoughts:] {
				if !slices.Contains(sent, s) {
					sent = append(sent, s)
				}
			}
			return sent
		}
	}
	r.addf(path, "the reasoning answers a request that was not sent")
	return before
}

func isSuffix(list, of []string) bool {
	return len(list) <= len(of) && slices.Equal(list, of[len(of)-len(list):])
}

// piece is a part of a request: reasoning, or something else that is said.
type piece struct {
	path      string
	role      string
	model     bool // the model said it
	raw       jsontext.Value
	signature string // of reasoning
}

// sum is that of all pieces up to this one.
func (p piece) sum(before [32]byte) (out [32]byte) {
	h := sha256.New()
	h.Write(before[:])
	h.Write([]byte(p.role + "\x00"))
	var v any
	if json.Unmarshal(p.raw, &v, rawjson.Verbatim) == nil {
		unmark(v)
		if raw, err := json.Marshal(v, rawjson.Verbatim, json.Deterministic(true)); err == nil {
			h.Write(raw)
		}
	}
	h.Sum(out[:0])
	return out
}

// unmark takes marks for the provider's cache out of a value: they do not count as
// content (live V1).
func unmark(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for _, inner := range v {
			unmark(inner)
		}
	case []any:
		for _, inner := range v {
			unmark(inner)
		}
	}
}

// pieces takes a body apart.
func (f Profile) pieces(body []byte) (list []piece) {
	var b struct {
		System       jsontext.Value `json:"system"`
		Instructions jsontext.Value `json:"instructions"`
		Gemini       jsontext.Value `json:"systemInstruction"`
		Tools        jsontext.Value `json:"tools"`
		Messages     []struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
		Input    []jsontext.Value `json:"input"`
		Contents []struct {
			Role  string           `json:"role"`
			Parts []jsontext.Value `json:"parts"`
		} `json:"contents"`
	}
	if json.Unmarshal(body, &b, rawjson.Verbatim) != nil {
		return nil // the check of the body says so
	}
	for _, head := range []jsontext.Value{b.System, b.Instructions, b.Gemini, b.Tools} {
		list = append(list, piece{path: "head", raw: head})
	}
	for i, raw := range b.Input {
		var it struct {
			Type      string `json:"type"`
			Role      string `json:"role"`
			Encrypted string `json:"encrypted_content"`
		}
		_ = json.Unmarshal(raw, &it, rawjson.Verbatim)
		p := piece{path: at("input", i), raw: raw, model: it.Role == "assistant" || it.Type == "function_call" || it.Type == "custom_tool_call"}
		if it.Type == "reasoning" {
			p.signature = it.Encrypted
		}
		list = append(list, p)
	}
	for i, c := range b.Contents {
		for j, raw := range c.Parts {
			list = append(list, geminiPieces(piece{path: at(at("contents", i)+".parts", j), role: c.Role, raw: raw, model: c.Role == "model"})...)
		}
	}
	for i, m := range b.Messages {
		var blocks []jsontext.Value
		if json.Unmarshal(m.Content, &blocks, rawjson.Verbatim) != nil {
			blocks = []jsontext.Value{m.Content}
		}
		for j, raw := range blocks {
			var k struct {
				Type      string `json:"type"`
				Signature string `json:"signature"`
				Data      string `json:"data"`
			}
			_ = json.Unmarshal(raw, &k, rawjson.Verbatim)
			p := piece{path: at(at("messages", i)+".content", j), role: m.Role, raw: raw, model: m.Role == "assistant"}
			if k.Type == "thinking" || k.Type == "redacted_thinking" {
				p.signature = k.Signature + k.Data
			}
			list = append(list, p)
		}
	}
	return list
}

// geminiPieces parts a part from the signature on it.
func geminiPieces(p piece) []piece {
	var members map[string]jsontext.Value
	if json.Unmarshal(p.raw, &members, rawjson.Verbatim) != nil {
		return []piece{p}
	}
	var signature string
	_ = json.Unmarshal(members["thoughtSignature"], &signature, rawjson.Verbatim)
	if signature == "" {
		return []piece{p}
	}
	delete(members, "thoughtSignature")
	bare, thought := p, p
	bare.raw = rawBlock(members)
	if signature == "skip_thought_signature_validator" { // stands for none
		return []piece{bare}
	}
	thought.signature = signature
	return []piece{thought, bare}
}
