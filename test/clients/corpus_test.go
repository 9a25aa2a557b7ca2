package clients

import (
	"os"
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

// corpusCwd is where a session of the corpus ran: pi refuses one whose
// directory is gone.
var corpusCwd = regexp.MustCompile(`"cwd":"(?:[^"\\]|\\.)*"`)

// TestCorpusResumes has pi go on with its sessions of the corpus, as they were
// and compacted: the scripted server takes them, and they say what our body
// says. It tries the smallest one; with TENFOLD_CLIENTS_ALL all there are.
func TestCorpusResumes(t *testing.T) {
	files := corpustest.Files(t, "pi")
	smallest := files[0]
	for _, f := range files {
		if f.Bytes < smallest.Bytes {
			smallest = f
		}
	}
	for _, f := range files {
		if f.Path != smallest.Path && os.Getenv("TENFOLD_CLIENTS_ALL") == "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			c := Pi()
			p := At(t, c, modelserver.New(modelserver.Sequence()))
			id := p.stored(Session{Path: f.Path})
			p.tb = t
			corpusResumes(t, p, id)
			p.tenfold("conversation", "compact", id)
			corpusResumes(t, p, id, "--compacted")
		})
	}
}

func corpusResumes(t *testing.T, p *Place, id string, flags ...string) {
	t.Helper()
	body, _ := p.tenfold("conversation", "export", id, "--to", string(p.Client.Wire), "--compacted")
	r, problem := modelserver.Read(p.Client.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	q := p.again(t, p.Client)
	file := filepath.Join(filepath.Dir(q.Home), "export", "session.jsonl")
	q.Write(file, "")
	p.tenfold(append([]string{"conversation", "export", id, "--to", p.Client.Name, "--out", file}, flags...)...)
	q.Write(file, corpusCwd.ReplaceAllLiteralString(q.read(file), `"cwd":"`+q.Dir+`"`))
	q.Resume(q.Take(file), prompt)
	said := thinkingOf(t, q.read(file))
	got := slices.DeleteFunc(History(q.last(), false), func(l Line) bool { return l.Kind == "text" && l.Role == "assistant" && said[l.Text] })
	want := append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt})
	for i, l := range got {
		if l.Text == "No result provided" { // pi's words for a call without a result
			got[i].Text = "Tool call was interrupted."
		}
	}
	same(t, want, got)
}

// thinkingOf gives the thinking in a session of pi's, which tells it as text to
// another model than the one that thought.
func thinkingOf(t *testing.T, session string) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	for line := range strings.Lines(session) {
		var l struct {
			Message struct {
				Role    string         `json:"role"`
				Content jsontext.Value `json:"content"`
			} `json:"message"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		var blocks []struct {
			Thinking string `json:"thinking"`
		}
		if l.Message.Role == "assistant" && json.Unmarshal(l.Message.Content, &blocks) == nil {
			for _, b := range blocks {
				texts[strings.TrimSpace(b.Thinking)] = true
			}
		}
	}
	return texts
}
