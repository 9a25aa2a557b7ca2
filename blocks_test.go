package tenfold_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// stretched puts hundreds of plain entries between those of a drawn log, so
// that overlays cover whole blocks of it.
func stretched(t *rapid.T) []tenfold.Entry {
	var out []tenfold.Entry
	for _, e := range logtest.Entries(40).Draw(t, "log") {
		for range filler(t, len(out)) {
			out = append(out, plain(len(out)))
		}
		out = append(out, e)
	}
	return out
}

// hiding draws an overlay that hides a stretch of a log, up to any step.
func hiding(t *rapid.T, l *tenfold.Log) tenfold.Compaction {
	c := rapid.SampledFrom([]tenfold.Compaction{
		{Turns: tenfold.Omit},
		{Summary: &tenfold.Summary{Text: "What was done."}},
		{Turns: tenfold.Omit, Summary: &tenfold.Summary{Text: "What was done."}},
	}).Draw(t, "overlay")
	c.ToTurn = max(l.Turns()-1-rapid.IntRange(0, 2).Draw(t, "turns before the last"), 0)
	c.FromTurn = rapid.IntRange(0, c.ToTurn).Draw(t, "first turn")
	if turn, _ := l.Turn(c.ToTurn); rapid.Bool().Draw(t, "inside a turn") {
		step := rapid.IntRange(0, max(turn.Steps-1, 0)).Draw(t, "last step")
		c.ToStep = &step
	}
	if rapid.Bool().Draw(t, "leaves one alone") {
		c.Keeps = &tenfold.Keeps{Entries: []int64{rapid.Int64Range(1, max(l.Version(), 1)).Draw(t, "kept")}}
	}
	return c
}

func filler(t *rapid.T, had int) int {
	if had > 1600 || rapid.IntRange(0, 7).Draw(t, "gap") > 0 {
		return 0
	}
	return rapid.IntRange(0, 1500).Draw(t, "plain entries")
}

// plain gives calls and their results, now and then another entry.
func plain(i int) tenfold.Entry {
	e := tenfold.Entry{ID: fmt.Sprint("plain", i)}
	call := fmt.Sprint("p", i/2)
	switch {
	case i%211 == 0:
		e.Payload = tenfold.AssistantMessage{Text: "done"}
	case i%97 == 0:
		e.Payload = tenfold.Reasoning{Text: "let me see"}
	case i%701 == 1:
		e.Payload = tenfold.UserMessage{Parts: tenfold.Text("go on")}
	case i%2 == 0:
		e.Payload = tenfold.ToolCall{CallID: call, Name: "read", Arguments: `{"path":"a.go"}`}
	default:
		e.Payload = tenfold.ToolResult{CallID: call, Parts: tenfold.Text("package a")}
	}
	return e
}

// P1, P2, P11: whatever overlays cover whole blocks of a long log, come and go,
// each entry has the fate that it has when it is looked at by itself, and the
// sums are those of the entries; in previews as well, which leave what they
// are made of as it was.
func TestP11BlocksAreTheirEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := stretched(t)
		for _, reader := range readers() {
			l, all := tenfold.NewLog(), entries
			p := tenfold.ProjectBranch(l, reader)
			for len(entries) > 0 {
				n := rapid.IntRange(1, len(entries)).Draw(t, "at once")
				if _, err := l.Append(entries[:n]...); err != nil {
					t.Fatal(err)
				}
				p.Advance()
				check(t, "advanced", p)
				entries = entries[n:]
			}
			before := items(p)
			q := p.With(hiding(t, l))
			check(t, "preview", q)
			after := items(q)
			check(t, "answered", q.Preview(tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c1"}}, tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c2"}}))
			check(t, "asked", q)
			r := q.Preview(tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: "preview-0"}})
			check(t, "undone", r)
			mustEqual(t, "undone (C7)", before, items(r))
			one := rapid.SampledFrom(append(all, plain(0))).Draw(t, "refused")
			refuse(t, q, one, plain(len(all)))
			mustEqual(t, "refused", after, items(q))
			refuse(t, p, one, plain(len(all)))
			check(t, "looked at", p)
			mustEqual(t, "looked at", before, items(p))
			entries = all
		}
	})
}

// refuse appends entries and takes them back.
func refuse(t *rapid.T, p *tenfold.Projection, entries ...tenfold.Entry) {
	t.Helper()
	for i := range entries {
		entries[i].ID = ""
	}
	no := errors.New("no")
	err := p.AppendIf(func(with *tenfold.Projection) error {
		check(t, "to be refused", with)
		return no
	}, append(entries, tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c1"}}, tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c2"}})...)
	if !errors.Is(err, no) {
		t.Fatal(err)
	}
	check(t, "refused", p)
}

func check(t *rapid.T, what string, p *tenfold.Projection) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
