package clients

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// TestRunClientsWithThreads has the clients of Anthropic's whose vendor may keep the conversation for
// them say only what is new: through us they say all of it, once they are asked (live X2).
func TestRunClientsWithThreads(t *testing.T) {
	for _, c := range All() {
		var threads func(f *front)
		switch c.Name {
		case "claude-code":
			threads = func(f *front) { f.extra = append(f.extra, "CLAUDE_CODE_TETHER_LIVE=1") }
		case "pi":
			threads = func(f *front) {
				f.Write(filepath.Join(f.Home, ".pi", "agent", "models.json"), `{"providers":{"anthropic":{"baseUrl":"`+f.URL+`","compat":{"supportsMessageThreads":true}}}}`)
			}
		default:
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			f := proxied(t, c, nil, func(p *Place) modelserver.Script {
				return modelserver.Sequence(slices.Concat(counting(p, 1, 7, "I counted."), counting(p, 8, 9, "That is all."))...)
			})
			threads(f)
			s, out := f.Begin("Count with care.")
			out += f.Resume(s, "Count on.")
			if s := f.holds(t); s.edited == 0 || s.epochs == 0 || s.histories != 1 {
				t.Fatalf("%+v of %+v", s, f.keeper.Status())
			}
			if !f.says(`"type":"continue"`) || f.reaches(`"type":"continue"`) || !f.reaches(`"type":"create"`) {
				t.Errorf("the client continues a thread: %v; that reaches the model: %v, its beginning: %v", f.says(`"type":"continue"`), f.reaches(`"type":"continue"`), f.reaches(`"type":"create"`))
			}
			for _, answer := range []string{"I counted.", "That is all."} {
				if !strings.Contains(out, answer) {
					t.Errorf("the client does not say %q: %s", answer, out)
				}
			}
			f.last()
			f.close()
			f.kept(t)
		})
	}
}

// says tells whether the client sent something that holds a text; reaches, whether it got to
// the model.
func (f *front) says(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, body := range f.sent {
		if bytes.Contains(body, []byte(text)) {
			return true
		}
	}
	return false
}

func (f *front) reaches(text string) bool {
	return slices.ContainsFunc(f.Server.Requests(), func(r modelserver.Request) bool { return bytes.Contains(r.Body, []byte(text)) })
}
