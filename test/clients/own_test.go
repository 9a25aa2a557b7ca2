package clients

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
	// forked is set where what it makes is another session.
	forked bool
}

// TestOwnSessions lets clients resume, go back, break off and compact by
// themselves (opencode in [TestOpenCodeSessions]). What they then send must be what we read in what they keep, and
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
			if o.forked {
				session = p.other(session)
			}
			id := p.stored(session)
			b.run(t, p, o.name+" imported", func(t *testing.T) { importedAs(t, p, id, o.answer, "--compacted") })
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

// other is the one session beside another.
func (p *Place) other(s Session) Session {
	p.tb.Helper()
	all := slices.DeleteFunc(p.Sessions(), func(o Session) bool { return o.ID == s.ID })
	if len(all) != 1 {
		p.tb.Fatalf("%d other sessions", len(all))
	}
	return all[0]
}

func ownSessions() []own {
	return []own{
		{client: Pi(), name: "forked", answer: "Nobody, it seems.", forked: true, make: func(p *Place, s Session, model *scripted) {
			model.says("Nobody, it seems.")
			p.Run("-p", "Who calls it?", "--fork", s.Path, "--provider", "anthropic", "--model", "claude-sonnet-4-5")
		}},
		{client: Codex(), name: "forked", answer: "Nobody, it seems.", forked: true, make: func(p *Place, s Session, model *scripted) {
			model.says("Nobody, it seems.")
			p.Run("exec", "fork", "--skip-git-repo-check", "-m", "gpt-5.5", s.ID, "Who calls it?")
		}},
		{client: Pi(), name: "resumed", answer: "Nobody, it seems.", make: func(p *Place, s Session, model *scripted) {
			model.says("Nobody, it seems.")
			p.Resume(s, "Who calls it?")
		}},
		{client: Pi(), name: "broke off", answer: "Nobody, it seems.", make: func(p *Place, s Session, model *scripted) {
			half := modelserver.Saying("I was about to say this and that, and then some more.", modelserver.Calls(p.Client.Runs("ls")))
			half.Cut = 6
			model.answers(func(modelserver.Request) modelserver.Reply { return half })
			_, _ = p.Try("", p.Client.resume(s, "Who calls it?")...)
			model.says("Nobody, it seems.")
			p.Resume(s, "Who calls it?")
		}},
		{client: Pi(), name: "compacted", answer: "Nobody, it seems.", make: func(p *Place, s Session, model *scripted) {
			// Enough for the newest turn, which stays whole (P9).
			p.Write(filepath.Join(p.Home, ".pi", "agent", "settings.json"), `{"compaction":{"keepRecentTokens":8}}`)
			model.says("Nobody does that.")
			p.Resume(s, "Who calls it?")
			model.says("It is a module that greets.")
			p.commands(s, `{"type":"compact"}`)
			model.says("Nobody, it seems.")
			p.Resume(s, "Are you sure?")
		}},
		{client: GeminiCLI(), name: "resumed twice", answer: "Nobody, really.", make: func(p *Place, s Session, model *scripted) {
			model.says("Nobody, it seems.")
			p.Resume(s, "Who calls it?")
			model.says("Nobody, really.")
			p.Resume(s, "Are you sure?")
		}},
	}
}

// commands has pi run commands of its rpc mode on a session, each once the one
// before is answered and the model has come to rest. It gives what pi said.
func (p *Place) commands(s Session, commands ...string) (said []string) {
	p.tb.Helper()
	words := slices.Concat([]string{p.Client.path()}, p.lead.Args)
	if p.runner != nil {
		words = p.runner
	}
	cmd := exec.Command(words[0], slices.Concat(words[1:], []string{"--mode", "rpc", "--session", s.Path, "--provider", "anthropic", "--model", "claude-sonnet-4-5"})...)
	cmd.Dir, cmd.Env = p.Dir, p.environment()
	in, err := cmd.StdinPipe()
	if err != nil {
		p.tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.tb.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	stop := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for _, command := range commands {
		if _, err := io.WriteString(in, command+"\n"); err != nil {
			p.tb.Fatal(err)
		}
		until := `"type":"response"`
		if strings.Contains(command, `"prompt"`) && !strings.Contains(command, `"message":"/`) {
			until = `"type":"agent_end"`
		}
		answered := false
		for !answered && lines.Scan() {
			said = append(said, lines.Text())
			if strings.Contains(lines.Text(), `"success":false`) {
				p.tb.Fatalf("%s: %s\n%s", command, lines.Text(), strings.Join(said, "\n"))
			}
			answered = strings.Contains(lines.Text(), until)
		}
		if !answered {
			p.tb.Fatalf("%s: no answer: %s", command, errs.String())
		}
	}
	_ = in.Close()
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		p.tb.Logf("pi --mode rpc: %v", err)
	}
	return said
}
