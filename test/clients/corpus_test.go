package clients

import (
	"bytes"
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/corpustest"
	"tenfold/test/modelserver"
)

// corpusCases are the clients that have sessions in the corpus.
func corpusCases() []corpusCase {
	return []corpusCase{
		{client: ClaudeCode(), files: 2, original: true, exact: true, settle: claudeCodeSettled},
		{client: Codex(), files: 1, original: true, settle: codexSettled},
		{client: OpenCode(), files: 1, settle: withoutThinking},
		{client: Pi(), files: 1, settle: withoutThinking},
		{client: GeminiCLI(), files: 1, original: true, settle: func(lines []Line, _ []byte) []Line { return lines }},
	}
}

type corpusCase struct {
	client Client
	files  int // how many are tried where tests do not try everything
	// original is set where the client resumes the file of the corpus itself, to
	// which the whole export is held; it is held to our body otherwise.
	original bool
	// exact is set where both then send the very same.
	exact bool
	// settle leaves out of a history what the client does by itself with sessions
	// that others recorded. The session is what it resumed, nil for our body.
	settle func(lines []Line, session []byte) []Line
}

// TestCorpus holds that the real clients resume whole and compacted exports of
// the sessions of the open corpus, and send what our body says.
func TestCorpus(t *testing.T) {
	for _, c := range corpusCases() {
		for _, f := range spread(corpustest.Files(t, c.client.Name), c.files) {
			t.Run(c.client.Name+" "+filepath.Base(f.Path), func(t *testing.T) {
				t.Parallel()
				p := At(t, c.client, modelserver.New(modelserver.Sequence(), modelserver.WithForeignThinking()))
				id := p.stored(Session{Path: f.Path})
				want := c.body(t, p, id)
				if c.original { // in a copy: the client writes on in the file
					file := filepath.Join(filepath.Dir(p.Home), filepath.Base(f.Path))
					p.Write(file, p.read(f.Path))
					want = c.sends(t, p, p.Take(file), file)
				}
				t.Run("whole", func(t *testing.T) {
					p.tb = t
					got := c.exports(t, p, id)
					if !c.exact {
						want.settle(c)
						got.settle(c)
					}
					same(t, want.lines, got.lines)
					c.unwarned(t, want, got)
				})
				t.Run("compacted", func(t *testing.T) {
					p.tb = t
					p.tenfold("conversation", "compact", id)
					want := c.body(t, p, id)
					if len(want.lines) == 2 && want.lines[0].Text == "[Conversation continues]" {
						return // the session shows a model nothing
					}
					got := c.exports(t, p, id, "--compacted")
					want.settle(c)
					got.settle(c)
					same(t, want.lines, got.lines)
					c.unwarned(t, want, got)
				})
			})
		}
	}
}

// spread gives n files from all over the smaller three quarters, as the largest
// take long; where tests try everything it gives all.
func spread(files []corpustest.File, n int) []corpustest.File {
	if corpustest.All() {
		return files
	}
	files = files[len(files)/4:]
	var some []corpustest.File
	for i := range n {
		some = append(some, files[(2*i+1)*len(files)/(2*n)])
	}
	return some
}

// A sent history, the session that the client resumed, and what it warned of.
type sent struct {
	lines   []Line
	session []byte
	warned  string
}

func (s *sent) settle(c corpusCase) { s.lines = c.settle(s.lines, s.session) }

// body is what our body of a conversation says, and the prompt.
func (c corpusCase) body(t *testing.T, p *Place, id string) sent {
	t.Helper()
	p.tb = t
	body, _ := p.tenfold("conversation", "export", id, "--to", string(c.client.Wire), "--compacted")
	r, problem := modelserver.Read(c.client.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	return sent{lines: append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt})}
}

// corpusCwd is where a session of the corpus ran: pi refuses one whose
// directory is gone.
var corpusCwd = regexp.MustCompile(`"cwd":"(?:[^"\\]|\\.)*"`)

// exports has the client resume an export, and gives what it sends.
func (c corpusCase) exports(t *testing.T, p *Place, id string, flags ...string) sent {
	t.Helper()
	q := p.again(t, c.client)
	file := filepath.Join(filepath.Dir(q.Home), "export", "session.jsonl")
	q.Write(file, "")
	p.tenfold(append([]string{"conversation", "export", id, "--to", c.client.Name, "--out", file}, flags...)...)
	if c.client.Name == "pi" {
		q.Write(file, corpusCwd.ReplaceAllLiteralString(q.read(file), `"cwd":"`+q.Dir+`"`))
	}
	return c.sends(t, q, q.Take(file), file)
}

// unwarned holds that a client warns of our export of nothing but what it says of
// the original as well.
func (c corpusCase) unwarned(t *testing.T, want, got sent) {
	t.Helper()
	if got.warned != "" && got.warned != want.warned {
		t.Errorf("%s says of our export: %s", c.client.Name, got.warned)
	}
}

// warning is a line in which a client warns of something, and surroundings are
// words of those about the place that it runs in, not the session.
var (
	warning      = regexp.MustCompile(`(?im)^.*\b(warning|warn|corrupt\w*|invalid|malformed)\b.*$`)
	surroundings = regexp.MustCompile(`True color|PATH aliases|was recorded with model`)
)

// warned is the first line in which a client warns of a session; empty if none.
func warned(out string) string {
	for _, line := range warning.FindAllString(out, -1) {
		if !surroundings.MatchString(line) {
			return line
		}
	}
	return ""
}

// sends has the client resume a session that it took from a file, and gives what
// it sends; if it is refused or takes no such session, a line says so.
func (c corpusCase) sends(t *testing.T, p *Place, s Session, file string) sent {
	t.Helper()
	p.tb = t
	p.Server.Reset()
	session := []byte(p.read(file))
	out, err := p.Try(prompt, c.client.resume(s, prompt)...)
	if main := p.Server.Main(); len(main) > 0 && main[len(main)-1].Problem == nil && err == nil {
		return sent{lines: History(main[len(main)-1], false), session: session, warned: warned(out)}
	}
	out, _, _ = strings.Cut(out, " with session ID")
	return sent{lines: []Line{{Kind: "refused", Text: strings.TrimSpace(out)}}}
}

// claudeCodeSettled leaves out of a history what Claude Code does by itself with
// sessions of older versions: it gives tools their new names, brings parallel
// results into the order of their calls, sends notices as reminders and found
// tools as references, and answers for the model where nobody did.
func claudeCodeSettled(lines []Line, _ []byte) []Line {
	var list []Line
	for _, l := range lines {
		switch {
		case l.Text == "No response requested." || l.Text == "Tool loaded.", strings.HasPrefix(l.Text, "<task-notification>"):
			continue
		case l.Kind == "call" && l.Name == "Task":
			l.Name = "Agent"
		case l.Kind == "call" && l.Name == "SendMessage":
			l.Text = "" // it mends arguments that its tool does not know any more
		case l.Kind == "result" && strings.HasPrefix(l.Text, `{"type":"tool_reference"`):
			l.Text = ""
		}
		list = append(list, l)
	}
	for from := 0; from < len(list); from++ {
		to := from
		for to < len(list) && list[to].Kind == "result" {
			to++
		}
		slices.SortFunc(list[from:to], func(a, b Line) int { return cmp.Compare(a.Text, b.Text) })
		from = max(from, to-1)
	}
	return list
}

// codexSettled leaves out the instructions of directories, which Codex looks up
// where it is resumed. Images that it cannot read become a text, and items of the
// provider's lose their metadata.
func codexSettled(lines []Line, _ []byte) []Line {
	var list []Line
	for _, l := range lines {
		var item map[string]any
		switch {
		case strings.HasPrefix(l.Text, "# AGENTS.md instructions"):
			continue
		case l.Kind == "input_image" || l.Text == "image content omitted because it could not be processed":
			l.Kind, l.Text = "image", ""
		case l.Kind == "web_search_call" && json.Unmarshal([]byte(l.Text), &item) == nil:
			delete(item, "metadata")
			data, err := json.Marshal(item, json.Deterministic(true))
			if err != nil {
				panic(err) // it was read as JSON
			}
			l.Text = string(data)
		}
		list = append(list, l)
	}
	return list
}

// withoutThinking leaves out what pi and opencode tell another model than the one
// that thought: its thinking, as a text. pi has words of its own for a call
// without a result.
func withoutThinking(lines []Line, session []byte) []Line {
	said := map[string]bool{}
	values := jsontext.NewDecoder(bytes.NewReader(session))
	for {
		var v any
		if json.UnmarshalDecode(values, &v) != nil {
			break
		}
		addThinking(said, v)
	}
	lines = slices.DeleteFunc(lines, func(l Line) bool { return l.Role == "assistant" && l.Kind == "text" && said[l.Text] })
	for i, l := range lines {
		if l.Text == "No result provided" {
			lines[i].Text = "Tool call was interrupted."
		}
	}
	return lines
}

// addThinking adds the texts of the thinking blocks in a value.
func addThinking(texts map[string]bool, v any) {
	switch v := v.(type) {
	case map[string]any:
		for kind, member := range map[string]string{"thinking": "thinking", "reasoning": "text"} {
			if text, ok := v[member].(string); ok && v["type"] == kind {
				texts[strings.TrimSpace(text)] = true
			}
		}
		for _, inner := range v {
			addThinking(texts, inner)
		}
	case []any:
		for _, inner := range v {
			addThinking(texts, inner)
		}
	}
}
