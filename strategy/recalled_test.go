package strategy_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/token"
)

// many is a log of reads, each of a text that holds its number, and of requests.
func many(t *testing.T, n int) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	for i := range n {
		text := ""
		for line := range 30 {
			text += fmt.Sprintf("line %d of text number %d says little\n", line+1, i)
		}
		addAll(t, l, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("look again")},
			tenfold.ToolCall{CallID: fmt.Sprint(i), Name: "Read", Arguments: fmt.Sprintf(`{"file_path":"/a/file%d.txt"}`, i)},
			tenfold.ToolResult{CallID: fmt.Sprint(i), Parts: tenfold.Text(text)}, tenfold.AssistantMessage{Text: "I see."})
	}
	return l
}

func addAll(t *testing.T, l *tenfold.Log, payloads ...tenfold.Payload) {
	t.Helper()
	for _, p := range payloads {
		if _, err := l.Append(tenfold.Entry{ID: fmt.Sprintf("e%d", l.Version()+1), Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
}

// shownAt is the text of what a model sees of an entry.
func shownAt(p *tenfold.Projection, seq int64) string {
	for it := range p.Items() {
		if it.Seq == seq {
			return tenfold.TextLines(it.Payload)
		}
	}
	return ""
}

// Live §5: what a model asked for again is kept by the next compaction, lines as
// lines; the one after that keeps it only where it was asked for since.
func TestA9TheNextCompactionKeepsWhatWasRecalled(t *testing.T) {
	const whole, part, big = 9, 19, 29 // results
	l := many(t, 60)
	fit := func() *tenfold.Projection {
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=2200")
		if len(made.Compactions) == 0 {
			t.Fatal(made.Nothing)
		}
		apply(t, l, made)
		return tenfold.Project(l)
	}
	p := fit()
	for _, seq := range []int64{whole, part, big} {
		if strings.Contains(shownAt(p, seq), "line 12 of text") {
			t.Fatalf("entry %d is shown without being asked for", seq)
		}
	}
	e, _ := l.Entry(whole)
	text := tenfold.TextLines(e.Payload)
	addAll(t, l, tenfold.Recalled{Entries: []string{fmt.Sprintf("e%d", whole), "gone"}})
	addAll(t, l, tenfold.Recalled{Entries: []string{fmt.Sprintf("e%d", part)}, Lines: []tenfold.LineRange{{First: 12, Last: 14}}})
	addAll(t, l, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("go on")}, tenfold.AssistantMessage{Text: strings.Repeat("so it is and so it was ", 60)})
	p = fit()
	if got := shownAt(p, whole); !strings.Contains(got, strings.TrimSuffix(text, "\n")) {
		t.Errorf("what was asked for is shown as %q", got)
	}
	if got := shownAt(p, part); !strings.Contains(got, "line 12 of text number 3 says little\nline 13 of text number 3 says little\nline 14 ") || strings.Contains(got, "line 20") {
		t.Errorf("of the lines that were asked for it shows %q", got)
	}
	addAll(t, l, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("go on")}, tenfold.AssistantMessage{Text: strings.Repeat("so it is and so it was ", 60)})
	if got := shownAt(fit(), whole); strings.Contains(got, "line 12 of text") {
		t.Errorf("it was not asked for again, and is shown as %q", got)
	}
}

// A log from elsewhere may name any lines, and so may a program: those that the text
// has are kept, and no others.
func TestA9LinesThatTheTextHasNotAreLeftOut(t *testing.T) {
	const seq = 9
	odd := []tenfold.LineRange{
		{First: 29, Last: math.MaxInt},
		{First: math.MinInt, Last: 2},
		{First: 4, Last: 3},
		{First: 31, Last: 40},
		{First: math.MaxInt, Last: math.MinInt},
		{First: 5, Last: 5, From: 8, To: 4},
		{First: 6, Last: 6, From: -9, To: math.MaxInt},
		{First: 7, Last: 8, From: 1, To: 3},
		{First: 9, Last: 9, From: 4, To: math.MinInt},
	}
	recalled := many(t, 60)
	addAll(t, recalled, tenfold.Recalled{Entries: []string{fmt.Sprintf("e%d", seq)}, Lines: odd})
	for i, p := range []strategy.Plan{
		plan(t, tenfold.Project(recalled), strategy.Options{}, "fit:target=2200"),
		plan(t, tenfold.Project(many(t, 60)), strategy.Options{Needed: []strategy.Needed{{Seq: seq, Lines: odd}, {Seq: seq + 5, Lines: odd[2:6]}}}, "fit:target=2200"),
	} {
		got := shownAt(p.View(), seq)
		for line, want := range map[string]bool{"line 1 ": true, "line 2 ": true, "line 3 ": false, "line 6 ": true, "line 7 ": false, "line 29 ": true, "line 30 ": true} {
			if strings.Contains(got, line) != want && (want || i == 0) { // of a short entry that was needed all is kept
				t.Errorf("%q is shown: %v: %q", line, !want, got)
			}
		}
		for _, c := range p.Compactions {
			b, err := tenfold.MarshalPayload(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tenfold.UnmarshalPayload(c.Kind(), b); err != nil {
				t.Error(err)
			}
		}
	}
}

// What was asked for takes a quarter of the target at most, the newest first.
func TestA9RecalledIsBounded(t *testing.T) {
	l := many(t, 60)
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprintf("e%d", 4+5*i))
	}
	addAll(t, l, tenfold.Recalled{Entries: ids})
	made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=4000")
	if made.After > 4000 {
		t.Errorf("the target is missed with %d", made.After)
	}
	whole, last := 0, false
	for i := range 20 {
		if kept := strings.Count(shownAt(made.View(), int64(4+5*i)), "\n") >= 29; kept {
			whole, last = whole+1, i == 19
		}
	}
	if whole < 1 || whole > 4 || !last {
		t.Errorf("%d of what was asked for stay whole, the newest: %v", whole, last)
	}
}

// micro leaves alone what was asked for since the last compaction.
func TestA9MicroLeavesWhatWasRecalled(t *testing.T) {
	l := many(t, 20)
	addAll(t, l, tenfold.Recalled{Entries: []string{"e4"}})
	p := plan(t, tenfold.Project(l), strategy.Options{}, "micro:keep_recent=3,over=10").View()
	if got := shownAt(p, 4); !strings.Contains(got, "line 12") {
		t.Errorf("what was asked for is shown as %q", got)
	}
	if got := shownAt(p, 9); strings.Contains(got, "line 12") {
		t.Errorf("what was not asked for is shown as %q", got)
	}
}

// Options.Recall turns the references of every strategy on, with the handle; the
// parameter alone does so for one strategy, and without either there are none.
func TestA9OptionsTurnReferencesOn(t *testing.T) {
	l := many(t, 20)
	for _, text := range []string{"fit:target=1500", "micro:keep_recent=1,over=10", "strip-tools", "trim-results:over=100,head=20,tail=20", "auto", "dedup-tools"} {
		on := plan(t, tenfold.Project(l), strategy.Options{Recall: true, Handle: "417093"}, text)
		off := plan(t, tenfold.Project(l), strategy.Options{Handle: "417093"}, text)
		refs := func(made strategy.Plan) (n int) {
			for it := range made.View().Items() {
				n += strings.Count(tenfold.SearchText(it.Payload), "(recall 417093:")
			}
			return n
		}
		if len(on.Compactions) > 0 && refs(on) == 0 {
			t.Errorf("%s gives no reference", text)
		}
		if n := refs(off); n != 0 {
			t.Errorf("%s gives %d references that nobody asked for", text, n)
		}
		for _, c := range off.Compactions {
			if c.Handle != "" {
				t.Errorf("%s names the conversation without a reference", text)
			}
		}
	}
	alone := plan(t, tenfold.Project(l), strategy.Options{Handle: "417093"}, "micro:keep_recent=1,over=10,recall=true", "strip-tools")
	for _, c := range alone.Compactions {
		if c.ToolCalls.Recall != (c.Handle != "") {
			t.Errorf("recall is %v, the handle %q", c.ToolCalls.Recall, c.Handle)
		}
	}
}
