package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// P5a, P8a: a client that goes on with a compacted session of its own, or of
// Codex's, tells its model the project's rules and the surroundings once, as it
// does in a new session, and the note of a shortened view once.
func TestP8aContextAndNoteAreThereOnce(t *testing.T) {
	const rule = "Paint the fence in oxblood, always."
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			from := []Client{c}
			if c.Name != "codex" {
				from = append(from, Codex()) // it keeps its context in the session
			}
			want := "" // what a new session says: the first one began as one
			for _, maker := range from {
				p, id := ruled(t, maker, rule)
				p.tenfold("conversation", "compact", id, "--keep", "0", "--strategy", "strip-tools")
				q := p.again(t, c)
				q.Resume(p.exported(q, id, "--compacted"), prompt)
				got := string(q.last().Body)
				if want == "" {
					want = string(p.Server.Main()[0].Body)
				}
				for _, sign := range []string{
					rule, `environment_context\u003e`, "<environment_context>", "<permissions instructions>", "<skills_instructions>", "<session_context>",
				} {
					if n, least := strings.Count(got, sign), strings.Count(want, sign); n != least {
						t.Errorf("a session of %s: %q is there %d times, %d in a new one", maker.Name, sign, n, least)
					}
				}
				if !strings.Contains(want, rule) {
					t.Errorf("%s does not tell its model the rules of the project", c.Name)
				}
				if n := strings.Count(got, "Earlier parts are shortened"); n != 1 {
					t.Errorf("a session of %s: the note is there %d times", maker.Name, n)
				}
			}
		})
	}
}

// ruled is a session of a client in a project with rules, stored.
func ruled(t *testing.T, c Client, rule string) (*Place, string) {
	t.Helper()
	p := placed(t, c, func(p *Place) modelserver.Script { return work(c, p.Dir) })
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"} {
		p.Write(filepath.Join(p.Dir, name), rule+"\n")
	}
	session, _ := p.Begin("What does this module do?")
	return p, p.stored(session)
}
