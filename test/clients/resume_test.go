package clients

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/test/modelserver"
)

// prompt is what the tests go on with.
const prompt = "And who calls it?"

// TestClients is the matrix of clients and cases: what a client made is
// imported whole; an export of it, resumed, sends what the original sends;
// compacted exports send our view; and each other client can continue it.
func TestClients(t *testing.T) {
	b := newBoard(t)
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, session := made(t, c)
			id := p.stored(session)
			b.run(t, p, "imported", func(t *testing.T) { imported(t, p, id) })
			for _, name := range slices.Sorted(maps.Keys(views())) {
				if slow := c.Name == "opencode" || c.Name == "gemini-cli"; slow && name != "heavy" && !corpustest.All() {
					continue // seconds of start for a view that other clients show as well
				}
				b.run(t, p, name, func(t *testing.T) { compacted(t, p, id, views()[name]) })
			}
			for _, to := range slices.DeleteFunc(All(), func(other Client) bool { return other.Name == c.Name }) {
				if slow := to.Name == "opencode" || to.Name == "gemini-cli"; slow && c.Name != "claude-code" && !corpustest.All() {
					continue // as above
				}
				b.run(t, p, "to "+to.Name, func(t *testing.T) { handedOver(t, p, id, to) })
			}
			if c.sessions != "" && c.Name != "pi" { // "resumed" runs the same commands
				b.run(t, p, "as printed", func(t *testing.T) { resumedAsPrinted(t, p, id) })
			}
			b.run(t, p, "resumed", func(t *testing.T) { resumedHere(t, p, session, id) })
			b.run(t, p, "whole", func(t *testing.T) { whole(t, p, session, id) })
		})
	}
}

// again makes an empty place of a client beside another, with the same project
// and the same store of Tenfold's.
func (p *Place) again(t *testing.T, c Client) *Place {
	t.Helper()
	s := modelserver.New(modelserver.Sequence(modelserver.Text("Nobody does.")), modelserver.WithForeignThinking())
	q := At(t, c, s)
	q.Dir = p.Dir
	return q
}

// exported writes a conversation for a client and has the client take it.
func (p *Place) exported(q *Place, id string, flags ...string) Session {
	p.tb.Helper()
	file := filepath.Join(filepath.Dir(q.Home), "export", "session.jsonl")
	q.Write(file, "")
	p.tenfold(append([]string{"conversation", "export", id, "--to", q.Client.Name, "--out", file}, flags...)...)
	return q.Take(file)
}

// whole holds that a client which goes on with our export of a session sends
// what it sends when it goes on with its own.
func whole(t *testing.T, p *Place, session Session, id string) {
	q := p.again(t, p.Client)
	q.Resume(p.exported(q, id), prompt)
	p.Resume(session, prompt)
	same(t, History(p.last(), true), History(q.last(), true))
}

// views are the ways in which a conversation is made shorter.
func views() map[string][]string {
	return map[string][]string{
		"default": nil,
		"target":  {"--target", "10%"},
		"heavy":   {"--profile", "heavy"},
	}
}

// compacted holds that a client which goes on with a compacted export sends our
// view, and that it is accepted.
func compacted(t *testing.T, p *Place, id string, flags []string) {
	c := p.Client
	p.tenfold(append([]string{"conversation", "compact", id, "--keep", "0"}, flags...)...)
	defer p.tenfold("conversation", "undo", id, "--all")
	body, _ := p.tenfold("conversation", "export", id, "--to", string(c.Wire), "--compacted")
	r, problem := modelserver.Read(c.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	q := p.again(t, c)
	q.Resume(p.exported(q, id, "--compacted"), prompt)
	same(t, append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt}), History(q.last(), false))
}

// handedOver holds that another client goes on with a session, and that its
// model is sent what was said.
func handedOver(t *testing.T, p *Place, id string, to Client) {
	body, _ := p.tenfold("conversation", "export", id, "--to", string(modelserver.Responses))
	r, problem := modelserver.Read(modelserver.Responses, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	q := p.again(t, to)
	q.Resume(p.exported(q, id), prompt)
	same(t, append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt}), History(q.last(), false))
}
