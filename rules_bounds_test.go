package tenfold_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/problem"
)

func clock(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }

// hourly is a log of turns that begin at 10, 11, 12 … o'clock.
func hourly(turns int) []tenfold.Entry {
	var out []tenfold.Entry
	for i := range turns {
		s := start()
		s.Time = clock(10 + i)
		out = append(out, s, user(fmt.Sprint("request ", i)), say(fmt.Sprint("answer ", i)))
	}
	return out
}

func bound(t testing.TB, text string) *tenfold.Bound {
	t.Helper()
	if text == "" {
		return nil
	}
	b, err := tenfold.ParseBound(text)
	if err != nil {
		t.Fatal(err)
	}
	return &b
}

// resolve gives the range in words, or why it is empty.
func resolve(t testing.TB, p *tenfold.Projection, from, to string, tail *tenfold.Tail) string {
	t.Helper()
	r, ok, why, err := p.Resolve(tenfold.Bounds{From: bound(t, from), To: bound(t, to), Tail: tail, Now: clock(14)})
	switch {
	case err != nil:
		t.Fatal(err)
	case !ok && why == "":
		t.Errorf("--from %q --to %q is empty and does not say why", from, to)
	case !ok:
		return "empty: " + why
	}
	return r.String()
}

func TestC1BoundsAreInclusive(t *testing.T) {
	p := project(t, append(hourly(4), overlay("o", tenfold.Compaction{FromTurn: 1, ToTurn: 2, Turns: tenfold.Omit}))...)
	sees(t, p, "user: request 0", "assistant: answer 0", "user: request 3", "assistant: answer 3")
	for o := range p.Overlays() {
		same(t, "stretch", []int64{o.First, o.Last}, []int64{4, 9})
	}
}

func TestC1ToStepIsTheLastStepCovered(t *testing.T) {
	entries := []tenfold.Entry{
		start(), user("a"), call("c0", "t", `{}`), result("c0", "0"), call("c1", "t", `{}`), result("c1", "1"),
		call("c2", "t", `{}`), result("c2", "2"), start(), user("b"), say("c"),
	}
	for step, last := range map[int]int64{-1: 0, 0: 4, 1: 6, 2: 8, 3: 8, 99: 8} {
		p := project(t, append(entries, overlay("o", tenfold.Compaction{ToStep: &step, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}))...)
		for o := range p.Overlays() {
			if o.Last != last {
				t.Errorf("to_step %d covers to entry %d, want %d", step, o.Last, last)
			}
		}
	}
	whole := project(t, append(entries, overlay("o", tenfold.Compaction{Turns: tenfold.Omit}))...)
	sees(t, whole, "user: b", "assistant: c")
}

func TestC1ToStepCoversResultsThatComeLate(t *testing.T) {
	zero := 0
	p := project(
		t, start(), user("a"), in("m1", call("c0", "t", `{"n":0}`)), in("m2", call("c1", "t", `{"n":1}`)), result("c1", "1"), result("c0", "0"),
		overlay("o", tenfold.Compaction{ToStep: &zero, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}),
	)
	sees(t, p, "user: a", `call c1 t {"n":1}`, "result c1 1")
}

func TestC1AbsentSlotsHaveNoOpinion(t *testing.T) {
	plain := view(project(t, session()...))
	sees(t, project(t, append(session(), overlay("o", tenfold.Compaction{ToTurn: 1}))...), plain...)
	line, err := tenfold.AppendEntry(nil, overlay("o", tenfold.Compaction{ToTurn: 1}))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "JSON", string(line), `{"id":"o","kind":"compaction","from_turn":0,"to_turn":1}`)
}

func TestC2SummariesAreStoredPoliciesAreApplied(t *testing.T) {
	c := tenfold.Compaction{
		ToTurn: 1, Summary: &tenfold.Summary{Text: "What was done.", Model: "m", Covers: tenfold.Covers{Entries: 7, Tokens: 20}},
		ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true, Over: 2048},
	}
	line, err := tenfold.AppendEntry(nil, overlay("o", c))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stored", string(line), `{"id":"o","kind":"compaction","from_turn":0,"to_turn":1,`+
		`"summary":{"text":"What was done.","model":"m","covers":{"entries":7,"tokens":20}},`+
		`"tool_calls":{"policy":"strip","request":true,"response":true,"over":"2KB"}}`)
}

func TestC3Bounds(t *testing.T) {
	p := project(t, hourly(4)...)
	for _, c := range []struct{ from, to, want string }{
		// 5: a turn
		{"1", "2", "1..2"},
		{"0", "0", "0..0"},
		{" 1 ", "\t2\n", "1..2"},
		{"", "2", "0..2"},
		{"0", "9", "0..3"},
		{"3", "3", "3..3"},
		// -3: turns before the last
		{"-0", "-0", "3..3"},
		{"-1", "3", "2..3"},
		{"-3", "3", "0..3"},
		{"-4", "3", "0..3"},
		{"-900", "3", "0..3"},
		{"0", "-1", "0..2"},
		{"0", "-3", "0..0"},
		{"0", "-4", "empty: the range ends before turn 0"},
		{"-9", "-900", "empty: the range ends before turn 0"},
		{"-2", "-1", "1..2"},
		// 5h, 2d: as long ago; it is 14:00
		{"3h", "3", "2..3"},   // turn 1 began at 11:00, not after it
		{"181m", "3", "1..3"}, // 10:59
		{"2d", "3", "0..3"},
		{"1w", "3", "0..3"},
		{"1.5h", "3", "3..3"},
		{"1h", "3", "empty: the range begins at turn 4, after the last (turn 3)"},
		{"0h", "3", "empty: the range begins at turn 4, after the last (turn 3)"},
		{"0", "3h", "0..1"},
		{"0", "181m", "0..0"},
		{"0", "150m", "0..1"},
		{"0", "0h", "0..3"},
		{"0", "4h", "0..0"},
		{"0", "241m", "empty: the range ends before turn 0"},
		{"0", "2d", "empty: the range ends before turn 0"},
		{"210m", "90m", "1..2"},
		// last, with no compactions: the start
		{"last", "2", "0..2"},
		// beyond, inverted
		{"4", "9", "empty: the range begins at turn 4, after the last (turn 3)"},
		{"900", "900", "empty: the range begins at turn 900, after the last (turn 3)"},
		{"3", "1", "empty: the range begins at turn 3 and ends at turn 1"},
		{"-0", "-2", "empty: the range begins at turn 3 and ends at turn 1"},
	} {
		if got := resolve(t, p, c.from, c.to, nil); got != c.want {
			t.Errorf("--from %q --to %q is %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestC3AnEmptyLogGivesAnEmptyRange(t *testing.T) {
	for name, entries := range map[string][]tenfold.Entry{"no entry": nil, "none a model sees": {entry(tenfold.Usage{Input: 1})}} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []string{"", "0", "-3", "5h", "last"} {
				if got := resolve(t, project(t, entries...), from, "", nil); got != "empty: the conversation has no turns" {
					t.Errorf("--from %q is %s", from, got)
				}
			}
		})
	}
}

func TestC3LastIsAnErrorForTo(t *testing.T) {
	_, ok, _, err := project(t, hourly(2)...).Resolve(tenfold.Bounds{To: bound(t, "last")})
	if !errors.Is(err, tenfold.ErrLastAsTo) || ok {
		t.Errorf("--to last gives %v, %v", ok, err)
	}
}

func TestC3LastIsTheTurnAfterTheLiveCompactions(t *testing.T) {
	zero := 0
	cover := func(id string, from, to int, step *int) tenfold.Entry {
		return overlay(id, tenfold.Compaction{FromTurn: from, ToTurn: to, ToStep: step, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	}
	for name, c := range map[string]struct {
		overlays []tenfold.Entry
		want     string
	}{
		"none":                         {nil, "0..4"},
		"one":                          {[]tenfold.Entry{cover("a", 0, 1, nil)}, "2..4"},
		"the largest end counts":       {[]tenfold.Entry{cover("a", 0, 2, nil), cover("b", 0, 1, nil)}, "3..4"},
		"a part of the turn":           {[]tenfold.Entry{cover("a", 0, 2, &zero)}, "2..4"},
		"a part, and then the whole":   {[]tenfold.Entry{cover("a", 0, 2, &zero), cover("b", 1, 2, nil)}, "3..4"},
		"a revoked one does not count": {[]tenfold.Entry{cover("a", 0, 1, nil), cover("b", 0, 3, nil), revoke("r", "b")}, "2..4"},
		"a redone one does":            {[]tenfold.Entry{cover("a", 0, 3, nil), revoke("r", "a"), revoke("rr", "r")}, "4..4"},
		"an empty one does not":        {[]tenfold.Entry{cover("a", 3, 1, nil)}, "0..4"},
		"all covered":                  {[]tenfold.Entry{cover("a", 0, 4, nil)}, "empty: the range begins at turn 5, after the last (turn 4)"},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, "--from last", resolve(t, project(t, append(hourly(5), c.overlays...)...), "last", "4", nil), c.want)
		})
	}
}

func TestC3RangesResolveAgainstTheLogAsItStands(t *testing.T) {
	l := logWith(t, hourly(4)...)
	p := tenfold.Project(l)
	r, ok, _, err := p.Resolve(tenfold.Bounds{From: bound(t, "-3"), To: bound(t, "-1")})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	c := r.On(tenfold.Compaction{Turns: tenfold.Omit})
	same(t, "stored", []any{c.FromTurn, c.ToTurn, c.ToStep}, []any{0, 2, (*int)(nil)})
	if _, err := l.Append(append([]tenfold.Entry{overlay("o", c)}, start(), user("request 4"))...); err != nil {
		t.Fatal(err)
	}
	sees(t, tenfold.Project(l), "user: request 3", "assistant: answer 3", "user: request 4")
}

func TestC3KeepTurns(t *testing.T) {
	for _, c := range []struct {
		turns int
		keep  string
		want  string
	}{
		{6, "3", "0..2"},
		{4, "3", "0..0"},
		{3, "3", "empty: the range holds no turns (3 of 3 kept)"},
		{2, "3", "empty: the range holds no turns (2 of 2 kept)"},
		{2, "0", "0..1"},
		{2, " 1 ", "0..0"},
	} {
		tail, err := tenfold.ParseTail(c.keep)
		if err != nil {
			t.Fatal(err)
		}
		if got := resolve(t, project(t, hourly(c.turns)...), "", "", &tail); got != c.want {
			t.Errorf("--keep %s of %d turns leaves %s, want %s", c.keep, c.turns, got, c.want)
		}
	}
}

func sized(tokens int, e tenfold.Entry) tenfold.Entry { e.Tokens = tokens; return e }

// loopOf is two turns: one of 20 tokens, and one of 520 in six steps, of 110,
// four times 100, and 10 tokens; all that times scale.
func loopOf(scale int) []tenfold.Entry {
	out := []tenfold.Entry{start(), sized(10*scale, user("hello")), sized(10*scale, say("hi")), start(), sized(10*scale, user("work"))}
	for i := range 5 {
		id := fmt.Sprint("c", i)
		out = append(out, sized(10*scale, call(id, "t", `{}`)), sized(90*scale, result(id, "r")))
	}
	return append(out, sized(10*scale, say("done")))
}

func TestC3KeepTokensMayEndInsideATurn(t *testing.T) {
	p := project(t, loopOf(1)...)
	for keep, want := range map[string]string{
		"1t":   "0..1.4", // the newest step stays, however big
		"10t":  "0..1.4",
		"109t": "0..1.4",
		"110t": "0..1.3",
		"210t": "0..1.2",
		"250t": "0..1.2",
		"519t": "0..1.0",
		"520t": "0..0", // a turn's last step is the whole turn
		"539t": "0..0",
		"540t": "empty: the range holds no turns (2 of 2 kept)",
		"20k":  "empty: the range holds no turns (2 of 2 kept)",
	} {
		tail, err := tenfold.ParseTail(keep)
		if err != nil {
			t.Fatal(err)
		}
		if got := resolve(t, p, "", "", &tail); got != want {
			t.Errorf("--keep %s leaves %s, want %s", keep, got, want)
		}
	}
}

func TestC3Keep20kKeepsTheNewest20000Tokens(t *testing.T) {
	tail, err := tenfold.ParseTail("20k")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tail", tail, tenfold.Tail{Turns: -1, Tokens: 20_000})
	// Steps of 11,000, four times 10,000, and 1,000 tokens.
	same(t, "range", resolve(t, project(t, loopOf(100)...), "", "", &tail), "0..1.3")
}

func TestC3DefaultTail(t *testing.T) {
	same(t, "default", tenfold.DefaultTail(), tenfold.Tail{Turns: 3, Tokens: 20_000})
	big := append(hourly(3), loopOf(100)[3:]...)
	for name, c := range map[string]struct {
		entries []tenfold.Entry
		tail    *tenfold.Tail
		want    string
	}{
		"three turns that are small":         {hourly(6), nil, "0..2"},
		"the cap ends inside a turn, a step": {big, nil, "0..3.3"},
		"the cap off":                        {big, &tenfold.Tail{Turns: 3}, "0..0"},
		"the cap alone":                      {big, &tenfold.Tail{Turns: -1, Tokens: 20_000}, "0..3.3"},
		"the turns are fewer than the cap":   {big, &tenfold.Tail{Turns: 1, Tokens: 99_000}, "0..2"},
		"just three turns":                   {hourly(3), nil, "empty: the range holds no turns (3 of 3 kept)"},
		"fewer than three turns":             {hourly(2), nil, "empty: the range holds no turns (2 of 2 kept)"},
		"fewer, but over the cap":            {loopOf(100), nil, "0..1.3"},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, "range", resolve(t, project(t, c.entries...), "", "", c.tail), c.want)
		})
	}
	if got := resolve(t, project(t, big...), "-0", "", nil); got != "3..3.3" {
		t.Errorf("of the last turn alone %s is left", got)
	}
}

func TestC3WordsThatAreNoBound(t *testing.T) {
	for _, text := range []string{"", " ", "x", "last2", "Last", "5x", "5 h", "-5h", "--3", "1..2", "1.5", "d", "nand", "1e9d", "∞"} {
		_, err := tenfold.ParseBound(text)
		var wrong *problem.Error
		if err == nil {
			t.Errorf("%q is taken for a bound", text)
		} else if !errors.As(err, &wrong) || !strings.Contains(wrong.Hint, "-3") {
			t.Errorf("the error for %q does not say what to write: %v", text, err)
		}
	}
	for _, text := range []string{"", "-1", "k", "0k", "0.0004k", "0.5t", "-1k", "20kb", "1.5", "nank", "1e99m"} {
		if tail, err := tenfold.ParseTail(text); err == nil {
			t.Errorf("%q is taken for the tail %+v", text, tail)
		}
	}
	for text, want := range map[string]int{"20k": 20_000, "1.5m": 1_500_000, "800t": 800, " 2K ": 2000} {
		if got, ok := tenfold.ParseTokens(text); !ok || got != want {
			t.Errorf("%q is %d tokens, %v; want %d", text, got, ok, want)
		}
	}
}

// Seqs that a log does not have name nothing, and no log is told in words.
func TestBetweenIsClampedAndProjectNeedsALog(t *testing.T) {
	l := tenfold.NewLog()
	for _, pair := range [][2]int64{{0, 0}, {-1, 9}, {3, 1}} {
		if r := l.Between(pair[0], pair[1]); r.ToTurn >= r.FromTurn {
			t.Errorf("of an empty log %v are %s", pair, r)
		}
	}
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "x"}}); err != nil {
		t.Fatal(err)
	}
	for pair, want := range map[[2]int64]string{{-1, 99}: "0..0", {math.MinInt64, math.MaxInt64}: "0..0", {3, 99}: "0..-1", {-5, 0}: "0..-1"} {
		if r := l.Between(pair[0], pair[1]); r.String() != want {
			t.Errorf("%v are %s, want %s", pair, r, want)
		}
	}
	for _, none := range []*tenfold.Log{nil, {}} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "NewLog") {
					t.Errorf("without a log Project says %q", said)
				}
			}()
			tenfold.Project(none)
		}()
	}
}
