package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/test/modelserver"
)

// corpusSample is how many sessions are tried unless TENFOLD_CLIENTS_ALL is
// set.
const corpusSample = 3

// TestClaudeCodeCorpus holds that the real Claude Code goes on with whole and
// compacted exports of the sessions of the open corpus, and sends what our body
// says.
func TestClaudeCodeCorpus(t *testing.T) {
	files := corpustest.Files(t, "claude-code")
	if os.Getenv("TENFOLD_CLIENTS_ALL") == "" {
		// Those in the middle by size: the largest take seconds each.
		slices.SortFunc(files, func(a, b corpustest.File) int { return cmp.Compare(a.Bytes, b.Bytes) })
		step := max(1, len(files)*3/4/corpusSample)
		var sample []corpustest.File
		for i := step - 1; i < len(files) && len(sample) < corpusSample; i += step {
			sample = append(sample, files[i])
		}
		files = sample
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f.Path), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			p := At(t, ClaudeCode(), modelserver.New(modelserver.Sequence(), modelserver.WithForeignThinking()))
			id := p.stored(Session{Path: f.Path})
			// Claude Code goes on in the very file: it gets a copy.
			own := filepath.Join(p.Home, filepath.Base(f.Path))
			p.Write(own, p.read(f.Path))
			original := p.sends(Session{Path: own})
			t.Run("whole", func(t *testing.T) {
				p.tb = t
				same(t, original, p.sends(p.exported(p, id)))
			})
			t.Run("compacted", func(t *testing.T) {
				p.tb = t
				p.tenfold("conversation", "compact", id)
				body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
				r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
				if problem != nil {
					t.Fatalf("the body would be refused: %v", problem)
				}
				ours := History(r, false)
				if len(ours) == 1 && ours[0].Text == "[Conversation continues]" {
					return // the session shows a model nothing
				}
				sent := p.sends(p.exported(p, id, "--compacted"))
				same(t, settled(append(ours, Line{Role: "user", Kind: "text", Text: prompt})), settled(sent))
			})
		})
	}
}

// sends has the client go on with a session and gives what it sends; where it
// is refused or takes no such session, a line says so. No id is in it.
func (p *Place) sends(s Session) []Line {
	p.tb.Helper()
	p.Server.Reset()
	out, err := p.Try(prompt, p.Client.resume(s, prompt)...)
	if main := p.Server.Main(); len(main) > 0 && main[len(main)-1].Problem == nil && err == nil {
		return History(main[len(main)-1], false)
	}
	out, _, _ = strings.Cut(out, " with session ID")
	return []Line{{Kind: "refused", Text: strings.TrimSpace(out)}}
}

// settled leaves out of a history what Claude Code does by itself with sessions
// of older versions: it gives tools their new names, brings parallel results
// into the order of their calls, sends notices as reminders and found tools as
// references, and answers for the model where nobody did.
func settled(lines []Line) []Line {
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
