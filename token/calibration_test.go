package token_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/token"
)

// A talk writes a log request by request, with what a provider would report that
// counts percent tokens for 100 estimated ones and adds outside to each prompt.
type talk struct {
	log     *tenfold.Log
	percent int
	outside int
	model   string
	seen    int // estimated tokens so far
	first   int // of them in the first prompt; -1 before it
	grown   int // of them between the first prompt and the last
	n       int
}

func (k *talk) append(payload tenfold.Payload, tokens int) {
	k.n++
	if _, err := k.log.Append(tenfold.Entry{ID: strconv.Itoa(k.n), Tokens: tokens, Payload: payload}); err != nil {
		panic(err)
	}
	if payload.Kind().Visible() {
		k.seen += tokens
	}
}

// prompt is what the provider counts now.
func (k *talk) prompt() int {
	if k.first < 0 {
		k.first = k.seen
	}
	k.grown = k.seen - k.first
	return k.outside + (k.seen*k.percent+50)/100
}

// turn is a request of a person and a response of so many calls.
func (k *talk) turn(calls int, tokens func() int) {
	k.append(tenfold.TurnStart{}, 0)
	k.append(tenfold.UserMessage{Parts: tenfold.Text("do it")}, tokens())
	for i := range calls {
		prompt, id := k.prompt(), strconv.Itoa(k.n)
		k.append(tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"ls"}`}, tokens())
		usage := tenfold.Usage{Model: k.model, Input: prompt % 1000, CacheRead: prompt / 1000 * 1000, Output: 20}
		if i%2 == 0 { // formats differ in where the record stands
			k.append(usage, 0)
			k.append(tenfold.ToolResult{CallID: id, Parts: tenfold.Text("out")}, tokens())
			continue
		}
		k.append(tenfold.ToolResult{CallID: id, Parts: tenfold.Text("out")}, tokens())
		k.append(usage, 0)
	}
	prompt := k.prompt()
	k.append(tenfold.AssistantMessage{Text: "done"}, tokens())
	k.append(tenfold.Usage{Model: k.model, Input: prompt, Output: 20}, 0)
}

func newTalk(percent, outside int) *talk {
	return &talk{log: tenfold.NewLog(), percent: percent, outside: outside, first: -1, model: "m"}
}

// T3: from a log whose provider counts by a known ratio, with a constant part in
// each prompt, both are found, however much was appended between two looks.
func TestT3KnownRatioAndConstantAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(rapid.IntRange(60, 280).Draw(t, "percent"), rapid.IntRange(0, 60_000).Draw(t, "outside"))
		size := rapid.IntRange(20, 4000)
		var c token.Calibration
		for range rapid.IntRange(2, 6).Draw(t, "turns") {
			k.turn(rapid.IntRange(2, 9).Draw(t, "calls"), func() int { return size.Draw(t, "tokens") })
			if rapid.Bool().Draw(t, "look") {
				c.Scale(k.log)
			}
		}
		got := c.Scale(k.log)
		if got != token.Calibrate(k.log) {
			t.Fatalf("read in parts %+v, at once %+v", got, token.Calibrate(k.log))
		}
		if k.grown < 3000 {
			return // too little to learn from
		}
		if d := got.Percent - k.percent; d < -1 || d > 1 {
			t.Fatalf("%d %% found, %d %% given (%d tokens)", got.Percent, k.percent, k.seen)
		}
		if d := got.Outside - k.outside; d < -60 || d > 60 {
			t.Fatalf("%d outside found, %d given", got.Outside, k.outside)
		}
	})
}

// T3: what comes between two requests and changes what the model sees does not
// count as growth.
func TestT3RequestsAcrossACompactionAreNotCompared(t *testing.T) {
	for name, change := range map[string]tenfold.Payload{
		"compaction": tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit},
		"undo":       tenfold.CompactionRevoked{Target: "x"},
		"system":     tenfold.ConfigDelta{System: new("be brief")},
		"tools":      tenfold.ConfigDelta{Tools: &[]tenfold.ToolDefinition{{Name: "t"}}},
	} {
		k := newTalk(140, 10_000)
		for i := range 12 {
			k.turn(1, func() int { return 300 })
			if i%2 == 1 {
				k.append(change, 0)
				k.outside += 40_000 // as if that had done it
			}
		}
		outside := 10_000
		if name == "system" { // another agent's: what that sends is learnt from its first request
			outside = 50_000 - 3
		}
		if got := token.Calibrate(k.log); got.Percent != 140 || got.Outside != outside {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// T3: with the system prompt and the tools in the log, what is outside of it is
// the rest.
func TestT3TheLogsOwnSystemPromptIsNotOutside(t *testing.T) {
	k := newTalk(150, 5000)
	system := strings.Repeat("word", 1000) // 1,000 tokens
	k.append(tenfold.ConfigDelta{System: &system, Tools: &[]tenfold.ToolDefinition{{Name: "shell", Schema: strings.Repeat("abcd", 200)}}}, 0)
	k.outside += 1202 * 150 / 100
	for range 4 {
		k.turn(3, func() int { return 300 })
	}
	if got := token.Calibrate(k.log); got.Percent != 150 || got.Outside != 5000 {
		t.Errorf("%+v", got)
	}
}

// T3: a subagent's requests are compared among themselves, another model's ratio
// is its own, and the one that answered last counts.
func TestT3ModelsAndBranchesAreApart(t *testing.T) {
	k := newTalk(120, 0)
	for i := range 5 {
		k.turn(3, func() int { return 300 })
		// The first prompt of another reader says nothing of this one's growth.
		if _, err := k.log.Append(
			tenfold.Entry{Branch: "sub", Tokens: 50, Payload: tenfold.AssistantMessage{Text: "x"}},
			tenfold.Entry{Branch: "sub", Payload: tenfold.Usage{Model: "m", Input: 90_000 + 60*i}},
		); err != nil {
			t.Fatal(err)
		}
	}
	if got := token.Calibrate(k.log); got.Percent != 120 {
		t.Fatalf("%+v", got)
	}
	k.model, k.percent, k.outside = "other", 200, 7000
	k.turn(1, func() int { return 300 })
	if got := token.Calibrate(k.log); got != (token.Scale{}) {
		t.Errorf("the ratio of another model is used: %+v", got)
	}
	for range 5 {
		k.turn(3, func() int { return 300 })
	}
	if got := token.Calibrate(k.log); got.Percent != 200 {
		t.Errorf("%+v", got)
	}
}

// T3: records that cannot be right, or contradict each other, calibrate nothing.
func TestT3NonsenseIsNotLearnt(t *testing.T) {
	cost := math.NaN()
	for name, usage := range map[string]func(i, prompt int) tenfold.Usage{
		"zero":        func(int, int) tenfold.Usage { return tenfold.Usage{Model: "m"} },
		"negative":    func(_, n int) tenfold.Usage { return tenfold.Usage{Model: "m", Input: -n, CacheRead: 2 * n} },
		"huge":        func(int, int) tenfold.Usage { return tenfold.Usage{Model: "m", Input: math.MaxInt, CacheRead: 7} },
		"wild":        func(i, _ int) tenfold.Usage { return tenfold.Usage{Model: "m", Input: 1000 * i * i, Cost: &cost} },
		"shrinking":   func(i, _ int) tenfold.Usage { return tenfold.Usage{Model: "m", Input: 1_000_000 - i} },
		"ever others": func(i, n int) tenfold.Usage { return tenfold.Usage{Model: strconv.Itoa(i), Input: n} },
	} {
		k := newTalk(140, 0)
		for i := range 40 {
			prompt := k.prompt()
			k.append(tenfold.AssistantMessage{Text: "x"}, 100)
			k.append(usage(i, prompt), 0)
			k.append(tenfold.UserMessage{Parts: tenfold.Text("y")}, 100)
		}
		if got := token.Calibrate(k.log); got != (token.Scale{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// T3: one odd record among forty moves the ratio by little.
func TestT3AnOddRecordCarriesNothingAway(t *testing.T) {
	for _, odd := range []int{1, 400_000, 1 << 31} {
		k := newTalk(140, 20_000)
		for i := range 10 {
			k.turn(3, func() int { return 300 })
			if i == 5 {
				k.append(tenfold.AssistantMessage{Text: "x"}, 10)
				k.append(tenfold.Usage{Model: "m", Input: odd}, 0)
			}
		}
		if got := token.Calibrate(k.log); got.Percent < 130 || got.Percent > 150 {
			t.Errorf("a record of %d: %+v", odd, got)
		}
	}
}

// T3, over any log: the ratio is within bounds, and a log read again after it was
// rolled back gives what it gives at once.
func TestT3AnyLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(60).Draw(t, "log")...); err != nil {
			t.Fatal(err)
		}
		var c token.Calibration
		s := c.Scale(l)
		if s != (token.Scale{}) && (s.Percent < 50 || s.Percent > 300 || s.Outside < 0 || s.Requests < 4) {
			t.Fatalf("%+v", s)
		}
		other := newTalk(150, 0)
		for range 5 {
			other.turn(3, func() int { return 300 })
		}
		if got := c.Scale(other.log); got.Percent != 150 {
			t.Fatalf("after another log: %+v", got)
		}
		if again := c.Scale(l); again != s {
			t.Fatalf("%+v, then %+v", s, again)
		}
	})
}

// T3: a scale is monotone, Estimated is its inverse, and rows add up.
func TestT3ScaleConverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := token.Scale{Percent: rapid.IntRange(-10, 500).Draw(t, "percent")}
		n := rapid.IntRange(-100_000, 2_000_000_000).Draw(t, "n")
		if s.Tokens(n) > s.Tokens(n+1) {
			t.Fatalf("%d is %d, one more %d", n, s.Tokens(n), s.Tokens(n+1))
		}
		limit := max(n, 0)
		if e := s.Estimated(limit); s.Tokens(e) > limit || s.Tokens(e+1) <= limit {
			t.Fatalf("a limit of %d allows %d, which is %d, and one more is %d", limit, e, s.Tokens(e), s.Tokens(e+1))
		}
		var counts []tenfold.Count
		var raw, shown tenfold.Count
		most := rapid.SampledFrom([]int{3, 100_000}).Draw(t, "most")
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			c := tenfold.Count{Entries: 1, Before: rapid.IntRange(0, most).Draw(t, "before")}
			if c.After = c.Before; rapid.Bool().Draw(t, "changed") {
				c.After = rapid.IntRange(0, c.Before).Draw(t, "after")
			}
			counts = append(counts, c)
		}
		same := true
		for i, c := range s.Counts(counts...) {
			raw.Before, raw.After = raw.Before+counts[i].Before, raw.After+counts[i].After
			shown.Before, shown.After = shown.Before+c.Before, shown.After+c.After
			same = same && (counts[i].Before != counts[i].After || c.Before == c.After)
			for _, side := range [][2]int{{counts[i].Before, c.Before}, {counts[i].After, c.After}} {
				if off := side[1] - s.Tokens(side[0]); off < -1 || off > 1 || side[1] < 0 || side[0] == 0 && side[1] != 0 {
					t.Fatalf("%d of %+v is shown as %d", side[0], counts, side[1])
				}
			}
		}
		if shown.Before != s.Tokens(raw.Before) || shown.After != s.Tokens(raw.After) || !same {
			t.Fatalf("%+v add up to %+v, shown as %+v", counts, raw, s.Counts(counts...))
		}
		for _, extreme := range []int{math.MinInt, math.MaxInt} {
			if (s.Tokens(extreme) < 0) != (extreme < 0) || (s.Estimated(extreme) < 0) != (extreme < 0) {
				t.Fatalf("%d is %d, allows %d", extreme, s.Tokens(extreme), s.Estimated(extreme))
			}
		}
	})
	zero := token.Scale{}
	if zero.Tokens(77) != 77 || zero.Estimated(77) != 77 || zero.Ratio() != 1 || zero.Source() != token.Estimate {
		t.Errorf("the zero scale changes figures: %+v", zero)
	}
}

// T3: what a compaction says it cost is an estimate of ours, and an imported one's the
// count of its tool's provider already.
func TestT3SizesOfCompactions(t *testing.T) {
	scale := token.Scale{Percent: 150}
	for source, want := range map[string][2]int{"user": {150, 15}, "auto": {150, 15}, "import": {100, 10}} {
		before, after := scale.Sizes(tenfold.Compaction{Source: source, TokensBefore: 100, TokensAfter: 10})
		if got := [2]int{before, after}; got != want {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
	for _, c := range []tenfold.Compaction{{Source: "import", TokensBefore: 100}, {Source: "import", TokensAfter: 10}} {
		if before, after := scale.Sizes(c); before != 0 || after != 0 {
			t.Errorf("%+v told of one side alone: %d, %d", c, before, after)
		}
	}
}

// T3: what a scale will be is what it is then, and asking changes nothing; also where the
// log goes on otherwise.
func TestT3NextTakesNothingIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(rapid.IntRange(60, 250).Draw(t, "percent"), 900)
		size := func() int { return rapid.IntRange(1, 900).Draw(t, "size") }
		var c token.Calibration
		for range rapid.IntRange(1, 5).Draw(t, "turns") {
			fork := tenfold.NewLog()
			if _, err := fork.Append(slices.Collect(k.log.Entries())...); err != nil {
				t.Fatal(err)
			}
			other := *k
			other.log = fork
			if before := c.Scale(k.log); rapid.Bool().Draw(t, "another way") {
				other.percent *= 2
				other.turn(2, size)
				if got, want := c.Next(fork), token.Calibrate(fork); got != want {
					t.Fatalf("next %+v, then %+v", got, want)
				}
				if again := c.Scale(k.log); again != before {
					t.Fatalf("%+v, then %+v", before, again)
				}
			}
			k.turn(rapid.IntRange(1, 4).Draw(t, "calls"), size)
			want := token.Calibrate(k.log)
			if got := c.Next(k.log); got != want {
				t.Fatalf("next %+v, then %+v", got, want)
			}
			if got := c.Scale(k.log); got != want {
				t.Fatalf("%+v, read at once %+v", got, want)
			}
		}
	})
}
