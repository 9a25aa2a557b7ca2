package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/summary"
)

// C5: in parts, each from raw, and merged in one more call.
func TestC5Parts(t *testing.T) {
	l := long(t)
	m := &played{answer: func(_ int, r provider.Request) ([]provider.Event, error) {
		if text := sent(r); strings.Contains(text, "<part-1>") {
			return structured("All of bugs 100, 200, 300 and 400 were fixed."), nil
		} else if at := strings.Index(text, "Please fix bug "); at >= 0 {
			return structured("PART says: bug " + text[at+15:at+18] + " was fixed."), nil
		}
		return structured("PART says: the work went on."), nil
	}}
	var told []summary.Progress
	made, _ := compact(t, l, summary.Model{
		Provider: m, Window: 2000, MaxTokens: 400, Cost: price, Progress: func(p summary.Progress) { told = append(told, p) },
	}, 0, 3)
	if len(made.Compactions) != 1 {
		t.Fatal(made.Nothing)
	}
	if m.most > 3 || len(m.asked) < 3 {
		t.Errorf("%d calls, %d at once", len(m.asked), m.most)
	}
	merge := m.asked[len(m.asked)-1]
	for i := range 4 {
		readBy := 0
		for _, r := range m.asked[:len(m.asked)-1] {
			if r.View.Tokens() > 2000-400 {
				t.Errorf("a request of %d tokens", r.View.Tokens())
			}
			if strings.Contains(sent(r), fmt.Sprintf("[turn %03d] USER:", i)) {
				readBy++
			}
		}
		if readBy != 1 || !strings.Contains(sent(merge), fmt.Sprintf("PART says: bug %d00", i+1)) {
			t.Errorf("turn %d was read %d times; the merge holds:\n%s", i, readBy, sent(merge))
		}
	}
	s := made.Compactions[0].Summary
	if !strings.Contains(s.Text, "All of bugs 100, 200, 300 and 400") || s.Usage.Input != 100*len(m.asked) || !strings.Contains(notesOf(made), "parts, which were merged") {
		t.Errorf("%+v %s", s, notesOf(made))
	}
	last := told[len(told)-1]
	if told[0].Doing != summary.Reading || told[0].Parts != len(m.asked)-1 || last.Doing != summary.Checking ||
		last.Input != s.Usage.Input || last.Output != s.Usage.Output || last.Cost == nil || *last.Cost != *s.Usage.Cost {
		t.Errorf("%+v … %+v", told[0], last)
	}
	if !slices.ContainsFunc(told, func(p summary.Progress) bool { return p.Doing == summary.Merging }) {
		t.Error("nobody was told of the merging")
	}
}

// S-8: in parts too the summariser reads what came before, with the first, and what follows,
// with the last: a recursive summary would lose all that an earlier one told.
func TestS8PriorAndOverlapOfParts(t *testing.T) {
	m := plays(structured("PRIOR, and bugs 100, 200 and 300 were fixed."))
	r := requestOf(long(t), 0, 2)
	r.Prior, r.Overlap = []string{"PRIOR: the build was mended"}, requestOf(r.Log, 3, 3).Entries[:2]
	if _, err := (summary.Model{Provider: m, Window: 2000, MaxTokens: 400}).Summarize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if len(m.asked) < 4 {
		t.Fatalf("%d calls", len(m.asked))
	}
	for what, with := range map[string]string{"the build was mended": "[turn 000] USER:", "Please fix bug 400": "line of part2"} {
		readBy := 0
		for _, text := range m.requests() {
			if strings.Contains(text, what) {
				if readBy++; !strings.Contains(text, with) {
					t.Errorf("%s is not with %s:\n%s", what, with, text)
				}
			}
		}
		if readBy != 1 {
			t.Errorf("%s is read %d times", what, readBy)
		}
	}
}

// An entry larger than the window is cut, and said so.
func TestC5EntryLargerThanTheWindow(t *testing.T) {
	m := plays(says("It was read."))
	l := talk(t, "t", "u start", "c 1 Read {}", "r 1 HEAD "+strings.Repeat("middle ", 8000)+" TAIL", "a done")
	made, _ := compact(t, l, summary.Model{Provider: m, Window: 4000, MaxTokens: 300}, 0, 0)
	if text := strings.Join(m.requests(), "\n"); !strings.Contains(text, "HEAD") || !strings.Contains(text, "TAIL") || !strings.Contains(text, " characters]") ||
		!strings.Contains(notesOf(made), "1 entries larger than what the model can read") {
		t.Errorf("%s; %d calls", notesOf(made), len(m.asked))
	}
}

func TestTooLargeGetsSmallerPartsOnce(t *testing.T) {
	for _, tt := range []struct {
		name  string
		large int // requests over so many tokens are too large
		ok    bool
	}{{"smaller parts fit", 1700, true}, {"nothing fits", 0, false}} {
		m := &played{answer: func(_ int, r provider.Request) ([]provider.Event, error) {
			if tokens := r.View.Tokens(); tokens > tt.large {
				return nil, &provider.Error{Kind: provider.TooLarge, Used: tokens, Limit: tt.large}
			}
			return says("Bugs were fixed."), nil
		}}
		got, err := summary.Model{Provider: m, MaxTokens: 200}.Summarize(t.Context(), requestOf(long(t), 0, 3))
		if (err == nil) != tt.ok || (err != nil && provider.KindOf(err) != provider.TooLarge) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.ok && !strings.Contains(strings.Join(got.Notes, "; "), "did not fit the model, so parts of") {
			t.Errorf("%s: %q", tt.name, got.Notes)
		}
		if len(m.asked) > 6 {
			t.Errorf("%s: asked %d times", tt.name, len(m.asked))
		}
	}
}

// careless counts tokens, for one goroutine at a time only: it keeps count
// without a lock, which the race detector sees, and sees overlaps itself.
type careless struct {
	calls    int
	inside   atomic.Int32
	overlaps atomic.Int32
}

func (c *careless) Count(text string) int {
	if c.inside.Add(1) > 1 {
		c.overlaps.Add(1)
	}
	c.calls++
	if c.calls%64 == 0 {
		time.Sleep(50 * time.Microsecond) // so that others come meanwhile
	}
	c.inside.Add(-1)
	return tenfold.Chars4{}.Count(text)
}

// T1: parts are read at the same time, by providers that count too, and the
// caller's counter is called by one goroutine at a time.
func TestT1PartsCountOneAtATime(t *testing.T) {
	counter := &careless{}
	l := tenfold.NewLog(tenfold.WithCounter(counter))
	for e := range long(t).Entries() {
		if _, err := l.Append(tenfold.Entry{Payload: e.Payload}); err != nil {
			t.Fatal(err)
		}
	}
	var calls atomic.Int32
	second := make(chan struct{})
	m := &played{answer: func(_ int, r provider.Request) ([]provider.Event, error) {
		if calls.Add(1) == 2 {
			close(second)
		}
		select { // the first call waits for another, which has to come meanwhile
		case <-second:
		case <-time.After(5 * time.Minute):
		}
		for range 100 {
			r.View.Log().Counter().Count("as a provider that estimates does")
		}
		return says("Bugs were fixed."), nil
	}}
	if _, err := (summary.Model{Provider: m, Window: 1200, MaxTokens: 100}).Summarize(t.Context(), requestOf(l, 0, 3)); err != nil {
		t.Fatal(err)
	}
	if m.most < 2 || counter.overlaps.Load() > 0 {
		t.Errorf("%d calls of the model at once, %d of the counter overlapped", m.most, counter.overlaps.Load())
	}
}
