package clients

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/test/modelserver"
)

// plugged makes a place where Claude Code has the plug-in, as "tenfold install"
// writes it.
func plugged(t *testing.T, script func(p *Place) modelserver.Script) *Place {
	t.Helper()
	p := placed(t, ClaudeCode(), script)
	p.tenfold("install", "claude-code")
	p.patient(p.pluginFile())
	t.Cleanup(func() {
		if failures, err := os.ReadFile(filepath.Join(p.data(), "tenfold", "failures.jsonl")); err == nil && t.Failed() {
			t.Logf("failures recorded: %s", failures)
		}
	})
	return p
}

// pluginFile is the plug-in's own.
func (p *Place) pluginFile() string {
	return filepath.Join(p.Home, ".claude", "skills", "tenfold", "hooks", "tenfold.js")
}

// talk holds one session without a break: each prompt comes when the answer to
// the one before has come. It gives what was printed.
func (p *Place) talk(prompts ...string) string {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.tb.Context(), wait)
	defer cancel()
	args := append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, claudeFlags...)
	cmd := exec.CommandContext(ctx, p.Client.path(), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.environment(), time.Minute
	in, err := cmd.StdinPipe()
	if err != nil {
		p.tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.tb.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	var all strings.Builder
	lines := bufio.NewReader(out)
	for _, prompt := range prompts {
		if err := json.MarshalWrite(in, map[string]any{"type": "user", "message": map[string]any{
			"role": "user", "content": []any{map[string]string{"type": "text", "text": prompt}},
		}}); err != nil {
			p.tb.Fatal(err)
		}
		_, _ = in.Write([]byte("\n"))
		for {
			line, err := lines.ReadString('\n')
			all.WriteString(line)
			if err != nil {
				p.tb.Fatalf("%q was not answered: %v\n%s", prompt, err, all.String())
			}
			if strings.HasPrefix(line, `{"`) && strings.Contains(line, `"type":"result"`) {
				break
			}
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		p.tb.Fatalf("%v\n%s", err, all.String())
	}
	return all.String()
}

// step is a response that runs a command with some output.
func step(p *Place, n int) modelserver.Reply {
	return modelserver.Thinking(fmt.Sprintf("Step %d.", n), modelserver.Saying(fmt.Sprintf("I count for the time %d.", n),
		modelserver.Calls(p.Client.Runs(fmt.Sprintf("seq %d %d", 1000*n, 1000*n+300)))))
}

// steps are several, and an answer.
func steps(p *Place, from, to int, answer string) []modelserver.Reply {
	var all []modelserver.Reply
	for n := from; n <= to; n++ {
		all = append(all, step(p, n))
	}
	return append(all, modelserver.Thinking("Enough.", modelserver.Text(answer)))
}

// bigSteps are steps with so much output that nine of them fill a window of
// [smallWindow] tokens, and an answer.
func bigSteps(p *Place, to int, answer string) []modelserver.Reply {
	all := steps(p, 1, to, answer)
	for n := 1; n <= to; n++ {
		all[n-1] = modelserver.Thinking("Hm.", modelserver.Saying(fmt.Sprintf("I count far for the time %d.", n),
			modelserver.Calls(p.Client.Runs(fmt.Sprintf("seq %d %d", 10_000*n, 10_000*n+4200)))))
	}
	return all
}

// smallWindow is the smallest window that Claude Code lets itself be told.
const smallWindow = "100000"

// heading is what stands before a view: a line for the person, how far the view
// goes, and the note.
var heading = regexp.MustCompile(`^Tenfold: [^\n]*tokens, [^\n]*undo: tenfold conversation undo ([^\n]*)\n\[The \d+ messages below replace the conversation up to here\.\]\n?`)

// unheaded gives a history without the heading, but with the note, and how many
// headings there were.
func unheaded(lines []Line) (rest []Line, headings int) {
	for _, l := range lines {
		if at := heading.FindString(l.Text); at != "" && l.Role == "user" {
			headings++
			if l.Text = strings.TrimSpace(l.Text[len(at):]); l.Text == "" {
				continue
			}
		}
		rest = append(rest, l)
	}
	return rest, headings
}

// shows holds that the last request that was sent is our view of what Claude Code
// keeps, the model's answer to it aside; and gives the conversation.
func shows(t *testing.T, p *Place, s Session, answer string) string {
	t.Helper()
	sent, headings := unheaded(History(p.last(), false))
	if headings != 1 {
		t.Errorf("the request has %d headings", headings)
	}
	if !slices.ContainsFunc(sent, func(l Line) bool { return tenfold.IsNote(l.Text) }) {
		t.Error("the request has no note (P5a)")
	}
	id := p.stored(s)
	body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
	r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	same(t, append(sent, Line{Role: "assistant", Kind: "text", Text: answer}), History(r, false))
	return id
}

// nothingLost holds that the conversation in the store says all that the model was
// ever sent, when the compactions are undone (C7).
func nothingLost(t *testing.T, p *Place, id string, said ...string) {
	t.Helper()
	p.tenfold("conversation", "undo", id, "--all")
	body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic")
	r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	lines := History(r, false)
	for _, want := range said {
		if n := len(slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !strings.Contains(l.Text, want) })); n != 1 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !heading.MatchString(l.Text) })); n != 0 {
		t.Errorf("the log has %d headings", n)
	}
}

// TestPluginClaudeCode holds that Claude Code with the plug-in goes on from our
// view, wherever it compacts (live.md §6).
func TestPluginClaudeCode(t *testing.T) {
	const answer, more = "I counted.", "I counted more."
	t.Run("manual", func(t *testing.T) {
		t.Parallel()
		p := plugged(t, func(p *Place) modelserver.Script {
			return modelserver.Sequence(slices.Concat(steps(p, 1, 6, answer), steps(p, 7, 8, more), steps(p, 9, 12, answer), steps(p, 13, 13, more))...)
		})
		p.talk("Count with care.", "/compact keep the numbers", "Count more.", "And again.", "/compact", "The last time.")
		s := p.Sessions()[0]
		id := shows(t, p, s, more)
		// The file stays readable by the client: what it resumes is the same.
		before, _ := unheaded(History(p.last(), false))
		p.Resume(s, prompt)
		after, _ := unheaded(History(p.last(), false))
		same(t, append(before, Line{Role: "assistant", Kind: "text", Text: more}, Line{Role: "user", Kind: "text", Text: prompt}), after)
		for _, r := range p.Server.Main() {
			if strings.Contains(string(r.Body), "CRITICAL: Respond with TEXT ONLY") {
				t.Error("Claude Code asked for a summary of its own")
			}
		}
		nothingLost(t, p, id, "Count with care.", "Count more.", "And again.", "The last time.", "\n1299\n", "\n7299\n", "\n13150\n")
	})
	t.Run("in the middle of a turn", func(t *testing.T) {
		t.Parallel()
		p := plugged(t, func(p *Place) modelserver.Script {
			return modelserver.Sequence(bigSteps(p, 9, answer)...)
		})
		p.extra = []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=" + smallWindow}
		p.talk("Count with care.")
		p.wentOn(t, 10)
		id := shows(t, p, p.Sessions()[0], answer)
		nothingLost(t, p, id, "Count with care.", "\n10299\n", "\n60299\n", "\n90299\n")
	})
	t.Run("a sub-agent", func(t *testing.T) {
		t.Parallel()
		p := plugged(t, func(p *Place) modelserver.Script {
			agent, main := modelserver.Sequence(bigSteps(p, 9, "The agent counted.")...), modelserver.Sequence(
				modelserver.Calls(call("Agent", map[string]any{"description": "Count", "prompt": "Count for me.", "subagent_type": "general-purpose", "run_in_background": false})),
				modelserver.Text(answer),
			)
			return func(r modelserver.Request) modelserver.Reply {
				if ofAgent(r) {
					return agent(r)
				}
				return main(r)
			}
		})
		p.extra = []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=" + smallWindow}
		p.talk("Have it counted.")
		var inner []modelserver.Request
		for _, r := range p.Server.Main() {
			if ofAgent(r) {
				inner = append(inner, r)
			}
		}
		p.last() // reports refusals
		sent, headings := unheaded(History(inner[len(inner)-1], false))
		shrunk := false
		for i := 1; i < len(inner); i++ {
			shrunk = shrunk || 4*len(inner[i].Body) < 3*len(inner[i-1].Body)
		}
		if headings != 1 || !shrunk {
			t.Errorf("the agent's last request has %d headings, one was shortened: %v: %v", headings, shrunk, shown(sent))
		}
		files, _ := filepath.Glob(filepath.Join(strings.TrimSuffix(p.Sessions()[0].Path, ".jsonl"), "subagents", "agent-*.jsonl"))
		if len(files) != 1 {
			t.Fatalf("there are %d files of sub-agents", len(files))
		}
		id := p.stored(Session{Path: files[0]})
		nothingLost(t, p, id, "Count for me.", "\n10299\n", "\n60299\n", "\n90299\n")
	})
}

// wentOn holds that the agent took all of so many answers without a word from the
// person in between, and that each request but the first of an epoch reads from the
// provider's cache all that the one before left there (V1): two faults of peers, who
// leave the agent waiting after a compaction, or pay for the whole view each time.
func (p *Place) wentOn(t *testing.T, answers int) {
	t.Helper()
	main := p.Server.Main()
	if len(main) != answers {
		t.Errorf("there are %d requests for %d answers", len(main), answers)
	}
	all := epochs(main)
	if len(all) < 2 || len(all) > 3 {
		t.Errorf("%d epochs of %d requests", len(all), len(main))
	}
	for _, epoch := range all {
		for i := 1; i < len(epoch); i++ {
			if had := epoch[i-1].Usage; epoch[i].Usage.CacheRead < had.CacheRead+had.CacheWrite {
				t.Errorf("request %d reads %d tokens from the cache, not %d", epoch[i].N, epoch[i].Usage.CacheRead, had.CacheRead+had.CacheWrite)
			}
		}
	}
}

// ofAgent reports whether a request is a sub-agent's.
func ofAgent(r modelserver.Request) bool {
	return len(r.Messages) > 0 && slices.ContainsFunc(r.Messages[:1], func(m modelserver.Message) bool { return strings.Contains(textOf(m), "Count for me.") })
}

// TestPluginClaudeCodeFails holds V7: whatever happens to us, Claude Code compacts
// as it does without the plug-in.
func TestPluginClaudeCodeFails(t *testing.T) {
	const summary = "<summary>The module was counted.</summary>"
	script := func(text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			name := filepath.Join(t.TempDir(), "tenfold")
			if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			return name
		}
	}
	tests := map[string]func(t *testing.T) string{
		"garbage":         script(`echo not JSON`),
		"nothing":         script(`echo '{}'`),
		"nothing at all":  script(``),
		"another shape":   script(`echo '{"messages":[{"keep":4711}]}'`),
		"no list":         script(`echo '{"messages":"all"}'`),
		"exit 1":          script(`echo '{"messages":[{"role":"user","text":"x"}]}'; exit 1`),
		"a crash":         script(`kill -SEGV $$`),
		"too much output": script(`head -c 6000000 /dev/zero`),
		"too slow":        script(`exec sleep 60`),
		"missing":         func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "gone") },
	}
	for name, program := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plugged(t, func(p *Place) modelserver.Script {
				// Without thinking: what Claude Code itself keeps of it is refused.
				return modelserver.Sequence(modelserver.Calls(p.Client.Runs("seq 1 300")), modelserver.Text("I counted."), modelserver.Text(summary), modelserver.Text("Good."))
			})
			hasty(t, p, program(t))
			p.talk("Count with care.", "/compact", "Go on.")
			last := History(p.last(), false)
			if !slices.ContainsFunc(last, func(l Line) bool { return strings.Contains(l.Text, "The module was counted.") }) {
				t.Errorf("Claude Code goes on from something else than its summary: %v", shown(last))
			}
		})
	}
}

// hasty has the plug-in run another program, wait for it no longer than half a
// second, and find no other.
func hasty(t *testing.T, p *Place, program string) {
	t.Helper()
	text := p.read(p.pluginFile())
	for old, changed := range map[string]string{`const limit = ` + strconv.FormatInt(wait.Milliseconds(), 10): `const limit = 500`, `const programs = [`: `const programs = ["` + program + `"] //`} {
		if !strings.Contains(text, old) {
			t.Fatalf("the plug-in has no %q", old)
		}
		text = strings.Replace(text, old, changed, 1)
	}
	p.Write(p.pluginFile(), text)
}
