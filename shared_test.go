package tenfold_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
)

// sharedItems is Shared the slow way: it compares what the items say.
func sharedItems(t *rapid.T, p, q *tenfold.Projection) int {
	sum := q.Tokens()
	theirs := items(q)
	for _, it := range theirs {
		sum -= it.Tokens
	}
	mine := items(p)
	for i, it := range theirs {
		if i == len(mine) || mine[i].Seq != it.Seq || string(payload(t, mine[i].Payload)) != string(payload(t, it.Payload)) {
			break
		}
		sum += it.Tokens
	}
	return sum
}

func payload(t *rapid.T, p tenfold.Payload) []byte {
	text, err := tenfold.MarshalPayload(p)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(p.Kind()), text...)
}

// P11a seen from a prompt cache: what two states of a projection have in common
// is all of it until an overlay comes, and then what stands before the change.
func TestP11aShared(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		if got := p.Shared(p); got != p.Tokens() {
			t.Fatalf("of itself it shares %d of %d tokens", got, p.Tokens())
		}
		q := p.With(logtest.Compaction().Draw(t, "overlay"))
		got := p.Shared(q)
		if got > p.Tokens() || got > q.Tokens() {
			t.Fatalf("%d tokens shared of %d and %d", got, p.Tokens(), q.Tokens())
		}
		a, b := p.Config(), q.Config()
		if a.System != b.System || !slices.Equal(a.Tools, b.Tools) {
			if got != 0 {
				t.Fatalf("the configuration differs, and %d tokens are shared", got)
			}
			return
		}
		if want := sharedItems(t, p, q); got != want {
			t.Fatalf("%d tokens shared, %d by their words", got, want)
		}
	})
}

func TestSharedEndsAtTheFirstChange(t *testing.T) {
	said := func(n int, p tenfold.Payload) tenfold.Entry { return tenfold.Entry{Tokens: n, Payload: p} }
	call := func(id string) tenfold.Payload {
		return tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"ls"}`}
	}
	result := func(id string) tenfold.Payload {
		return tenfold.ToolResult{CallID: id, Parts: tenfold.Text("a.go\nb.go")}
	}
	system := "be brief"
	l := tenfold.NewLog()
	if _, err := l.Append(
		said(0, tenfold.ConfigDelta{System: &system}), // 2 tokens by the heuristic
		said(0, tenfold.TurnStart{}), said(10, tenfold.UserMessage{Parts: tenfold.Text("look")}),
		said(20, call("a")), said(300, result("a")), said(40, call("b")), said(500, result("b")), said(60, tenfold.AssistantMessage{Text: "seen"}),
	); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	clears := func(id string) tenfold.Compaction {
		return tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{id: {Action: tenfold.Strip, Response: true}},
		}}
	}
	tests := []struct {
		name string
		c    tenfold.Compaction
		want int
	}{
		{"an overlay without effect", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}, 932},
		{"the first result, which brings the note", clears("a"), 2},
		{"a summary of all", tenfold.Compaction{Summary: &tenfold.Summary{Text: "short"}}, 2},
		{"a summary in the system prompt", tenfold.Compaction{Summary: &tenfold.Summary{Text: "short", Placement: tenfold.PlaceSystem}}, 0},
	}
	for _, tt := range tests {
		if got := p.Shared(p.With(tt.c)); got != tt.want {
			t.Errorf("%s: %d of %d tokens shared, want %d", tt.name, got, p.Tokens(), tt.want)
		}
	}
	// What another overlay says in the same words is the same (C4).
	short := p.With(tenfold.Compaction{Summary: &tenfold.Summary{Text: "short"}})
	for text, want := range map[string]int{"short": short.Tokens(), "other": 2 + 9} {
		if got := short.Shared(short.With(tenfold.Compaction{Summary: &tenfold.Summary{Text: text}})); got != want {
			t.Errorf("summarised again as %q: %d of %d tokens shared, want %d", text, got, short.Tokens(), want)
		}
	}
	one := p.With(clears("b"))
	want := 2 + 10 + tenfold.Chars4{}.Count(one.Note()) + 20
	if got := one.Shared(one.With(clears("a"))); got != want {
		t.Errorf("an earlier result after a later one: %d tokens shared, want %d", got, want)
	}
	if got := one.Shared(one.With(clears("b"))); got != one.Tokens() {
		t.Errorf("said again: %d of %d tokens shared", got, one.Tokens())
	}
}
