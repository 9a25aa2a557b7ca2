package clients

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/test/modelserver"
)

// TestOpenCodeSessions holds that sessions which opencode makes by itself
// import whole, and that it goes on with our export of them as with its own.
func TestOpenCodeSessions(t *testing.T) {
	const asked, answer = "What does this module do?", "The module demo has one function, Greet."
	tests := map[string]struct {
		script modelserver.Script
		make   func(p *Place, model *scripted) Session
		shows  string // what the body says of it
		says   string // what its model said last, where all of it is sent again
		keeps  string // what the conversation keeps of it
	}{
		"sub-agent, resumed": {
			script: modelserver.Choose(func(r modelserver.Request) modelserver.Reply {
				switch inner := strings.Contains(textOf(r.Messages[0]), "Read the module."); {
				case inner && !slices.ContainsFunc(r.Messages, answered):
					return modelserver.Calls(OpenCode().Reads("go.mod"))
				case inner:
					return modelserver.Text("It is called demo.")
				case !slices.ContainsFunc(r.Messages, answered):
					return modelserver.Calls(call("task", map[string]any{"description": "Look", "prompt": "Read the module.", "subagent_type": "general"}))
				}
				return modelserver.Text(answer)
			}),
			make: func(p *Place, model *scripted) Session {
				s, _ := p.Begin(asked)
				model.says("Nobody, it seems.")
				p.Resume(s, "Who calls it?")
				return s
			},
			shows: "It is called demo.",
			says:  "Nobody, it seems.",
			keeps: "go 1.26", // what the agent read
		},
		"reverted": {
			script: modelserver.Sequence(modelserver.Calls(OpenCode().Reads("go.mod")), modelserver.Text(answer)),
			make: func(p *Place, model *scripted) Session {
				o := p.serve()
				s := o.begin()
				o.prompt(s, asked)
				model.says("Nobody, it seems.")
				o.prompt(s, "Who calls it?")
				messages := o.messages(s)
				o.post("/session/"+s.ID+"/revert", `{"messageID":"`+messages[len(messages)-2]+`"}`)
				return s
			},
			shows: answer,
			keeps: "Nobody, it seems.",
		},
		"compacted": {
			script: modelserver.Sequence(modelserver.Calls(OpenCode().Reads("go.mod")), modelserver.Text(answer)),
			make: func(p *Place, model *scripted) Session {
				o := p.serve()
				s := o.begin()
				o.prompt(s, asked)
				model.says("The module is called demo.")
				o.compact(s)
				model.says("Nobody, it seems.")
				o.prompt(s, "Who calls it?")
				return s
			},
			shows: "What did we do so far?",
			keeps: "What does this module do?",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scripted{}
			p := At(t, OpenCode(), modelserver.New(model.reply))
			model.answers(test.script)
			s := test.make(p, model)
			id := p.stored(s)
			body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
			r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
			if problem != nil {
				t.Fatalf("the body would be refused: %v", problem)
			}
			if !strings.Contains(body, test.shows) {
				t.Errorf("the body does not say %q", test.shows)
			}
			if kept, _ := p.tenfold("conversation", "export", id, "--to", "tenfold"); !strings.Contains(kept, test.keeps) {
				t.Errorf("nothing keeps %q", test.keeps)
			}
			if test.says != "" {
				importedAs(t, p, id, test.says, "--compacted")
			}
			whole(t, p, s, id)
			same(t, append(History(r, true), Line{Role: "user", Kind: "text", Text: prompt}), History(p.last(), true))
		})
	}
}

// An opencodeServer answers what its interface asks of it.
type opencodeServer struct {
	p    *Place
	url  string
	stop func()
}

// serve has opencode serve its interface while the test lasts.
func (p *Place) serve() opencodeServer {
	p.tb.Helper()
	cmd := exec.Command(p.Client.path(), "serve", "--port", "0")
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.environment(), time.Minute
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	end := sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	p.tb.Cleanup(end)
	stop := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			return opencodeServer{p, strings.TrimSpace(url), end}
		}
	}
	p.tb.Fatal("opencode serve does not say where it listens")
	return opencodeServer{}
}

func (o opencodeServer) post(path, body string) { o.ask(http.MethodPost, path, body) }

// messages gives the ids of a session's messages.
func (o opencodeServer) messages(s Session) []string {
	o.p.tb.Helper()
	var messages []struct {
		Info struct {
			ID string `json:"id"`
		} `json:"info"`
	}
	if err := json.Unmarshal(o.ask(http.MethodGet, "/session/"+s.ID+"/message", ""), &messages); err != nil {
		o.p.tb.Fatal(err)
	}
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.Info.ID)
	}
	return ids
}

func (o opencodeServer) ask(method, path, body string) []byte {
	o.p.tb.Helper()
	request, err := http.NewRequestWithContext(o.p.tb.Context(), method, o.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		o.p.tb.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: wait}
	answer, err := client.Do(request)
	if err != nil {
		o.p.tb.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		o.p.tb.Fatalf("%s %s: %s %v\n%s", method, path, answer.Status, err, data)
	}
	return data
}
