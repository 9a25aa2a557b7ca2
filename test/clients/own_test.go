package clients

import (
	"sync"
	"testing"

	"tenfold/test/modelserver"
)

// own is a session that a client made in a way of its own.
type own struct {
	client Client
	name   string
	// make lets the client go on with the session that it worked in.
	make func(p *Place, s Session, model *scripted)
	// answer is what the model said last.
	answer string
}

// TestOwnSessions lets clients resume, go back, break off and compact by
// themselves. What they then send must be what we read in what they keep, and
// our whole export of it, resumed, must send the same.
func TestOwnSessions(t *testing.T) {
	b := newBoard(t)
	for _, o := range ownSessions() {
		t.Run(o.client.Name+" "+o.name, func(t *testing.T) {
			t.Parallel()
			model := &scripted{}
			p := At(t, o.client, modelserver.New(model.reply))
			model.answers(work(o.client, p.Dir))
			session, _ := p.Begin("What does this module do?")
			o.make(p, session, model)
			id := p.stored(session)
			b.run(t, p, o.name+" imported", func(t *testing.T) { importedAs(t, p, id, o.answer) })
			b.run(t, p, o.name+" whole", func(t *testing.T) { whole(t, p, session, id) })
		})
	}
}

// scripted is a model whose script changes.
type scripted struct {
	mu     sync.Mutex
	script modelserver.Script
}

func (m *scripted) answers(script modelserver.Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = script
}

func (m *scripted) reply(r modelserver.Request) modelserver.Reply {
	m.mu.Lock()
	script := m.script
	m.mu.Unlock()
	return script(r)
}

// says has the model answer with a text next.
func (m *scripted) says(text string) { m.answers(modelserver.Sequence(modelserver.Text(text))) }

func ownSessions() []own {
	return []own{
		{client: GeminiCLI(), name: "resumed twice", answer: "Nobody, really.", make: func(p *Place, s Session, model *scripted) {
			model.says("Nobody, it seems.")
			p.Resume(s, "Who calls it?")
			model.says("Nobody, really.")
			p.Resume(s, "Are you sure?")
		}},
	}
}
