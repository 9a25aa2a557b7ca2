package clients

import (
	"testing"

	"tenfold/test/modelserver"
)

// behind has the client be started by "tenfold run", until what it gives is called.
func (p *Place) behind(t *testing.T) (back func()) {
	t.Helper()
	exe, err := program()
	if err != nil {
		t.Fatal(err)
	}
	p.runner = []string{exe, "run", p.Client.Name}
	return func() { p.runner = nil }
}

// undoes holds that an undo leaves nothing of the compactions of a session.
func (p *Place) undoes(t *testing.T, s Session) {
	t.Helper()
	id := p.stored(s)
	p.tenfold("conversation", "undo", id, "--all")
	whole, _ := p.tenfold("conversation", "export", id, "--to", "openai-chat") // which takes no thinking
	left, _ := p.tenfold("conversation", "export", id, "--to", "openai-chat", "--compacted")
	if whole != left {
		t.Error("something is left of the compactions")
	}
}

// TestPluginPiBesideTheProxy has pi, with the plug-in, compact by itself behind "tenfold
// run": its proxy cannot answer that, and what pi keeps of thinking behind a summary of its
// own is refused. Without the proxy the session goes on with the same view.
func TestPluginPiBesideTheProxy(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi())
	back := p.behind(t)
	model.answers(modelserver.Sequence(append(p.readsParts(5), modelserver.Text("Many."))...))
	p.commands(session, compactCommand, promptCommand("And the sixth part?"))
	p.compactedByUs(t, session, 1, "The house has many rooms.")
	back()
	p.Resume(session, "How many?")
	p.compactedByUs(t, session, 1, "Many.")
	p.behind(t)
	model.says("Really.")
	p.Resume(session, "Really?")
	p.compactedByUs(t, session, 1, "Really.")
	p.grows(t, 4)
	p.undoes(t, session)
}

// TestPluginOpenCodeBesideTheProxy has a session that the plug-in compacted go on behind
// "tenfold run" until opencode compacts it, and then without the proxy and behind it again.
func TestPluginOpenCodeBesideTheProxy(t *testing.T) {
	t.Parallel()
	model := &scripted{}
	p := At(t, pluggedOpenCode(""), modelserver.New(model.reply))
	model.answers(p.reading([]int{0, 1, 2, 3, 4, 5, 6}, "All read."))
	o := p.serve()
	s := o.begin()
	o.prompt(s, "Read all the files.")
	back := p.behind(t)
	model.answers(p.reading([]int{7, 0}, "More."))
	p.Resume(s, "Read more.")
	back()
	model.says("Nobody, it seems.")
	p.Resume(s, "Who calls it?")
	p.behind(t)
	model.says("Sure.")
	p.Resume(s, "Sure?")
	p.accepted()
	if all := epochs(p.Server.Main()); len(all) != 3 { // the plug-in's, and opencode's own that it answered
		t.Errorf("%d epochs", len(all))
	}
	p.undoes(t, s)
}
