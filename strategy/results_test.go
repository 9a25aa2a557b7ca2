package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

func TestS4StripAttachments(t *testing.T) {
	l := tenfold.NewLog()
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.UserMessage{
		Parts: tenfold.Text("look"), Attachments: []tenfold.Attachment{
			{Name: "small.md", Content: strings.Repeat("x", 100)}, {Name: "big.md", Content: strings.Repeat("x", 101)},
		},
	}}); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	tests := []struct {
		strategy string
		left     int // attachments
	}{
		{"strip-attachments", 0},
		{"strip-attachments:over=100", 1},
		{"strip-attachments:over=101", 2},
	}
	for _, tt := range tests {
		made := plan(t, p, strategy.Options{}, tt.strategy)
		for it := range made.View().Items() {
			m := it.Payload.(tenfold.UserMessage)
			if len(m.Attachments) != tt.left {
				t.Errorf("%s leaves %d attachments, want %d", tt.strategy, len(m.Attachments), tt.left)
			}
		}
		if nothing := made.Nothing != ""; nothing != (tt.left == 2) {
			t.Errorf("%s: nothing to do: %q", tt.strategy, made.Nothing)
		}
	}
}

func TestS5PruneTools(t *testing.T) {
	define := func(names ...string) tenfold.Entry {
		var tools []tenfold.ToolDefinition
		for _, name := range names {
			tools = append(tools, tenfold.ToolDefinition{Name: name, Description: strings.Repeat("does things ", 20)})
		}
		return tenfold.Entry{Payload: tenfold.ConfigDelta{Tools: &tools}}
	}
	left := func(p *tenfold.Projection) string {
		var names []string
		for _, d := range p.Config().Tools {
			names = append(names, d.Name)
		}
		return strings.Join(names, " ")
	}
	l := script(t, "t", "u do", "c 1 Read {}", "r 1 x")
	if _, err := l.Append(define("Read", "Write", "recall", "Bash"), tenfold.Entry{Branch: "s", Payload: tenfold.ToolCall{Name: "Bash"}}); err != nil {
		t.Fatal(err)
	}
	step := func(strategyText, want string, nothing bool) {
		t.Helper()
		made := plan(t, tenfold.Project(l), strategy.Options{}, strategyText)
		if got := left(made.View()); got != want || (made.Nothing != "") != nothing {
			t.Errorf("%s leaves %q, want %q; nothing: %q", strategyText, got, want, made.Nothing)
		}
		apply(t, l, made)
	}
	step("prune-tools:keep=", "Read Bash", false)
	step("prune-tools", "Read recall Bash", false) // what may be called stays from here on
	step("prune-tools", "Read recall Bash", true)
	// A tool that was called since comes back, a new one that was not goes.
	extend(t, l, "c 2 Write {}", "r 2 x")
	if _, err := l.Append(define("Read", "Write", "recall", "Bash", "Glob")); err != nil {
		t.Fatal(err)
	}
	step("prune-tools", "Read Write recall Bash", false)
	step("prune-tools", "Read Write recall Bash", true)
}

func TestS10Micro(t *testing.T) {
	const stub = "[Previous: used Read]"
	four := []string{"t", "u do", "c 1 Read {}", "r 1 *801", "c 2 Read {}", "r 2 *800", "c 3 Skill {}", "r 3 *900", "c 4 Read {}", "r 4 *900"}
	runWindows(t, []windowCase{
		{
			name: "older and larger, not exempt", strategy: "micro:keep_recent=1", lines: four,
			want: "u do | c 1 {} | r 1 " + stub + " | c 2 {} | r 2 words an…800 | c 3 {} | r 3 words an…900 | c 4 {} | r 4 words an…900",
		},
		{
			name: "all are new", strategy: "micro:keep_recent=4", lines: four, nothing: true, note: "older than the newest 4 and larger than 800 bytes",
			want: "u do | c 1 {} | r 1 words an…801 | c 2 {} | r 2 words an…800 | c 3 {} | r 3 words an…900 | c 4 {} | r 4 words an…900",
		},
		{
			name: "the fourth newest is cleared", strategy: "micro:keep_recent=3", lines: four,
			want: "u do | c 1 {} | r 1 " + stub + " | c 2 {} | r 2 words an…800 | c 3 {} | r 3 words an…900 | c 4 {} | r 4 words an…900",
		},
		{
			name: "other exemptions", strategy: "micro:keep_recent=0,over=100,exempt=Read+Glob", lines: four,
			want: "u do | c 1 {} | r 1 words an…801 | c 2 {} | r 2 words an…800 | c 3 {} | r 3 [Previous: used Skill] | c 4 {} | r 4 words an…900",
		},
		{
			name: "no exemptions", strategy: "micro:keep_recent=1,exempt=", lines: four,
			want: "u do | c 1 {} | r 1 " + stub + " | c 2 {} | r 2 words an…800 | c 3 {} | r 3 [Previous: used Skill] | c 4 {} | r 4 words an…900",
		},
		{
			name: "ids are used again", strategy: "micro:keep_recent=1", lines: []string{"t", "u do", "c 1 Read {}", "r 1 *900", "c 1 Read {}", "r 1 *900"},
			want: "u do | c 1 {} | r 1 " + stub + " | c 1 {} | r 1 words an…900",
		},
		{
			name: "not past the range", strategy: "micro:keep_recent=0", span: tenfold.Range{ToTurn: 1, ToStep: step(0)},
			lines: []string{"t", "u a", "c 1 Read {}", "r 1 *900", "t", "u b", "c 2 Read {}", "r 2 *900", "c 3 Read {}", "r 3 *900"},
			want:  "u a | c 1 {} | r 1 " + stub + " | u b | c 2 {} | r 2 " + stub + " | c 3 {} | r 3 words an…900",
		},
		{
			name: "not for crumbs", strategy: "micro:keep_recent=1,clear_at_least=300", lines: four, nothing: true, note: "less than 300",
			want: "u do | c 1 {} | r 1 words an…801 | c 2 {} | r 2 words an…800 | c 3 {} | r 3 words an…900 | c 4 {} | r 4 words an…900",
		},
		{
			name: "tools of Claude Code are exempt", strategy: "micro:keep_recent=0", nothing: true, lines: []string{"t", "u do", "c 1 AskUserQuestion {}", "r 1 *900"},
			want: "u do | c 1 {} | r 1 words an…900",
		},
		{
			name: "arguments stay stripped", strategy: "micro:keep_recent=0", lines: []string{"t", "u do", `c 1 Read {"path":"*900"}`, "r 1 *900"},
			overlays: []tenfold.Compaction{{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true}}},
			want:     "u do | c 1 {} | r 1 " + stub,
		},
		{
			name: "what is a stub stays one", strategy: "micro:keep_recent=0", nothing: true, lines: []string{"t", "u do", "c 1 Read {}", "r 1 *900"},
			overlays: []tenfold.Compaction{{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}},
			want:     "u do | c 1 {} | r 1 [compacted] Read: done",
		},
	})
}

// Moving the boundary names what it clears and nothing it cleared before.
func TestS10BoundaryMoves(t *testing.T) {
	l := script(t, "t", "u do")
	for i := range 30 {
		id := string(rune('a' + i))
		extend(t, l, "c "+id+" Read {}", "r "+id+" *900")
		made := plan(t, tenfold.Project(l), strategy.Options{}, "micro")
		if i < 10 {
			if made.Nothing == "" {
				t.Fatalf("%d results: %v", i+1, made.Compactions)
			}
			continue
		}
		if len(made.Compactions) != 1 || named(made.Compactions[0]) != 1 || made.Steps[0].Entries != 1 {
			t.Fatalf("%d results: %+v", i+1, made.Compactions)
		}
		apply(t, l, made)
	}
	if made := plan(t, tenfold.Project(l), strategy.Options{}, "micro"); made.Nothing == "" {
		t.Errorf("again: %+v", made.Compactions)
	}
}

// named counts the calls that a selective policy names.
func named(c tenfold.Compaction) int {
	n := len(c.ToolCalls.Calls)
	for _, g := range c.ToolCalls.Groups {
		n += len(g.Entries)
	}
	return n
}

// H1, P5: a tool's own wish to keep its results beats clearing them; a pin
// beats everything, and is not named again and again.
func TestP5HintsAndPins(t *testing.T) {
	l := script(t, "t", "u do", "c 1 Read {}", "r 1 *9000", "c 2 Grep {}", "r 2 *9000")
	hints := tool.Hints{"Read": {Response: tenfold.Keep}}
	no := false
	task := script(t, "t", "u do", "c 1 Task {}", "r 1 *9000")
	for _, text := range []string{"micro:keep_recent=0", "trim-results"} {
		if made := plan(t, tenfold.Project(task), strategy.Options{Hints: hints}, text); made.Nothing == "" {
			t.Errorf("%s of an exempt tool: %+v", text, made.Compactions)
		}
		settings := tool.Settings{"Task": {Exempt: &no}}
		if made := plan(t, tenfold.Project(task), strategy.Options{Hints: hints, Tools: settings}, text); made.Nothing != "" {
			t.Errorf("%s of a tool exempt no more: %s", text, made.Nothing)
		}
		made := plan(t, tenfold.Project(l), strategy.Options{Hints: hints}, text)
		if len(made.Compactions) != 1 || named(made.Compactions[0]) != 1 {
			t.Errorf("%s: %+v", text, made.Compactions)
		}
	}
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.Pin{Entries: []string{"e6"}}}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"micro:keep_recent=0", "trim-results"} {
		if made := plan(t, tenfold.Project(l), strategy.Options{Hints: hints}, text); made.Nothing == "" {
			t.Errorf("%s: %+v", text, made.Compactions)
		}
	}
}

func TestTrimResults(t *testing.T) {
	l := script(t, "t", "u do", "c 1 Read {}", "r 1 *2048", "c 2 Read {}", "r 2 *2049", "c 3 Read {}", "r 3 *5000")
	made := plan(t, tenfold.Project(l), strategy.Options{}, "trim-results:head=100,tail=50,over=2KB")
	for seq, want := range map[int64]tenfold.Fate{4: tenfold.Kept, 6: tenfold.Trimmed, 8: tenfold.Trimmed} {
		if f, _, _ := made.View().Fate(seq); f != want {
			t.Errorf("entry %d is %s, want %s", seq, f, want)
		}
	}
	apply(t, l, made)
	if again := plan(t, tenfold.Project(l), strategy.Options{}, "trim-results:head=100,tail=50,over=2KB"); again.Nothing == "" {
		t.Errorf("again: %+v", again.Compactions)
	}
	// Clearing goes on from a trim, and is not undone by one.
	both := plan(t, tenfold.Project(l), strategy.Options{}, "micro:keep_recent=0", "trim-results")
	if f, _, _ := both.View().Fate(8); f != tenfold.Stripped {
		t.Errorf("trimmed, then cleared: %s", f)
	}
}

// Between head and tail the lines stay that tell of trouble, and those with a
// name that was used afterwards.
func TestTrimResultsKeepsTheLinesThatMatter(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("nothing to see in line %d", i))
	}
	lines[40] = "main.go:12: error: it does not build"
	lines[60] = "func parseHeader(text string) {"
	lines[70] = "func neverAgain(text string) {"
	lines[80] = strings.Repeat("error ", 100) // too long to be kept for its own sake
	add := func(l *tenfold.Log, payloads ...tenfold.Payload) {
		for _, p := range payloads {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := tenfold.NewLog()
	add(
		l, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("go")},
		tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{"command":"make"}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.Join(lines, "\n"))},
		tenfold.ToolCall{CallID: "2", Name: "Grep", Arguments: `{"pattern":"parseHeader"}`},
		tenfold.ToolResult{CallID: "2", Parts: tenfold.Text("x")},
	)
	shown := func(name string) string {
		made := plan(t, tenfold.Project(l), strategy.Options{}, name)
		for it := range made.View().Items() {
			if r, ok := it.Payload.(tenfold.ToolResult); ok && r.CallID == "1" {
				return r.Parts[0].Text
			}
		}
		return ""
	}
	text := shown("trim-results:head=100,tail=100")
	for _, want := range []string{lines[40], lines[60], lines[0], lines[99], "lines left out …"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is gone:\n%s", want, text)
		}
	}
	for _, gone := range []string{lines[70], lines[80], lines[50]} {
		if strings.Contains(text, gone) {
			t.Errorf("%q stays:\n%s", gone, text)
		}
	}
	if text := shown("trim-results:head=100,tail=100,lines=1"); !strings.Contains(text, lines[40]) || strings.Contains(text, lines[60]) {
		t.Errorf("trouble comes first, but with one line it is\n%s", text)
	}
	if text := shown("trim-results:head=100,tail=100,lines=0,recall=true"); strings.Contains(text, lines[40]) || !strings.Contains(text, "(recall 4)") {
		t.Errorf("without lines, with recall:\n%s", text)
	}
}

func TestPurgeErrors(t *testing.T) {
	lines := []string{"t", "u a", `c 1 Write {"text":"*400"}`, "e 1 no such directory", `c 2 Write {"text":"*400"}`, "r 2 ok"}
	for range 3 {
		lines = append(lines, "t", "u go on", "a ok")
	}
	l := script(t, lines...)
	if made := plan(t, tenfold.Project(l), strategy.Options{}, "purge-errors"); made.Nothing == "" {
		t.Errorf("3 turns after: %+v", made.Compactions)
	}
	extend(t, l, "t", "u go on")
	made := plan(t, tenfold.Project(l), strategy.Options{}, "purge-errors")
	if f, _, _ := made.View().Fate(3); f != tenfold.Stripped || made.Steps[0].Entries != 1 {
		t.Errorf("4 turns after: %s, %+v", f, made.Steps)
	}
	if f, _, _ := made.View().Fate(4); f != tenfold.Kept {
		t.Errorf("the error itself: %s", f)
	}
	apply(t, l, made)
	if again := plan(t, tenfold.Project(l), strategy.Options{}, "purge-errors:after=0"); again.Nothing == "" {
		t.Errorf("again: %+v", again.Compactions)
	}
	extend(t, l, "t", "u more", `c 3 Send {"text":"*9000"}`, "e 3 "+strings.Repeat("a line of the output\n", 60)+"no such directory", "t", "u go on")
	apply(t, l, plan(t, tenfold.Project(l), strategy.Options{}, "strip-tool-results"))
	if again := plan(t, tenfold.Project(l), strategy.Options{}, "purge-errors:after=0"); again.Nothing == "" {
		t.Errorf("a result that was stripped comes back: %+v", again.Compactions)
	}
}

// S-15: a strip sees what earlier strategies left, and brings nothing back.
func TestS15StripBringsNothingBack(t *testing.T) {
	l := script(t, "t", "u do", "c 1 Read {}", "r 1 *900", "c 2 Write {}", "r 2 *900", "c 3 Read {}", "r 3 *900", "a done")
	omitted := tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{
		Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"1": {Action: tenfold.Omit}},
	}}
	if _, err := l.Append(tenfold.Entry{Payload: omitted}); err != nil {
		t.Fatal(err)
	}
	made := plan(t, tenfold.Project(l), strategy.Options{}, "micro:keep_recent=0,exempt=", "strip-tools")
	// Write's results are not stripped (its hint), but micro clears them only
	// if the tool does not wish to keep them; Read's stubs become strip's own.
	want := "u do | c 2 {} | r 2 words an…900 | c 3 {} | r 3 [compacted] Read: done | a done"
	if got := shown(made.View()); got != want {
		t.Errorf("shown: %s\nwant:  %s", got, want)
	}
	apply(t, l, made)
	if got := shown(tenfold.Project(l)); got != want {
		t.Errorf("applied: %s", got)
	}
}

func TestNamesParseAgain(t *testing.T) {
	for _, text := range append(
		strategy.Names(),
		"micro:keep_recent=3,over=2KB,exempt=a+b,clear_at_least=20k", "sliding-window:n=7", "token-window:n=8k",
		"strip-attachments:over=1KB", "trim-results:head=10,tail=0,over=1KB", "auto:summarize_threshold=40%",
		"summarize:placement=system", "recursive-summary:keep=3,overlap=0", "purge-errors:after=9",
	) {
		s := parse(t, text)[0]
		if again := parse(t, s.Name())[0]; again.Name() != s.Name() {
			t.Errorf("%s is named %s, which reads as %s", text, s.Name(), again.Name())
		}
	}
}

func TestBadParameters(t *testing.T) {
	for _, text := range []string{
		"sliding-window:n=-1", "sliding-window:m=1", "sliding-window:n", "turn-window:n=x", "token-window:n=-4", "micro:over=big",
		"micro:keep=3", "recursive-summary:keep=2,overlap=2", "recursive-summary:overlap=10", "recursive-summary:overlap=-1",
		"auto:summarize_threshold=0", "auto:summarize_threshold=1.5", "auto:summarize_threshold=NaN", "summarize:placement=message",
		"trim-results:head=0,tail=0", "hard-reset:n=1", "classify-tangents:x", "purge-errors:n=1", "prune-tools:x=1", "strip-attachments:n=1",
	} {
		if s, err := strategy.Parse(text); err == nil {
			t.Errorf("%s reads as %s", text, s.Name())
		} else if !strings.Contains(err.Error(), strings.Split(text, ":")[0]) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Only together are they wrong, so the order does not matter.
	if s := parse(t, "recursive-summary:overlap=10,keep=20"); s[0].Name() != "recursive-summary:keep=20,overlap=10" {
		t.Error(s[0].Name())
	}
	if !slices.IsSorted(strategy.Names()) {
		t.Error(strategy.Names())
	}
}
