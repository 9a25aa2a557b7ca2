package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/strategy"
)

// handles is a session with one of everything that may be open, and what came of
// what is not.
func handles(t *testing.T) *tenfold.Log {
	t.Helper()
	var list []tenfold.Entry
	add := func(id string, p tenfold.Payload) { list = append(list, tenfold.Entry{ID: id, Payload: p}) }
	call := func(id, name, arguments, result string) {
		add(id, tenfold.ToolCall{CallID: "call-" + id, Name: name, Arguments: arguments})
		if result != "" {
			add("", tenfold.ToolResult{CallID: "call-" + id, Parts: tenfold.Text(result)})
		}
	}
	long := strings.Repeat("a line that nobody needs\n", 300)
	add("", tenfold.TurnStart{})
	add("", tenfold.UserMessage{Parts: tenfold.Text("Serve the site and look after it.")})
	call("dead", "Read", `{"file_path":"gone.go"}`, "")
	call("server", "Bash", `{"command":"npm run dev","run_in_background":true}`, "Command running in background with ID: bash_1. Output is being written to: /tmp/1")
	call("ended", "Bash", `{"command":"npm test","run_in_background":true}`, "Command running in background with ID: bash_2. Output is being written to: /tmp/2")
	call("scout", "Task", `{"prompt":"Find the leak."}`, "Async agent launched successfully.\nagentId: a77f3 (internal)\nThe agent is working in the background.")
	call("done", "Task", `{"prompt":"Find the other."}`, "Async agent launched successfully.\nagentId: a99b1 (internal)\nThe agent is working in the background.")
	call("poll", "BashOutput", `{"bash_id":"bash_2"}`, "<status>completed</status>\n\n<exit_code>0</exit_code>")
	add("", tenfold.UserMessage{Purpose: tenfold.Notice, Parts: tenfold.Text("<task-notification>agent a99b1 completed</task-notification>")})
	call("old", "TodoWrite", `{"todos":[{"content":"serve","status":"pending"}]}`, "Todos have been modified.")
	call("todo", "TodoWrite", `{"todos":[{"content":"serve","status":"completed"},{"content":"look","status":"in_progress"}]}`, "Todos have been modified.")
	call("session", "exec_command", `{"cmd":"make"}`, "Chunk ID: 08278d\nWall time: 30.0 seconds\nProcess running with session ID 32402\nOutput:\nbuilding")
	call("wrote", "write_stdin", `{"session_id":32402,"chars":""}`, "Chunk ID: 1fe4a0\nWall time: 9.0 seconds\nProcess exited with code 0\nOutput:\nbuilt")
	call("watch", "exec_command", `{"cmd":"make watch"}`, "Chunk ID: 7cba13\nWall time: 30.0 seconds\nProcess running with session ID 15917\nOutput:\nwatching")
	find := func(id string, tools ...string) {
		var parts []tenfold.Part
		for _, name := range tools {
			parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: "tool_reference", Detail: `{"type":"tool_reference","tool_name":"` + name + `"}`}})
		}
		add(id, tenfold.ToolCall{CallID: "call-" + id, Name: "ToolSearch", Arguments: `{"query":"` + strings.Join(tools, " ") + `"}`})
		add("", tenfold.ToolResult{CallID: "call-" + id, Parts: parts})
	}
	find("found before", "WebFetch")
	find("found", "WebFetch", "Cron")
	call("read", "Read", `{"file_path":"a.go"}`, long)
	add("", tenfold.AssistantMessage{Text: long})
	add("", tenfold.TurnStart{})
	add("", tenfold.UserMessage{Parts: tenfold.Text("Now deploy it.")})
	call("skill", "Skill", `{"skill":"deploy"}`, "Base directory for this skill: /s. Deploy by hand, never on a Friday.")
	find("found now", "Sheet")
	call("more", "Read", `{"file_path":"b.go"}`, long)
	call("open", "Bash", `{"command":"./deploy"}`, "")
	call("asked", "Write", `{"file_path":"c.go","content":"c"}`, "")
	add("", tenfold.Approval{State: tenfold.ApprovalRequested, CallID: "call-asked"})
	l := tenfold.NewLog()
	if _, err := l.Append(list...); err != nil {
		t.Fatal(err)
	}
	return l
}

// V5: no strategy hides or shortens what is open; what has ended goes as ever.
func TestV5NoStrategyHidesOpenHandles(t *testing.T) {
	open := []string{"server", "scout", "watch", "todo", "found", "skill", "found now", "open", "asked"}
	closed := []string{"dead", "found before", "ended", "session", "done", "poll", "old", "read"}
	hidden := map[string]bool{}
	for _, name := range strategy.Names() {
		l := handles(t)
		p := tenfold.Project(l)
		s, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := s.(strategy.Fit); ok {
			f.Target = strategy.Tokens(900)
			s = f
		}
		o := able(tenfold.Range{ToTurn: l.Turns() - 1})
		made, err := strategy.Pipeline{s}.Plan(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		view := made.View()
		for _, id := range open {
			e, _ := l.Lookup(id)
			if fate, by, _ := view.Fate(e.Seq); fate != tenfold.Kept {
				t.Errorf("%s: %s is %v by %s: %v", name, id, fate, by, view.Why(e.Seq))
			}
			if pair := l.Pair(e.Seq); pair > 0 {
				fate, _, _ := view.Fate(pair)
				if fitted := name == "fit" && fate == tenfold.Trimmed; !fitted && fate != tenfold.Kept { // F4 may shorten it
					t.Errorf("%s: the result of %s is %v: %v", name, id, fate, view.Why(pair))
				}
			}
		}
		for _, id := range closed {
			e, _ := l.Lookup(id)
			fate, _, _ := view.Fate(e.Seq)
			result, _, _ := view.Fate(max(l.Pair(e.Seq), 1))
			hidden[id] = hidden[id] || fate != tenfold.Kept || result != tenfold.Kept
		}
		for _, f := range body.Profiles() {
			data, err := f.Write(view)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range f.Check(data) {
				t.Errorf("%s, %s: %s", name, f.Name, v)
			}
			if !strings.Contains(string(data), "bash_1") || !strings.Contains(string(data), "a77f3") {
				t.Errorf("%s, %s: a handle is lost", name, f.Name)
			}
		}
	}
	for _, id := range closed {
		if !hidden[id] {
			t.Errorf("%s is closed, and no strategy touches it", id)
		}
	}
}

// V5: what an overlay kept stays as it is when it ends: the next compaction takes it.
func TestV5WhatEndsGoesWithTheNextCompaction(t *testing.T) {
	l := handles(t)
	compact := func() *tenfold.Projection {
		made := plan(t, tenfold.Project(l), able(tenfold.Range{ToTurn: l.Turns() - 1}), "summarize")
		for _, c := range made.Compactions {
			if _, err := l.Append(tenfold.Entry{Payload: c}); err != nil {
				t.Fatal(err)
			}
		}
		return tenfold.Project(l)
	}
	server, _ := l.Lookup("server")
	compact()
	for _, p := range []tenfold.Payload{
		tenfold.ToolResult{CallID: "call-open", Parts: tenfold.Text("deployed")},
		tenfold.ToolResult{CallID: "call-asked", Parts: tenfold.Text("written")},
		tenfold.ToolCall{CallID: "kill", Name: "KillShell", Arguments: `{"shell_id":"bash_1"}`},
		tenfold.ToolResult{CallID: "kill", Parts: tenfold.Text("Successfully killed shell: bash_1")},
		tenfold.AssistantMessage{Text: strings.Repeat("It is deployed and the server is down. ", 50)},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	p := tenfold.Project(l)
	if fate, _, _ := p.Fate(server.Seq); fate != tenfold.Kept {
		t.Errorf("it ended, and the view changed: %v", fate)
	}
	if open, _ := l.Lookup("open"); p.Why(l.Pair(open.Seq)) != tenfold.ReasonOpen {
		t.Errorf("what the open call answered is shown because %v", p.Why(l.Pair(open.Seq)))
	}
	p = compact()
	if fate, _, _ := p.Fate(server.Seq); fate != tenfold.Summarised {
		t.Errorf("what ended before the compaction is %v", fate)
	}
}
