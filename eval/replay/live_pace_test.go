package replay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/eval/replay"
)

// X9: the replay compacts when the proxy does. What a person says may bring the context
// over the limit: that waits for the end of the turn, unless it is much at once and writing it dear.
func TestReplayLiveKeepsThePace(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name    string
		results []int // of the first turn
		words   int   // that are said then
		turns   int   // and so many turns follow
		pause   time.Duration
		full    int
	}{
		{"nothing is due", []int{60_000, 40_000}, 10, 1, time.Minute, 0},
		{"what is said brings it over the limit", []int{60_000, 60_000, 39_000}, 2_000, 0, time.Minute, 0},
		{"and the turn ends", []int{60_000, 60_000, 39_000}, 2_000, 1, time.Minute, 1},
		{"and goes on at once", []int{60_000, 60_000, 39_000}, 2_000, 1, time.Millisecond, 1},
		{"a person pastes much", []int{60_000, 60_000, 20_000}, 31_000, 0, time.Minute, 0},
		{"a person pastes much, kept for an hour", []int{60_000, 60_000, 20_000}, 31_000, 0, time.Minute, 1},
	} {
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		now := replayNoon
		add := func(tokens int, p tenfold.Payload) {
			now = now.Add(time.Second)
			if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("e", l.Version()), Time: now, Tokens: tokens, Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		turn := func(words int, results ...int) {
			add(0, tenfold.TurnStart{})
			add(words, tenfold.UserMessage{Parts: tenfold.Text("go on")})
			for _, n := range results {
				id := fmt.Sprint("c", l.Version())
				add(10, tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
				add(n, tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat("a line\n", n))})
			}
			add(10, tenfold.AssistantMessage{Text: "it builds"})
			now = now.Add(one.pause)
		}
		turn(10, one.results...)
		turn(one.words)
		for range one.turns {
			turn(10)
		}
		o := replay.LiveOptions{Live: liveDefaults(t), Model: "claude-sonnet-4-5"}
		o.Live.Micro.Enabled = false
		if strings.Contains(one.name, "an hour") {
			o.Lifetime = time.Hour
		}
		r, err := replay.Live(t.Context(), l, o)
		if err != nil || r.Full != one.full || r.Cold+r.Asked > 0 {
			t.Errorf("%s: full %d, cold %d, asked %d, %v; want full %d", one.name, r.Full, r.Cold, r.Asked, err, one.full)
		}
	}
}
