package clients

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold/test/modelserver"
)

// X4: Claude Code is told to compact, through a proxy that was started since. What it asks for a
// summary is no part of the conversation, which goes on as the one it was, and what it keeps
// behind the summary is there once.
func TestX4RunClaudeCodeCompacts(t *testing.T) {
	t.Parallel()
	f := proxied(t, ClaudeCode(), nil, func(p *Place) modelserver.Script {
		return modelserver.Sequence(slices.Concat(steps(p, 1, 6, "I counted."), steps(p, 7, 7, "I counted more."))...)
	})
	s, _ := f.Begin("Count with care.")
	f.close()
	f.open(t)
	f.Resume(s, "/compact")
	f.close()
	f.open(t)
	if out := f.Resume(s, "Count on."); !strings.Contains(out, "I counted more.") {
		t.Errorf("Claude Code says %s", out)
	}
	view := ""
	for _, l := range History(f.last(), false) {
		view += l.Text + "\n"
	}
	if !strings.Contains(view, "Tenfold shortened this conversation") || strings.Contains(view, "Do NOT call any tools") || strings.Count(view, "I counted.\n") != 1 {
		t.Errorf("the model is shown %s", view)
	}
	f.close()
	list, _ := f.tenfold("conversation", "ls", "--json")
	var one struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(list), &one); err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	if log, _ := f.tenfold("conversation", "export", one.ID, "--to", "tenfold"); strings.Contains(log, "Do NOT call any tools") {
		t.Error("the log has what Claude Code asked for its summary")
	}
}
