package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold/internal/corpustest"
	"tenfold/test/modelserver"
)

// opencodeSample is how many sessions are tried unless TENFOLD_CLIENTS_ALL is
// set: the smallest, and every fourth above it, as the smallest are too short to
// be made shorter.
const opencodeSample = 2

// TestOpenCodeCorpus holds that the real opencode takes whole and compacted
// exports of the sessions of the open corpus, and sends what our body says when
// it goes on with them.
func TestOpenCodeCorpus(t *testing.T) {
	files := corpustest.Files(t, "opencode")
	if os.Getenv("TENFOLD_CLIENTS_ALL") == "" {
		var sample []corpustest.File
		for i := len(files) - 1; i >= 0 && len(sample) < opencodeSample; i -= 4 {
			sample = append(sample, files[i])
		}
		files = sample
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f.Path), ".json"), func(t *testing.T) {
			t.Parallel()
			p := At(t, OpenCode(), modelserver.New(modelserver.Sequence(modelserver.Text("Nobody does.")), modelserver.WithForeignThinking()))
			id := p.stored(Session{Path: f.Path})
			t.Run("whole", func(t *testing.T) { opencodeGoesOn(t, p, id) })
			t.Run("compacted", func(t *testing.T) {
				p.tenfold("conversation", "compact", id)
				opencodeGoesOn(t, p, id, "--compacted")
			})
		})
	}
}

func opencodeGoesOn(t *testing.T, p *Place, id string, flags ...string) {
	t.Helper()
	p.tb = t
	body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
	r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	p.Server.Reset()
	p.Resume(p.exported(p, id, flags...), prompt)
	want := append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt})
	same(t, want, opencodeSettled(History(p.last(), false), opencodeThinking(t, p)))
}

// opencodeThinking gives the thinking in the export that opencode took last.
func opencodeThinking(t *testing.T, p *Place) map[string]bool {
	t.Helper()
	var session struct {
		Messages []struct {
			Parts []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"parts"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(p.read(filepath.Join(filepath.Dir(p.Home), "export", "session.jsonl"))), &session); err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, m := range session.Messages {
		for _, part := range m.Parts {
			if part.Type == "reasoning" {
				texts[strings.TrimSpace(part.Text)] = true
			}
		}
	}
	return texts
}

// opencodeSettled leaves out of a history what opencode does by itself: it tells
// as text what another model than the one it goes on with thought.
func opencodeSettled(lines []Line, thinking map[string]bool) []Line {
	return slices.DeleteFunc(lines, func(l Line) bool {
		return l.Role == "assistant" && l.Kind == "text" && thinking[l.Text]
	})
}
