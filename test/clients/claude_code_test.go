package clients

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/test/modelserver"
)

// TestClaudeCodeSessions holds that sessions which Claude Code makes by itself
// import whole, and that it goes on with our export of them as with its own.
func TestClaudeCodeSessions(t *testing.T) {
	const answer = "The module demo has one function, Greet."
	read := func(p *Place) modelserver.Reply {
		return modelserver.Calls(p.Client.Reads(filepath.Join(p.Dir, "go.mod")))
	}
	// The request of a turn whose last step Claude Code keeps verbatim stays in
	// our view (P9), not in its.
	request := []Line{{Role: "user", Kind: "text", Text: "What is it called?"}}
	tests := map[string]func(t *testing.T) (*Place, Session, []Line){
		"sub-agent": func(t *testing.T) (*Place, Session, []Line) {
			agent := call("Agent", map[string]any{"description": "Look", "prompt": "Read the module.", "subagent_type": "general-purpose"})
			return claudePlace(t, func(p *Place) modelserver.Script {
				return modelserver.Choose(func(r modelserver.Request) modelserver.Reply {
					first := r.Messages[0]
					switch inner := strings.Contains(textOf(first), "Read the module."); {
					case inner && !slices.ContainsFunc(r.Messages, answered):
						return read(p)
					case inner:
						return modelserver.Text("It is called demo.")
					case !slices.ContainsFunc(r.Messages, answered):
						return modelserver.Calls(agent)
					}
					return modelserver.Text(answer)
				})
			}, "What does this module do?"), Session{}, nil
		},
		"resumed": func(t *testing.T) (*Place, Session, []Line) {
			return claudePlace(t, func(p *Place) modelserver.Script {
				return modelserver.Sequence(read(p), modelserver.Text("It is called demo."), modelserver.Text(answer))
			}, "What is it called?", "What does this module do?"), Session{}, nil
		},
		"forked": func(t *testing.T) (*Place, Session, []Line) {
			p := claudePlace(t, func(p *Place) modelserver.Script {
				return modelserver.Sequence(read(p), modelserver.Text("It is called demo."), modelserver.Text(answer))
			}, "What is it called?")
			before := p.Sessions()
			p.Run(append([]string{"-p", "What does this module do?", "--resume", before[0].Path, "--fork-session"}, claudeFlags...)...)
			fork := slices.DeleteFunc(p.Sessions(), func(s Session) bool { return known(before, s.ID) })
			if len(fork) != 1 {
				t.Fatalf("made %d forks", len(fork))
			}
			return p, fork[0], nil
		},
		"rewound": func(t *testing.T) (*Place, Session, []Line) {
			p := claudePlace(t, func(p *Place) modelserver.Script {
				return modelserver.Sequence(read(p), modelserver.Text("It is called demo."), modelserver.Text("Nobody."), modelserver.Text(answer))
			}, "What is it called?", "Who wrote it?")
			s := p.Sessions()[0]
			at := p.uuidOf(s, "It is called demo.")
			p.Run(append([]string{"-p", "What does this module do?", "--resume", s.Path, "--resume-session-at", at}, claudeFlags...)...)
			return p, s, nil
		},
		"compacted": func(t *testing.T) (*Place, Session, []Line) {
			return claudePlace(t, func(p *Place) modelserver.Script {
				return modelserver.Sequence(read(p), modelserver.Text("It is called demo."),
					modelserver.Text("<summary>The module is called demo.</summary>"), modelserver.Text(answer))
			}, "What is it called?", "/compact", "What does this module do?"), Session{}, request
		},
		"compacted by itself": func(t *testing.T) (*Place, Session, []Line) {
			full := modelserver.Text("It is called demo.")
			full.Usage = &modelserver.Usage{Input: 995_000, Output: 10}
			return claudePlace(t, func(p *Place) modelserver.Script {
				return modelserver.Sequence(read(p), full,
					modelserver.Text("<summary>The module is called demo.</summary>"), modelserver.Text(answer))
			}, "What is it called?", "What does this module do?"), Session{}, request
		},
		"typed while it works": func(t *testing.T) (*Place, Session, []Line) {
			p := typing(t, "Look at the module too.", func(p *Place) modelserver.Script {
				return modelserver.Sequence(read(p), modelserver.Calls(p.Client.Runs("ls")), modelserver.Text(answer))
			})
			return p, Session{}, []Line{{Role: "user", Kind: "text", Text: "Look at the module too."}}
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s, kept := test(t)
			if s.Path == "" {
				s = p.Sessions()[0]
			}
			id := p.stored(s)
			sent := History(p.last(), true)
			body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
			r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
			if problem != nil {
				t.Fatalf("the body would be refused: %v", problem)
			}
			ours := History(r, true)
			for _, line := range kept {
				at := slices.Index(ours, line)
				if at < 0 {
					t.Fatalf("%q is not in the body", line.Text)
				}
				ours = slices.Delete(ours, at, at+1)
			}
			// What comes while the model works, the client sends in messages of role
			// system, in reminders, or within words of its own.
			sent = slices.DeleteFunc(sent, func(l Line) bool {
				return strings.HasPrefix(l.Text, "The user sent a new message while you were working:")
			})
			ours = slices.DeleteFunc(ours, func(l Line) bool {
				return l.Role == "user" && l.Kind == "text" && !slices.Contains(sent, l) &&
					slices.ContainsFunc(p.last().Messages, func(m modelserver.Message) bool {
						return m.Role != "assistant" && strings.Contains(textOf(m), l.Text)
					})
			})
			same(t, append(sent, Line{Role: "assistant", Kind: "text", Text: answer}), ours)
			whole(t, p, s, id)
		})
	}
}

// claudePlace has Claude Code hold a session of prompts with what the script
// answers.
func claudePlace(t *testing.T, script func(p *Place) modelserver.Script, prompts ...string) *Place {
	t.Helper()
	p := placed(t, ClaudeCode(), script)
	s, _ := p.Begin(prompts[0])
	for _, prompt := range prompts[1:] {
		p.Resume(s, prompt)
	}
	return p
}

// answered reports whether a message has results of calls.
func answered(m modelserver.Message) bool {
	return slices.ContainsFunc(m.Blocks, func(b modelserver.Block) bool { return b.Kind == modelserver.KindResult })
}

// textOf gives the texts of a message.
func textOf(m modelserver.Message) string {
	var all strings.Builder
	for _, b := range m.Blocks {
		all.WriteString(b.Text)
	}
	return all.String()
}

// uuidOf finds the line of a session that says a text.
func (p *Place) uuidOf(s Session, text string) string {
	p.tb.Helper()
	for line := range strings.Lines(p.read(s.Path)) {
		var l struct {
			Type string `json:"type"`
			UUID string `json:"uuid"`
		}
		if strings.Contains(line, text) && json.Unmarshal([]byte(line), &l) == nil && l.Type == "assistant" {
			return l.UUID
		}
	}
	p.tb.Fatalf("no line says %q", text)
	return ""
}

// typing has a session in which a person types a text when the model answers
// for the second time: Claude Code speaks in lines of JSON, as with programs
// that embed it.
func typing(t *testing.T, text string, script func(p *Place) modelserver.Script) *Place {
	t.Helper()
	said := func(text string) string {
		return `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
	}
	lines := make(chan string, 2)
	var asked atomic.Int32
	p := placed(t, ClaudeCode(), func(p *Place) modelserver.Script {
		answer := script(p)
		return func(r modelserver.Request) modelserver.Reply {
			reply := answer(r)
			if r.Main() {
				switch asked.Add(1) {
				case 2:
					lines <- said(text)
					reply.Delay = 10 * time.Second // it reads the line while it waits
				case 3:
					close(lines)
				}
			}
			return reply
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	args := append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, claudeFlags...)
	cmd := exec.CommandContext(ctx, p.Client.path(), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.environment(), time.Minute
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for line := range lines {
			_, _ = in.Write([]byte(line))
		}
		_ = in.Close()
	}()
	lines <- said("What does this module do?")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}
