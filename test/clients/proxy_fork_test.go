package clients

import (
	"slices"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// X2, B1: a client copies a session that was compacted through a proxy which is gone, and goes on
// in the copy, under another name. It is shown what the original was: the vendor has that in its
// cache, and refuses what was thought in it anywhere else.
func TestRunForkedSession(t *testing.T) {
	for _, one := range []struct {
		client Client
		fork   func(p *Place, s Session) string
	}{
		{ClaudeCode(), func(p *Place, s Session) string {
			return p.Run(append(p.Client.resume(s, "And once more."), "--fork-session")...)
		}},
		{Codex(), func(p *Place, s Session) string {
			return p.Run("exec", "fork", "--skip-git-repo-check", "-m", "gpt-5.5", s.ID, "And once more.")
		}},
		{OpenCode(), func(p *Place, s Session) string {
			return p.must("And once more.", append(p.Client.resume(s, ""), "--fork"))
		}},
		{Pi(), func(p *Place, s Session) string {
			return p.Run("-p", "And once more.", "--fork", s.Path, "--provider", "anthropic", "--model", "claude-sonnet-4-5")
		}},
	} {
		t.Run(one.client.Name, func(t *testing.T) {
			t.Parallel()
			f := proxied(t, one.client, nil, func(p *Place) modelserver.Script {
				return modelserver.Sequence(slices.Concat(counting(p, 1, 7, "I counted."), []modelserver.Reply{modelserver.Text("Counted on."), modelserver.Text("That is all.")})...)
			})
			s, _ := f.Begin("Count with care.")
			f.Resume(s, "Count on.")
			if s := f.holds(t); s.edited == 0 {
				t.Fatalf("%+v of %+v", s, f.keeper.Status())
			}
			shown := f.last()
			f.close()
			f.open(t)
			if out := one.fork(f.Place, s); !strings.Contains(out, "That is all.") {
				t.Errorf("the copy says %s", out)
			}
			before, after := History(shown, true), History(f.last(), true)
			if len(after) < len(before) || !slices.Equal(before, after[:len(before)]) {
				same(t, before, after)
			}
			f.holds(t)
		})
	}
}
