package clients

import (
	"path/filepath"
	"slices"
	"testing"

	"tenfold/test/modelserver"
)

// prompt is what the tests go on with.
const prompt = "And who calls it?"

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

// TestWholeExportIsTheOriginal holds that a client which goes on with our
// export of a session sends what it sends when it goes on with its own.
func TestWholeExportIsTheOriginal(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, session := made(t, c)
			id := p.stored(session)
			q := p.again(t, c)
			q.Resume(p.exported(q, id), prompt)
			p.Resume(session, prompt)
			same(t, History(p.last(), true), History(q.last(), true))
		})
	}
}

// views are the ways in which a conversation is made shorter.
func views() map[string][]string {
	return map[string][]string{
		"default": nil,
		"target":  {"--target", "10%"},
		"heavy":   {"--profile", "heavy"},
	}
}

// TestCompactedExportIsOurView holds that a client which goes on with a
// compacted export sends our view, and that it is accepted.
func TestCompactedExportIsOurView(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, session := made(t, c)
			id := p.stored(session)
			for name, flags := range views() {
				t.Run(name, func(t *testing.T) {
					p.tenfold(append([]string{"conversation", "compact", id, "--keep", "0"}, flags...)...)
					body, _ := p.tenfold("conversation", "export", id, "--to", string(c.Wire), "--compacted")
					r, problem := modelserver.Read(c.Wire, []byte(body))
					if problem != nil {
						t.Fatalf("the body would be refused: %v", problem)
					}
					q := p.again(t, c)
					q.Resume(p.exported(q, id, "--compacted"), prompt)
					want := append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt})
					same(t, want, History(q.last(), false))
					p.tenfold("conversation", "undo", id, "--all")
				})
			}
		})
	}
}

// TestHandOver holds that each client can go on with a session of each other.
func TestHandOver(t *testing.T) {
	for _, from := range All() {
		t.Run(from.Name, func(t *testing.T) {
			t.Parallel()
			p, session := made(t, from)
			id := p.stored(session)
			whole, _ := p.tenfold("conversation", "export", id, "--to", string(modelserver.Responses))
			r, problem := modelserver.Read(modelserver.Responses, []byte(whole))
			if problem != nil {
				t.Fatalf("the body would be refused: %v", problem)
			}
			want := append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt})
			for _, to := range slices.DeleteFunc(All(), func(c Client) bool { return c.Name == from.Name }) {
				t.Run(to.Name, func(t *testing.T) {
					q := p.again(t, to)
					q.Resume(p.exported(q, id), prompt)
					same(t, want, History(q.last(), false))
				})
			}
		})
	}
}
