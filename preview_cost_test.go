package tenfold_test

import (
	"fmt"
	"runtime"
	"testing"

	"tenfold"
	"tenfold/internal/logtest"
)

// C8: a preview copies nothing that is long: not the entries, the calls that
// overlays name, the pins, the open calls or the names of tools. What it
// allocates in a long log of many of each is little more than in a short one.
func TestPreviewSharesWhatIsThere(t *testing.T) {
	cost := func(n int) int {
		entries := logtest.Long(n)
		for i := range n / 10 {
			entries = append(entries, tenfold.Entry{
				Payload: tenfold.ToolCall{CallID: fmt.Sprint("open", i), Name: fmt.Sprint("tool", i)},
			})
		}
		l := newLog(t, entries)
		calls, pins := map[string]tenfold.CallPolicy{}, tenfold.Pin{}
		for e := range l.Entries() {
			if c, ok := e.Payload.(tenfold.ToolCall); ok {
				calls[fmt.Sprintf("%s@%d", c.CallID, e.Seq)] = tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
				if e.Seq%5 == 0 {
					pins.Entries = append(pins.Entries, e.ID)
				}
			}
		}
		p := tenfold.Project(l)
		err := p.AppendIf(agree, tenfold.Entry{Payload: pins}, tenfold.Entry{Payload: tenfold.Compaction{
			ToTurn: l.Turns(), ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: calls},
		}})
		if err != nil {
			t.Fatal(err)
		}
		batch := []tenfold.Entry{
			{Payload: tenfold.TurnStart{}},
			{Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}},
			{Payload: tenfold.ToolCall{CallID: "one more", Name: "Read"}},
			{Payload: tenfold.Compaction{FromTurn: l.Turns(), ToTurn: l.Turns(), Turns: tenfold.Omit}},
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 8 {
			_ = p.Preview(batch...).Tokens()
		}
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc-before.TotalAlloc) / 8
	}
	short, long := cost(5_000), cost(100_000)
	if long > short+60_000 {
		t.Errorf("a preview of four entries allocates %d bytes in a log of 5,000 entries, and %d in one of 100,000", short, long)
	}
}

// A tally counts with Chars4, and how often.
type tally struct {
	tenfold.Chars4
	n *int
}

func (c tally) Count(text string) int {
	*c.n++
	return c.Chars4.Count(text)
}

// L8: what a compaction leaves of a log is worked out once for the entry that is stored,
// not once for whoever accepts it and again for the log.
func TestAppendIfWorksOutACompactionOnce(t *testing.T) {
	n, counted := 500, 0
	l := tenfold.NewLog(tenfold.WithCounter(tally{n: &counted}))
	if _, err := l.Append(logtest.Long(n)...); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l)
	calls := map[string]tenfold.CallPolicy{}
	for e := range l.Entries() {
		if c, ok := e.Payload.(tenfold.ToolCall); ok {
			calls[fmt.Sprintf("%s@%d", c.CallID, e.Seq)] = tenfold.CallPolicy{Action: tenfold.Trim, Head: 5, Tail: 5}
		}
	}
	overlay := tenfold.Entry{Payload: tenfold.Compaction{ToTurn: l.Turns(), ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: calls}}}
	counted = 0
	alone := p.Preview(overlay)
	_ = alone.Totals()
	once, trimmed := counted, alone.Totals().Of(tenfold.Trimmed).Entries
	if counted = 0; trimmed < n/10 || once < trimmed {
		t.Fatalf("a preview counts %d times, and trims %d entries", once, trimmed)
	}
	if err := p.AppendIf(agree, overlay); err != nil {
		t.Fatal(err)
	}
	if _ = p.Totals(); counted > once {
		t.Errorf("appending counts %d times, a preview %d", counted, once)
	}
}
