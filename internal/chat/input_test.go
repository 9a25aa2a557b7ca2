package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tenfold"
	"tenfold/agent"
)

// New lines come with Shift-Enter, Alt-Enter, or a backslash before Enter.
func TestNewLines(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.write("one")
	b.press("shift+enter")
	b.write("two")
	b.press("alt+enter")
	b.enter(`three\`)
	b.enter("four")
	b.settle()
	if want := []string{"one\ntwo\nthree\nfour"}; !slices.Equal(b.agent.asked, want) {
		t.Errorf("asked %q", b.agent.asked)
	}
	b.wants(b.written(), "> one\n  two\n  three\n  four")
	b.enter("   ")
	if len(b.agent.asked) != 1 {
		t.Error("nothing was sent")
	}
}

// A short paste is text; a long one, or one with tabs or control characters, is
// folded, sent whole, and deleted whole.
func TestPastes(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	for _, tt := range []struct{ text, shown string }{
		{"short\r\ntwo", "short\ntwo"},
		{"a\tb", "[pasted 1: 1 line, 3 bytes]"},
		{"\x1b[2J", "[pasted 2: 1 line, 4 bytes]"},
		{strings.Repeat("l\r", 7), "[pasted 3: 8 lines, 14 bytes]"},
		{"[pasted 1: 1 line, 3 bytes]", "[pasted 1: 1 line, 3 bytes]"},
	} {
		b.input.set("")
		b.handle(tea.PasteMsg{Content: tt.text})
		if got := b.input.value(); got != tt.shown {
			t.Errorf("%q is %q", tt.text, got)
		}
	}
	b.input.set("")
	b.write("see ")
	b.handle(tea.PasteMsg{Content: "x\ty"})
	b.press("backspace")
	if got := b.input.value(); got != "see " {
		t.Errorf("%q is left", got)
	}
	b.handle(tea.PasteMsg{Content: strings.Repeat("z", shortPaste+1) + "\xff"})
	b.press("enter")
	b.settle()
	if want := []string{"see " + strings.Repeat("z", shortPaste+1) + "\uFFFD"}; !slices.Equal(b.agent.asked, want) {
		t.Errorf("asked %q", b.agent.asked)
	}
	b.wants(b.written(), "> see [pasted 5: 1 line, 604 bytes]")
	b.lacks(b.written(), "zzz")
	b.handle(tea.PasteMsg{Content: strings.Repeat("z", mostPaste+1)})
	if b.input.value() != "" {
		t.Error("a paste of any size is taken")
	}
}

// The keys go through what was entered before, and back to what was being written.
func TestHistoryKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	for _, text := range []string{"one", "two", "two", " secret", "/help"} {
		b.enter(text)
		b.settle()
	}
	b.write("draft")
	var seen []string
	for _, k := range []string{"up", "up", "up", "up", "down", "down", "down", "down"} {
		b.press(k)
		seen = append(seen, b.input.value())
	}
	if want := []string{"/help", "two", "one", "one", "two", "/help", "draft", "draft"}; !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
	b.input.set("one\ntwo")
	b.press("up") // within the text
	if b.input.value() != "one\ntwo" {
		t.Errorf("%q", b.input.value())
	}
	wrapped := strings.Repeat("word ", 25) + "end" // on two rows
	b.input.set(wrapped)
	b.press("up")
	if b.input.value() != wrapped || b.input.area.LineInfo().RowOffset != 0 {
		t.Errorf("%q, on row %d", b.input.value(), b.input.area.LineInfo().RowOffset)
	}
	b.press("down")
	if b.input.value() != wrapped || b.input.area.LineInfo().RowOffset != 1 {
		t.Errorf("%q, on row %d", b.input.value(), b.input.area.LineInfo().RowOffset)
	}
	b.press("up", "up")
	if b.input.value() != "/help" {
		t.Errorf("%q", b.input.value())
	}
}

// The history's file is the person's alone, survives what is not a history, and is
// bounded.
func TestHistoryFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "history")
	b := newBench(t, Options{History: file})
	b.enter("one")
	b.settle()
	b.handle(tea.PasteMsg{Content: "a\tb"})
	b.press("enter")
	b.settle()
	b.enter(strings.Repeat("x", 100))
	b.settle()
	b.input.set(strings.Repeat("y", mostEntry+1))
	b.press("enter")
	b.settle()
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Fatal(info.Mode(), err)
	}
	text, err := os.ReadFile(file)
	if want := fmt.Sprintf("%q\n%q\n", "one", strings.Repeat("x", 100)); err != nil || string(text) != want {
		t.Fatalf("%q, %v", text, err)
	}
	var long strings.Builder
	long.WriteString("{}\nno JSON\n\"\"\n\xff\n")
	for i := range 2*mostHistory + 10 {
		fmt.Fprintf(&long, "%q\n", fmt.Sprintf("entry %d", i))
	}
	if err := os.WriteFile(file, []byte(long.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h := history{file: file}
		h.load()
		if len(h.entries) != mostHistory || h.entries[0] != "entry 1010" || h.at != mostHistory {
			t.Fatalf("%d entries from %q", len(h.entries), h.entries[0])
		}
	}
	if text, err = os.ReadFile(file); err != nil || strings.Count(string(text), "\n") != mostHistory {
		t.Fatalf("%d lines, %v", strings.Count(string(text), "\n"), err)
	}
	none := history{}
	none.load()
	none.add("x")
	if got, ok := none.move(-1, ""); !ok || got != "x" {
		t.Error("without a file there is no history")
	}
	for range mostHistory + 5 {
		none.add(fmt.Sprint(len(none.entries), "-", none.at, none.entries[0]))
		none.add("between")
	}
	if len(none.entries) > mostHistory {
		t.Errorf("%d entries", len(none.entries))
	}
}

// A command that is not known names the nearest; a path is not a command.
func TestUnknownCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.enter("/contxt")
	b.wants(b.below(), "unknown command: did you mean /context?")
	b.input.set("")
	b.enter("/zzzzzzzzz x")
	b.wants(b.below(), "unknown command: /help lists them")
	b.input.set("")
	if len(b.agent.asked) > 0 {
		t.Fatalf("asked %q", b.agent.asked)
	}
	b.enter("/usr/bin/env is missing")
	b.settle()
	if len(b.agent.asked) != 1 {
		t.Errorf("asked %q", b.agent.asked)
	}
	b.enter("/help")
	for _, c := range commands() {
		b.wants(b.written(), c.name, c.help)
	}
}

// Commands, models and files are completed.
func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"main.go", "docs/guide.md", ".git/config", "node_modules/m/main.go", "a b.txt", "evil\x1b[2J.go"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), nil, 0o644)); err != nil {
			t.Skip(err)
		}
	}
	b := newBench(t, Options{Dir: dir, Models: []string{"a/one", "b/two"}})
	b.write("/co")
	b.wants(b.below(), "▸ /compact\n    /context")
	b.press("down", "tab")
	if got := b.input.value(); got != "/context " {
		t.Errorf("%q", got)
	}
	b.input.set("")
	b.write("/")
	b.wants(b.below(), "▸ /compact", "more")
	for range len(commands()) - 1 {
		b.press("down")
	}
	b.wants(b.below(), "▸ /quit")
	b.press("down")
	b.wants(b.below(), "▸ /compact")
	b.press("up", "esc")
	b.lacks(b.below(), "▸")
	b.input.set("")
	b.write("/model tw")
	b.press("tab")
	if got := b.input.value(); got != "/model b/two " {
		t.Errorf("%q", got)
	}
	b.input.set("")
	b.write("see @gui")
	b.wants(b.below(), "▸ docs/guide.md")
	b.press("enter")
	if got := b.input.value(); got != "see @docs/guide.md " || len(b.agent.asked) > 0 {
		t.Errorf("%q, asked %q", got, b.agent.asked)
	}
	b.write("@m")
	b.lacks(b.below(), "node_modules", "evil", ".git")
	b.wants(b.below(), "main.go")
}

// The list of files does not leave the workspace, and is bounded.
func TestFilesAreConfined(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(outside, "secret"), nil, 0o644), os.WriteFile(filepath.Join(dir, "file"), nil, 0o644),
		os.Mkdir(filepath.Join(dir, ".hidden"), 0o755), os.WriteFile(filepath.Join(dir, ".hidden", "file"), nil, 0o644),
		os.Symlink(outside, filepath.Join(dir, "link")), os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "alias")),
	); err != nil {
		t.Skip(err)
	}
	if got := listFiles(dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("%q", got)
	}
	if got := listFiles(filepath.Join(dir, "none")); got != nil {
		t.Errorf("%q", got)
	}
}

// The nearest matches come first.
func TestRank(t *testing.T) {
	t.Parallel()
	names := []string{"x/a_main.go", "main/x.go", "x/main.go", "m/a/i/n.go", "other"}
	if got, want := bestMatches(names, "Main", 9), []string{"x/main.go", "main/x.go", "x/a_main.go"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := bestMatches(names, "", 2); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// /model shows and changes the model, /new begins another conversation.
func TestModelAndNew(t *testing.T) {
	t.Parallel()
	var chosen []string
	b := newBench(t, Options{Model: "a/one", Models: []string{"a/one", "b/two"}, Switch: func(_ context.Context, _ Agent, name string) error {
		chosen = append(chosen, name)
		return nil
	}})
	first := b.agent
	b.enter("/model")
	b.wants(b.written(), "The model is a/one.", "Others: b/two")
	b.lacks(b.written(), "Others: a/one")
	b.write("/model b/two")
	b.press("enter")
	b.settle()
	b.wants(b.written(), "The model is b/two now.")
	b.wants(b.below(), "b/two")
	if !slices.Equal(chosen, []string{"b/two"}) {
		t.Errorf("chose %q", chosen)
	}
	open := b.o.Open
	b.o.Open = func(ctx context.Context, fresh bool, a agent.Approver, warn func(string)) (Agent, error) {
		warn("mcp x: it did not start\x1b[2J")
		return open(ctx, fresh, a, warn)
	}
	b.enter("/new")
	b.settle()
	b.wants(b.written(), "! mcp x: it did not start\\x1b[2J\n", "A new conversation. The old one is kept")
	b.enter("hello")
	b.settle()
	if len(first.asked) > 0 || !slices.Equal(b.agent.asked, []string{"hello"}) {
		t.Errorf("asked %q, %q", first.asked, b.agent.asked)
	}
}

// /context, /why, /undo and /redo say what the conversation's log says.
func TestCompactionCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.enter("/undo")
	b.settle()
	b.enter("/redo")
	b.settle()
	b.enter("/why")
	b.wants(b.written(), "No compaction to undo.", "No compaction to redo.", "Nothing is compacted.")
	s := b.agent.session
	if err := s.Append(
		t.Context(),
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("read the file")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "1", Name: "fs_read_file", Arguments: `{"path":"a.go"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.Repeat("package a\n", 500))}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Done."}},
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("thanks")}},
		tenfold.Entry{Payload: tenfold.Compaction{
			FromTurn: 0, ToTurn: 0, Strategy: "test\x1b[2J", Reason: "to see", ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true},
		}},
	); err != nil {
		t.Fatal(err)
	}
	b.enter("/context")
	b.wants(b.written(), "What the next request takes", "user messages", "tool results", "all of it", " tokens of the log are hidden. Nothing of it is lost.")
	b.resize(40, 24)
	b.screen.queue = nil
	b.enter("/context") // a line for each row, on a narrow terminal too
	if rows := regexp.MustCompile(`(?m)^  (system prompt and tools|user messages|tool calls|tool results) +[\d,]+ +\d+ %`).FindAllString(b.written(), -1); len(rows) < 3 {
		t.Errorf("%d rows in\n%s", len(rows), b.written())
	}
	b.resize(80, 24)
	b.enter("/why")
	b.wants(b.written(), "The newest compaction: turn 0", `tools, test\x1b[2J: to see`, "stripped", "kept")
	b.enter("/why 4")
	b.wants(b.written(), "Entry 4: tool result, turn 0, step 0\n  stripped: ", "token")
	b.enter("/why 99")
	b.wants(b.below(), "no such entry: entries are 1 to 8")
	b.enter("/why x")
	b.wants(b.below(), "no such entry")
	b.enter("/why 1")
	b.wants(b.written(), "Entry 1: turn start, turn 0, step 0\n  kept: no model sees it")
	before := s.Projection().Tokens()
	b.enter("/undo")
	b.settle()
	b.wants(b.written(), "Undone: 1 overlay")
	if s.Projection().Tokens() <= before {
		t.Error("nothing is undone")
	}
	b.enter("/redo")
	b.settle()
	b.wants(b.written(), "Applied again: 1 overlay")
	if s.Projection().Tokens() != before {
		t.Error("nothing is applied again")
	}
}

// A conversation that goes on begins with where it stopped.
func TestGreeting(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Model: "a/one"})
	if err := b.agent.session.Append(
		t.Context(),
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("what is this?")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "A test.\n\nOf it.\x1b[2J"}},
		// As --resume has it of another agent's session: nobody said it.
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("the tools are other ones"), Purpose: tenfold.Context, Synthetic: true}},
	); err != nil {
		t.Fatal(err)
	}
	b.showGreeting()
	b.wants(b.written(), "● Tenfold, a/one\n", "Continuing a test: 1 turn.\n\n> what is this?\n\n  A test.\n\n  Of it.\\x1b[2J")
}
