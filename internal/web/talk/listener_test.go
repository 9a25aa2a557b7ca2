package talk

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/web/shape"
)

// heard puts together what a listener is told.
type heard struct {
	*Listener
	text, reasoning string
	output          map[string]string
}

func (h *heard) hear() {
	put := func(to *string, p *shape.Piece) {
		if p == nil {
			return
		}
		if p.Begins {
			*to = ""
		}
		*to += p.Text
	}
	for _, e := range h.next() {
		put(&h.text, e.Text)
		put(&h.reasoning, e.Reasoning)
		if e.Output != nil {
			one := h.output[e.Output.Call]
			put(&one, e.Output)
			h.output[e.Output.Call] = one
		}
	}
}

// Whoever listens, from whenever and however slowly, puts together the same text.
func TestListenersHearTheSame(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 1))
	for range 200 {
		all := New(nil)
		c := all.Use("c")
		var listeners []*heard
		text, reasoning := "", ""
		output := map[string]string{}
		for range 60 {
			switch r.IntN(8) {
			case 0:
				listeners = append(listeners, &heard{Listener: all.Listen("c"), output: map[string]string{}})
			case 1, 2:
				if text == "" {
					reasoning = "" // a text takes the place of what was thought
				}
				text += "tëxt "
				c.handle(agent.Event{Text: "tëxt "})
			case 3:
				text = ""
				reasoning += "hm "
				c.handle(agent.Event{Reasoning: "hm "})
			case 4, 5:
				call := string(rune('a' + r.IntN(2)))
				more := strings.Repeat("öutput", r.IntN(2000))
				output[call] += more
				c.handle(agent.Event{Output: &agent.Output{CallID: call, Text: more}})
			case 6:
				text = ""
				c.handle(agent.Event{Branch: "root.task1", Text: "not for the page"})
				c.handle(agent.Event{Waiting: &agent.Waiting{Attempt: 1}})
				reasoning = ""
			case 7:
				if len(listeners) > 0 {
					listeners[r.IntN(len(listeners))].hear()
				}
			}
		}
		for _, l := range listeners {
			l.hear()
			if text != "" && l.text != text || reasoning != "" && l.reasoning != reasoning {
				t.Fatalf("heard %q and %q, not %q and %q", l.text, l.reasoning, text, reasoning)
			}
			for call, want := range output {
				got := l.output[call]
				if !strings.HasSuffix(want, got) || len(got) < min(len(want), mostOutput-3) {
					t.Fatalf("heard %d bytes of output, not the last of %d", len(got), len(want))
				}
			}
			l.Leave()
		}
		if c.Release(); len(all.all) != 0 {
			t.Fatal("a talk is kept that nobody needs")
		}
	}
}

// An entry takes the place of the text that it was; a text tells after which entry it
// began, so that neither may overtake the other.
func TestEntriesEndTexts(t *testing.T) {
	t.Parallel()
	all := New(nil)
	c := all.Use("c")
	l := all.Listen("c")
	c.handle(agent.Event{Appended: &tenfold.Entry{Seq: 7, Payload: tenfold.UserMessage{Parts: tenfold.Text("Hi")}}})
	c.handle(agent.Event{Reasoning: "hm"})
	if got := l.next(); len(got) != 1 || got[0].Name() != "reasoning" || *got[0].Reasoning != (shape.Piece{Text: "hm", Begins: true, After: 7}) {
		t.Errorf("%+v", got)
	}
	c.handle(agent.Event{Appended: &tenfold.Entry{Seq: 8, Payload: tenfold.Reasoning{Text: "hm"}}})
	c.handle(agent.Event{Text: "He"})
	c.handle(agent.Event{Text: "llo"})
	c.handle(agent.Event{Appended: &tenfold.Entry{Seq: 9, Branch: "root.task3", Payload: tenfold.AssistantMessage{Text: "of a sub-agent"}}})
	if got := l.next(); len(got) != 1 || got[0].Name() != "text" || *got[0].Text != (shape.Piece{Text: "Hello", Begins: true, After: 8}) {
		t.Errorf("%+v", got)
	}
	c.handle(agent.Event{Text: "!"})
	if got := l.next(); len(got) != 1 || *got[0].Text != (shape.Piece{Text: "!", After: 8}) {
		t.Errorf("%+v", got)
	}
	c.handle(agent.Event{Text: "?"})
	c.handle(agent.Event{Appended: &tenfold.Entry{Seq: 10, Payload: tenfold.AssistantMessage{Text: "Hello!?"}}})
	if got := l.next(); len(got) != 0 {
		t.Errorf("a text that is an entry is still told of: %+v", got)
	}
}

// Text wakes listeners in batches; what changes the status does so at once.
func TestListenersAreWokenInBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := New(nil)
		c := all.Use("c")
		l := all.Listen("c")
		wakes := 0
		drain := func() {
			select {
			case <-l.Written():
				wakes++
			default:
			}
		}
		for range 100 {
			c.handle(agent.Event{Text: "x"})
			drain()
			time.Sleep(3 * time.Millisecond)
		}
		synctest.Wait()
		if drain(); wakes < 8 || wakes > 11 {
			t.Errorf("woken %d times in 300 ms", wakes)
		}
		c.handle(agent.Event{Running: &agent.Running{}})
		select {
		case <-l.Stated():
		default:
			t.Error("a call that runs is not told of at once")
		}
	})
}
