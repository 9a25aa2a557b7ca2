package tenfold_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
)

// TestWhy: each fate comes with the reason for it (P11).
func TestWhy(t *testing.T) {
	build := func(overlays ...tenfold.Entry) *tenfold.Projection {
		l := tenfold.NewLog()
		entries := []tenfold.Entry{
			{ID: "t0", Payload: tenfold.TurnStart{}},
			{ID: "u0", Payload: tenfold.UserMessage{Parts: tenfold.Text("go"), Attachments: []tenfold.Attachment{{Name: "a", Content: strings.Repeat("long ", 100)}}}},
			{ID: "r0", Payload: tenfold.Reasoning{Text: "I think about it for a while"}},
			{ID: "c0", Payload: tenfold.ToolCall{CallID: "c0", Name: "read", Arguments: `{"path":"a"}`}},
			{ID: "d0", Payload: tenfold.ToolCall{CallID: "d0", Name: "ls", Arguments: `{}`}},
			{ID: "o0", Payload: tenfold.ToolResult{CallID: "c0", Parts: tenfold.Text(strings.Repeat("text ", 100))}},
			{ID: "p0", Payload: tenfold.ToolResult{CallID: "d0", Parts: tenfold.Text("b")}},
			{ID: "x0", Payload: tenfold.ToolResult{CallID: "nobody", Parts: tenfold.Text("b")}},
			{ID: "w0", Payload: tenfold.AssistantMessage{Text: " \n"}},
			{ID: "a0", Payload: tenfold.AssistantMessage{Text: "done"}},
			{ID: "t1", Payload: tenfold.TurnStart{}},
			{ID: "u1", Payload: tenfold.UserMessage{Parts: tenfold.Text("more")}},
			{ID: "s1", Payload: tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "sig"}},
			{ID: "c1", Payload: tenfold.ToolCall{CallID: "c1", Name: "read", Arguments: `{"path":"a"}`}},
			{ID: "o1", Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("c")}},
		}
		if _, err := l.Append(append(entries, overlays...)...); err != nil {
			t.Fatal(err)
		}
		return tenfold.Project(l)
	}
	overlay := func(c tenfold.Compaction) tenfold.Entry { return tenfold.Entry{ID: "cmp", Payload: c} }
	strip := &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true, Over: 10, Hints: map[string]tenfold.Hint{"read": {Request: tenfold.Keep}}}
	step := 0
	for _, tt := range []struct {
		name     string
		overlays []tenfold.Entry
		entry    string
		want     tenfold.Reason
	}{
		{"nothing", nil, "c0", tenfold.ReasonNone},
		{"unseen", nil, "t0", tenfold.ReasonUnseen},
		{"orphan", nil, "x0", tenfold.ReasonRepair},
		{"blank", nil, "w0", tenfold.ReasonEmpty},
		{"P5", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: strip})}, "o0", tenfold.ReasonPolicy},
		{"H1", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: strip})}, "c0", tenfold.ReasonHint},
		{"P6", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: strip})}, "p0", tenfold.ReasonSmall},
		{"bare", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: strip})}, "d0", tenfold.ReasonBare},
		{"P8", []tenfold.Entry{{ID: "pin", Payload: tenfold.Pin{Entries: []string{"c0"}}}, overlay(tenfold.Compaction{ToolCalls: strip})}, "o0", tenfold.ReasonPinned},
		{"reasoning", []tenfold.Entry{overlay(tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})}, "r0", tenfold.ReasonReasoning},
		{"P10", []tenfold.Entry{overlay(tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})}, "s1", tenfold.ReasonHeld},
		{"attachments", []tenfold.Entry{overlay(tenfold.Compaction{Attachments: &tenfold.Policy{Action: tenfold.Strip}})}, "u0", tenfold.ReasonFiles},
		{"turns", []tenfold.Entry{overlay(tenfold.Compaction{Turns: tenfold.Omit})}, "a0", tenfold.ReasonTurns},
		{"P3", []tenfold.Entry{overlay(tenfold.Compaction{Summary: &tenfold.Summary{Text: "s"}})}, "o0", tenfold.ReasonSummary},
		{"P9", []tenfold.Entry{overlay(tenfold.Compaction{ToTurn: 1, ToStep: &step, Summary: &tenfold.Summary{Text: "s"}})}, "u1", tenfold.ReasonRequest},
		{"beyond", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: strip})}, "c1", tenfold.ReasonNone},
		{"named", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c0": {Action: tenfold.Omit}}}})}, "o0", tenfold.ReasonNamed},
		{"P9, turns", []tenfold.Entry{overlay(tenfold.Compaction{ToTurn: 1, ToStep: &step, Turns: tenfold.Omit})}, "u1", tenfold.ReasonRequest},
		{"V5", []tenfold.Entry{overlay(tenfold.Compaction{Turns: tenfold.Omit, Keeps: &tenfold.Keeps{Calls: []string{"c0"}}})}, "o0", tenfold.ReasonOpen},
		{"H1 of the result", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true, Hints: map[string]tenfold.Hint{"read": {Response: tenfold.Keep}}}})}, "o0", tenfold.ReasonHint},
		{"one side", []tenfold.Entry{overlay(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}})}, "c0", tenfold.ReasonLeft},
	} {
		p := build(tt.overlays...)
		e, ok := p.Log().Lookup(tt.entry)
		if !ok {
			t.Fatal(tt.entry)
		}
		if got := p.Why(e.Seq); got != tt.want {
			fate, by, _ := p.Fate(e.Seq)
			t.Errorf("%s: %s is %s by %q because %q, want %q", tt.name, tt.entry, fate, by, got, tt.want)
		}
	}
}

// TestWhyTellsTheFate: the reason and the fate never disagree (P11).
func TestWhyTellsTheFate(t *testing.T) {
	changes := map[tenfold.Reason]bool{
		tenfold.ReasonRepair: true, tenfold.ReasonEmpty: true, tenfold.ReasonSummary: true, tenfold.ReasonTurns: true, tenfold.ReasonReasoning: true,
		tenfold.ReasonFiles: true, tenfold.ReasonPolicy: true, tenfold.ReasonNamed: true,
		tenfold.ReasonLines: true, tenfold.ReasonRest: true, tenfold.ReasonBound: true, tenfold.ReasonUnsigned: true,
	}
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		for _, reader := range readers() {
			p := tenfold.ProjectBranch(l, reader)
			for e := range l.Entries() {
				fate, by, _ := p.Fate(e.Seq)
				why := p.Why(e.Seq)
				if !p.Reads(e.Seq) || why == tenfold.ReasonHint {
					continue // a hint keeps, or removes the pair
				}
				if why == tenfold.ReasonUnsigned {
					it, _ := p.Item(e.Seq)
					if words, ok := it.Payload.(tenfold.AssistantMessage); fate != tenfold.Stripped || !ok || words.Signature != "" {
						t.Fatalf("entry %d is %s as %#v", e.Seq, fate, it.Payload)
					}
				}
				if changes[why] != (fate != tenfold.Kept) {
					t.Fatalf("entry %d (%s) is %s by %q because %q", e.Seq, e.Payload.Kind(), fate, by, why)
				}
			}
		}
	})
}
