package replay_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/provider"
)

// filled is a conversation of so many requests, of which the client makes a summary,
// and of so many after it. It gives how large it was when that was made.
func filled(t *rapid.T, before, after int) (l *tenfold.Log, size int) {
	l = tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	now := replayNoon
	add := func(p tenfold.Payload) {
		now = now.Add(time.Second)
		if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("e", l.Version()), Time: now, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	turn := func(requests, least, most int) {
		add(tenfold.TurnStart{})
		add(tenfold.UserMessage{Parts: tenfold.Text("go on")})
		for range requests - 1 {
			id := fmt.Sprint("c", l.Version())
			add(tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
			lines := rapid.IntRange(least, most).Draw(t, "lines")
			add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line of what it says\n", lines))})
		}
		add(tenfold.AssistantMessage{Text: "it builds"})
	}
	add(tenfold.ConfigDelta{Model: "claude-sonnet-4-5"})
	turn(before, 300, 1200)
	size = tenfold.Project(l).Tokens()
	// No summary is too short for the cache.
	summary := strings.Repeat("word", max(size/rapid.IntRange(5, 50).Draw(t, "summary is one in"), 1100)+1)
	add(tenfold.Compaction{ToTurn: 0, Source: "import", Reason: "auto", Turns: tenfold.Omit, Summary: &tenfold.Summary{Text: summary, Placement: tenfold.PlaceMessage}})
	turn(after, 1, rapid.SampledFrom([]int{5, 400}).Draw(t, "most lines"))
	return l, size
}

// leastView is what the controller leaves whatever that costs.
const leastView = 7000

// live V2: a compaction that the client would have made by itself costs no more than
// its own would have, for as many requests as came before it; each that comes after
// those adds at most the reading of what stays beyond a summary. Where that would leave
// less than the least view, that one is written and read instead. That is so at any
// prices, and for any lifetime of the cache.
func TestV2RegretOfACompaction(t *testing.T) {
	t.Parallel()
	defaults := liveDefaults(t)
	asked, held := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.IntRange(8, 40).Draw(t, "before")
		after := rapid.IntRange(1, 3*before).Draw(t, "after")
		l, size := filled(t, before, after)
		input := rapid.Float64Range(0.5, 10).Draw(t, "input")
		read := input * rapid.Float64Range(0.02, 0.5).Draw(t, "read")
		price := provider.Price{
			Input: input, Output: input * rapid.Float64Range(2, 8).Draw(t, "output"),
			CacheRead: read, CacheWrite: max(read, input*rapid.Float64Range(1, 3).Draw(t, "write")),
		}
		o := replay.LiveOptions{Live: defaults, Prices: provider.Prices{"claude-sonnet-4-5": price}}
		o.Lifetime = time.Duration(rapid.SampledFrom([]int{0, 10, 59}).Draw(t, "minutes")) * time.Minute
		o.Live.Request.Prices = o.Prices
		r, err := replay.Live(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		if asked += r.Asked; r.Asked == 0 {
			return // old results were cleared before, and the client's context got full later
		}
		// What a summary costs pays for what stays beyond it, as far as that is not the
		// least that a view may be.
		summary := max(float64(size)/50, 1000)
		pays := float64(size)*price.CacheRead + summary*price.Output
		costs := func(requests int) float64 { return price.CacheWrite + float64(requests)*price.CacheRead }
		beyond := max(pays/costs(before), leastView-summary)
		bound := max(beyond*costs(after)-pays, 0) / 1e6
		if -r.Saved() > bound+1e-9 {
			t.Fatalf("$%f more, at most $%f: %d requests, then %d, of %d tokens; %+v", -r.Saved(), bound, before, after, size, r)
		}
		o.Live.Micro.Stake = 1e9
		if large, err := replay.Live(t.Context(), l, o); err != nil {
			t.Fatal(err)
		} else if -large.Saved() > bound+1e-9 {
			held++
		}
	})
	if asked == 0 || held == 0 {
		t.Errorf("%d times the client asked, %d times more stayed than was paid for", asked, held)
	}
}

// What a client puts back after its compaction, and its transcript does not tell, is
// found by what the provider reports, and paid for.
func TestReplayOfWhatAClientPutsBack(t *testing.T) {
	t.Parallel()
	cost := func(system, putBack int, usage bool) replay.LiveResult {
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		now, summary := replayNoon, 0
		add := func(tokens int, p tenfold.Payload) {
			now = now.Add(time.Second)
			if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("e", l.Version()), Time: now, Tokens: tokens, Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		request := func(answer tenfold.Payload) {
			sent := tenfold.Project(l).Tokens() // which is what the request is about to send
			add(10, answer)
			if usage { // the provider counts a quarter more
				add(0, tenfold.Usage{Model: "claude-sonnet-4-5", CacheRead: system + 5*sent/4 + 5*summary/4})
			}
		}
		turn := func(calls int) {
			add(0, tenfold.TurnStart{})
			add(100, tenfold.UserMessage{Parts: tenfold.Text("go on")})
			for range calls {
				id := fmt.Sprint("c", l.Version())
				request(tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
				add(3900, tenfold.ToolResult{CallID: id, Parts: tenfold.Text("done")})
			}
			request(tenfold.AssistantMessage{Text: "it builds"})
		}
		turn(8)
		add(0, tenfold.Compaction{ToTurn: 0, Source: "import", Reason: "auto", Turns: tenfold.Omit, Summary: &tenfold.Summary{Text: "they built it", Placement: tenfold.PlaceMessage}})
		summary = putBack
		turn(0)
		turn(0)
		o := replay.LiveOptions{Live: liveDefaults(t), Model: "claude-sonnet-4-5", Lifetime: time.Hour}
		r, err := replay.Live(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	none := cost(20_000, 0, true)
	if silent := cost(20_000, 8000, false); !nearly(silent.Without.Dollars, none.Without.Dollars) {
		t.Errorf("without reports $%f, where nothing is put back $%f", silent.Without.Dollars, none.Without.Dollars)
	}
	for _, system := range []int{0, 20_000} {
		got := cost(system, 8000, true)
		want := (8000*6 + 8000*0.3) / 1e6 // written by the first request, read by the second
		if more := got.Without.Dollars - none.Without.Dollars; math.Abs(more-want) > want/50 {
			t.Errorf("a system prompt of %d: 8,000 tokens put back cost $%f, want $%f", system, more, want)
		}
		if more := got.With.Dollars - none.With.Dollars; got.Asked != 1 || math.Abs(more-want) > want/50 {
			t.Errorf("through us, asked %d times, $%f, want $%f", got.Asked, more, want)
		}
	}
}
