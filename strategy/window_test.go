package strategy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/number"
	"tenfold/strategy"
)

func step(n int) *int { return &n }

func summaryOver(from, to int) tenfold.Compaction {
	return tenfold.Compaction{FromTurn: from, ToTurn: to, Summary: &tenfold.Summary{Text: "SUM"}}
}

// threeTurns is three turns of two entries each.
var threeTurns = []string{"t", "u one", "a 1", "t", "u two", "a 2", "t", "u three", "a 3"}

// steered is the picture of the Spring AI page: a cut in the middle of a turn.
var steered = []string{"t", "u one", "a 1", "t", "u two", "a 2", "a 3", "t", "u three", "a 4"}

const headed = "u [Summary of previous conversation] | a SUM | "

func TestS6SlidingWindow(t *testing.T) {
	runWindows(t, []windowCase{
		{name: "holds all", strategy: "sliding-window:n=6", lines: threeTurns, want: "u one | a 1 | u two | a 2 | u three | a 3", note: "holds all", nothing: true},
		{name: "one too many", strategy: "sliding-window:n=5", lines: threeTurns, want: "u two | a 2 | u three | a 3"},
		{name: "cut at a request", strategy: "sliding-window:n=4", lines: threeTurns, want: "u two | a 2 | u three | a 3"},
		{name: "S9 snaps forward", strategy: "sliding-window:n=3", lines: steered, want: "u three | a 4"},
		{name: "S9 the last turn stays", strategy: "sliding-window:n=1", lines: threeTurns, want: "u three | a 3", note: "empty, so the last turn (turn 2) is kept"},
		{name: "S9 a window of nothing", strategy: "sliding-window:n=0", lines: threeTurns, want: "u three | a 3", note: "empty"},
		{
			name: "S9 one turn cannot be cut", strategy: "sliding-window:n=2", lines: []string{"t", "u do", "a 1", "a 2", "a 3"},
			want: "u do | a 1 | a 2 | a 3", note: "the last turn (turn 0) is kept", nothing: true,
		},
		{
			name: "S9 not at a synthetic message", strategy: "sliding-window:n=3",
			lines: []string{"t", "u one", "a 1", "t", "s note", "a 2", "t", "u two"}, want: "u two",
		},
		{
			name: "S9 at a request inside a turn", strategy: "sliding-window:n=2", lines: []string{"t", "u one", "a 1", "u more", "a 2"},
			want: "u one | u more | a 2", // P9 keeps the turn's requests
		},
		{
			name: "whole pairs", strategy: "sliding-window:n=3",
			lines: []string{"t", "u one", "c 1 Read {}", "t", "u two", "r 1 late", "a 2"}, want: "u two | a 2",
		},
		{
			name: "summaries stay and cost nothing", strategy: "sliding-window:n=2", lines: threeTurns,
			overlays: []tenfold.Compaction{summaryOver(0, 0)}, want: headed + "u three | a 3",
		},
		{
			name: "what is summarised does not count", strategy: "sliding-window:n=4", lines: threeTurns,
			overlays: []tenfold.Compaction{summaryOver(0, 0)}, want: headed + "u two | a 2 | u three | a 3", nothing: true,
		},
		{
			name: "the range ends first", strategy: "sliding-window:n=2", lines: threeTurns, span: tenfold.Range{FromTurn: 0, ToTurn: 0, ToStep: step(9)},
			want: "u one | u two | a 2 | u three | a 3", note: "no more than turns 0..0",
		},
		{
			name: "the range begins later", strategy: "sliding-window:n=2", lines: threeTurns, span: tenfold.Range{FromTurn: 1, ToTurn: 2},
			want: "u one | a 1 | u three | a 3",
		},
		{
			name: "L7 a sub-agent's entries do not count", strategy: "sliding-window:n=2",
			lines: []string{"t", "u one", "a 1", "t", "u two", "@s a x", "@s a y", "@s u z", "a 2"}, want: "u two | a 2",
		},
		{
			name: "L7 a sub-agent's message is no place to cut", strategy: "sliding-window:n=1",
			lines: []string{"t", "u one", "a 1", "t", "u two", "a 2", "@s u z"}, want: "u two | a 2", note: "empty",
		},
		{name: "nothing there", strategy: "sliding-window", lines: nil, want: "", nothing: true, note: "holds all"},
	})
}

func TestS7TurnWindow(t *testing.T) {
	runWindows(t, []windowCase{
		{name: "holds all", strategy: "turn-window:n=3", lines: threeTurns, want: "u one | a 1 | u two | a 2 | u three | a 3", note: "holds all", nothing: true},
		{name: "the last two", strategy: "turn-window:n=2", lines: threeTurns, want: "u two | a 2 | u three | a 3"},
		{name: "S9 none is one", strategy: "turn-window:n=0", lines: threeTurns, want: "u three | a 3", note: "empty"},
		{
			name: "the preamble stays", strategy: "turn-window:n=1", lines: append([]string{"a hello"}, threeTurns[1:]...),
			want: "u [Conversation continues] | a hello | u three | a 3",
		},
		{
			name: "a preamble of turns stays", strategy: "turn-window:n=1", lines: append([]string{"t", "s context", "a hello"}, threeTurns...),
			want: "u context | a hello | u three | a 3",
		},
		{
			name: "a synthetic turn is none", strategy: "turn-window:n=2", lines: append(append([]string{}, threeTurns...), "t", "s note", "a 4"),
			want: "u two | a 2 | u three | a 3 | u note | a 4",
		},
		{
			name: "L7 a turn of sub-agents is none", strategy: "turn-window:n=2", lines: append(append([]string{}, threeTurns...), "t", "@s u z", "@s a y"),
			want: "u two | a 2 | u three | a 3",
		},
		{
			name: "two messages make one turn", strategy: "turn-window:n=1", lines: []string{"t", "u one", "a 1", "t", "u two", "a 2", "u more", "a 3"},
			want: "u two | a 2 | u more | a 3",
		},
		{
			name: "what is hidden is not a turn", strategy: "turn-window:n=2", lines: threeTurns, overlays: []tenfold.Compaction{summaryOver(1, 1)},
			want: "u one | a 1 | " + headed + "u three | a 3", nothing: true,
		},
		{
			name: "an omitted preamble is not brought back", strategy: "turn-window:n=1", lines: []string{"a hello", "u one", "a 1", "t", "u two", "a 2"},
			overlays: []tenfold.Compaction{{Turns: tenfold.Omit, ToStep: step(0)}}, want: "u two | a 2",
		},
	})
}

func TestS7TokenWindow(t *testing.T) {
	// Each text of *40 costs ten tokens, "SUM" and its heading ten together.
	turns := []string{"t", "u *40", "a *40", "t", "u *40", "a *40", "t", "u *40", "a *40"}
	const u, a = "u words and words and words and words and ", "a words and words and words and words and "
	one := u + " | " + a
	runWindows(t, []windowCase{
		{name: "holds all", strategy: "token-window:n=60", lines: turns, want: one + " | " + one + " | " + one, note: "holds all", nothing: true},
		{name: "one token short", strategy: "token-window:n=59", lines: turns, want: one + " | " + one},
		{name: "exactly", strategy: "token-window:n=40", lines: turns, want: one + " | " + one},
		{name: "S9 snaps forward", strategy: "token-window:n=39", lines: turns, want: one},
		{name: "S9 the last turn stays", strategy: "token-window:n=19", lines: turns, want: one, note: "empty"},
		{
			name: "a suffix has no gaps", strategy: "token-window:n=30", lines: []string{"t", "u *4", "a *4", "t", "u *4", "a *400", "t", "u *40", "a *40"},
			want: one,
		},
		{
			name: "summaries' cost comes first", strategy: "token-window:n=49", lines: turns, overlays: []tenfold.Compaction{summaryOver(0, 0)},
			want: headed + one,
		},
		{
			name: "and is all they cost", strategy: "token-window:n=50", lines: turns, overlays: []tenfold.Compaction{summaryOver(0, 0)},
			want: headed + one + " | " + one, nothing: true,
		},
		{
			name: "L7 a sub-agent's tokens do not count", strategy: "token-window:n=20", lines: []string{"t", "u *4", "a *4", "t", "u *40", "@s a *4000", "a *40"},
			want: one,
		},
		{
			name: "what was stripped counts as it is shown", strategy: "token-window:n=90",
			lines:    []string{"t", "u *4", "a *4", "t", "u *4", "c 1 Read {}", "r 1 *4000", "a *4"},
			overlays: []tenfold.Compaction{{ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}},
			want:     "u word | a word | u word | c 1 {} | r 1 [compacted] Read: done | a word", nothing: true,
		},
	})
}

// L7: a conversation of sub-agents alone compacts when it is asked to.
func TestL7OnlyBranches(t *testing.T) {
	lines := []string{"@s u do", "@s c 1 Read {}", "@s r 1 *900", "@s a done"}
	l := script(t, lines...)
	for _, reader := range []string{"s", ""} {
		p := tenfold.ProjectBranch(l, reader)
		if _, ok, why, err := p.Resolve(tenfold.Bounds{Tail: &tenfold.Tail{}}); !ok || err != nil {
			t.Errorf("reader %q: no range: %s %v", reader, why, err)
		}
	}
	runWindows(t, []windowCase{
		{name: "results", strategy: "strip-tools", reader: "s", lines: lines, want: "u do | c 1 {} | r 1 [compacted] Read: done | a done"},
		{name: "micro", strategy: "micro:keep_recent=0", reader: "s", lines: lines, want: "u do | c 1 {} | r 1 [Previous: used Read] | a done"},
		{
			name: "windows keep the last turn", strategy: "sliding-window:n=0", reader: "s",
			lines: []string{"t", "@s u one", "@s a 1", "t", "@s u two", "@s a 2"}, want: "u one | a 1 | u two | a 2", nothing: true,
		},
	})
}

// S-7: a token window's budget holds for the whole view – system prompt, tool
// definitions, summaries and pins included – or it is said that the last turn
// alone is larger (S-9).
func TestS7BudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(60).Draw(t, "log")...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		n := rapid.IntRange(0, p.Tokens()+1).Draw(t, "budget")
		s, err := strategy.Parse(fmt.Sprintf("token-window:n=%d", n))
		if err != nil {
			t.Fatal(err)
		}
		made, err := strategy.Pipeline{s}.Plan(context.Background(), p, strategy.Options{Range: tenfold.Range{ToTurn: l.Turns() - 1}})
		if err != nil {
			t.Fatal(err)
		}
		over := fmt.Sprintf("the view costs %s tokens, more than the window of %s", number.Thousands(made.After), number.Thousands(n))
		said := notesOf(made)
		if (made.After > n) != strings.Contains(said, over) {
			t.Fatalf("%d tokens in a window of %d: %s", made.After, n, said)
		}
		if made.After > n && !strings.Contains(said, "the window would come out empty") {
			t.Fatalf("%d tokens in a window of %d, which is not empty: %s", made.After, n, said)
		}
	})
}

// S-7: a range that ends before the window does is no reason to say that the
// window is empty.
func TestS7RangeEndsBeforeTheWindow(t *testing.T) {
	turns := []string{"t", "u *40", "a *40", "t", "u *40", "a *40", "t", "u *40", "a *40"}
	l := script(t, turns...)
	made := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToStep: step(9)}}, "token-window:n=20")
	want := "the window begins in turn 2, but no more than turns 0..0.9 may be compacted; the view costs 50 tokens, more than the window of 20"
	if got := notesOf(made); got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
}
