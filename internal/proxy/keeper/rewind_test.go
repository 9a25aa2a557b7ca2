package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// only is the one conversation that the store has.
func (p *place) only(t *testing.T) *session.Session {
	t.Helper()
	all := p.conversations()
	if len(all) != 1 {
		t.Fatalf("%d conversations in the store", len(all))
	}
	return p.open(all[0])
}

// texts are what a log says on the root, or with shown what its view does.
func texts(s *session.Session, shown bool) (out []string) {
	say := func(p tenfold.Payload) {
		switch m := p.(type) {
		case tenfold.UserMessage:
			out = append(out, m.Parts[0].Text)
		case tenfold.AssistantMessage:
			out = append(out, m.Text)
		}
	}
	if shown {
		for it := range s.Projection().Items() {
			say(it.Payload)
		}
		return out
	}
	for e := range s.Log().Entries() {
		if e.Branch == "" {
			say(e.Payload)
		}
	}
	return out
}

// X2: a history that is rewound goes on in its log, which keeps what was said before and
// shows what is said now. Nobody can undo that, or redo it.
func TestX2ARewindGoesOnInTheLog(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		c := newClient(newPlace(t), "one")
		for range 4 {
			c.turn(200)
		}
		// What its host puts in is taken back with the rest (P8a).
		c.messages = append(c.messages, `{"role":"user","content":[`+said("<system-reminder>Be brief.</system-reminder>")+`,`+said("And now?")+`]}`)
		c.answered(c.send(), said("That is all."))
		keeper.Rest(c.k, true)
		first := c.status().ID
		before := texts(c.open(first), false)
		c.messages = c.messages[:8] // two turns
		if c.n = 10; restarts {
			c.restart()
		}
		c.turn(200)
		c.close()
		s := c.only(t)
		if said := texts(s, false); s.ID() != first || len(said) <= len(before) || !slices.Equal(said[:len(before)], before) {
			t.Errorf("the log says %q, and said %q", said, before)
		}
		want := []string{
			"Look at file_1.go, please.", "file 1 is read", "Look at file_2.go, please.", "file 2 is read", "Look at file_11.go, please.", "file 11 is read",
		}
		if said := texts(s, true); !slices.Equal(said, want) {
			t.Errorf("the view says %q", said)
		}
		if _, err := s.Undo(t.Context()); !errors.Is(err, session.ErrNothingToUndo) {
			t.Errorf("undo: %v", err)
		}
		if _, err := s.UndoAll(t.Context()); !errors.Is(err, session.ErrNothingToUndo) {
			t.Errorf("undo of all: %v", err)
		}
		if f := c.failures(); len(f) > 0 {
			t.Errorf("failures: %q", f)
		}
	}
}

// X2: what was answered and is asked again word for word leaves no copy: the view shows
// the answer that the client goes on with, whichever it is.
func TestX2AskedAgainWordForWord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		turns            int
		first            bool // the client goes on with the first answer
		restarts, called bool
	}{
		{name: "another answer", turns: 3},
		{name: "the first answer", turns: 3, first: true},
		{name: "of the first turn", turns: 1},
		{name: "through another proxy", turns: 3, restarts: true},
		{name: "an answer that calls", turns: 3, called: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(newPlace(t), "one")
			for range test.turns {
				c.turn(200)
			}
			if test.called {
				c.user("Look at another one.")
				c.answered(c.send(), said("I look.")+`,{"type":"tool_use","id":"toolu_again","name":"Read","input":{}}`)
			}
			keeper.Rest(c.k, true)
			n := len(c.messages) - 1
			answer := c.messages[n]
			for _, again := range []string{"once more", "and once more"} {
				if c.messages = c.messages[:n]; test.restarts {
					c.restart()
				}
				c.answered(c.send(), said(again))
				keeper.Rest(c.k, true)
			}
			if test.first {
				c.messages[n] = answer
			}
			c.n = 10
			c.turn(200)
			c.close()
			s := c.only(t)
			said := strings.Join(texts(s, true), "\n")
			for text, want := range map[string]int{
				"once more\n": map[bool]int{false: 1}[test.first], "and once more": map[bool]int{false: 1}[test.first],
				fmt.Sprintf("file %d is read", test.turns): map[bool]int{true: 1}[test.first || test.called], "I look.": 0, "file 11 is read": 1,
				"Look at file_11.go, please.": 1, fmt.Sprintf("Look at file_%d.go, please.", test.turns): 1,
			} {
				if strings.Count(said, text) != want {
					t.Errorf("the view says %q %d times, want %d: %q", text, strings.Count(said, text), want, said)
				}
			}
			if all := strings.Join(texts(s, false), "\n"); strings.Count(all, "once more") != 2 {
				t.Errorf("the log says %q", all)
			}
			if f := c.failures(); len(f) > 0 {
				t.Errorf("failures: %q", f)
			}
		})
	}
}

// X2: what a client asked, gave up before anybody answered, and forgot is kept beside
// the conversation, and is no copy of it.
func TestX2AForgottenPromptLeavesNoCopy(t *testing.T) {
	t.Parallel()
	for _, goesOn := range []bool{true, false} {
		c := newClient(newPlace(t), "one")
		for range 3 {
			c.turn(200)
		}
		keeper.Rest(c.k, true)
		kept := slices.Clone(c.messages)
		c.user("Look at everything.")
		c.send().Done(200, true) // it breaks off
		if c.messages = kept; !goesOn {
			c.restart() // what was not answered is stored
		}
		c.n = 10
		c.turn(200)
		c.pass(time.Minute)
		c.turn(200)
		c.close()
		s := c.only(t)
		if said := strings.Join(texts(s, true), "\n"); strings.Contains(said, "everything") || !strings.Contains(said, "file 12 is read") {
			t.Errorf("the view says %q", said)
		}
		if f := c.failures(); len(f) > 0 {
			t.Errorf("failures: %q", f)
		}
	}
}

// X2: of two histories that go on from the same beginning in turns, each is shown its own,
// and the second to go on has a copy: never a mix.
func TestX2TwoThatGoOnInTurns(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for range 3 {
		c.turn(200)
	}
	keeper.Rest(c.k, true)
	two := *c
	two.messages = slices.Clone(c.messages)
	for i := range 3 {
		c.n, two.n = 10+10*i, 100+10*i
		c.turn(200)
		keeper.Rest(c.k, true)
		two.turn(200)
		keeper.Rest(c.k, true)
	}
	c.close()
	all := c.conversations()
	if len(all) != 2 {
		t.Fatalf("%d conversations", len(all))
	}
	for _, id := range all {
		said := strings.Join(texts(c.open(id), true), "\n")
		if own, others := strings.Count(said, "file_11.go")+strings.Count(said, "file_31.go"), strings.Count(said, "file_101.go")+strings.Count(said, "file_121.go"); own+others != 2 || own*others != 0 {
			t.Errorf("a conversation says %q", said)
		}
	}
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X2: a client that goes back in a log which another one goes on with, and has itself
// compacted there, says nothing behind that. The other goes on in a copy all the same.
func TestX2TakenBackByOneThatOnlyCompacts(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for range 4 {
		c.turn(1500)
	}
	two := *c
	two.messages = slices.Clone(c.messages)
	two.compact()
	c.turn(200)
	c.turn(200)
	two.compact()
	c.turn(200)
	c.close()
	var all []string
	for _, id := range c.conversations() {
		said := strings.Join(texts(c.open(id), true), "\n")
		n := 0
		for i := range 3 {
			n += strings.Count(said, fmt.Sprintf("file %d is read", 5+i))
		}
		if all = append(all, said); n > 0 && n < 3 {
			t.Errorf("a conversation says %q", said)
		}
	}
	if said := strings.Join(all, "\n"); !strings.Contains(said, "file 7 is read") {
		t.Errorf("the conversations say %q", said)
	}
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// B1: what was thought before a rewind is bound to what still stands before it.
func TestB1ARewindLeavesWhatWasThoughtBefore(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for strategy, want := range map[string]bool{tenfold.StrategyRewind: false, "fit": true} {
		l := tenfold.NewLog()
		if _, err := l.Append(
			tenfold.Entry{Time: at, Payload: tenfold.UserMessage{Parts: tenfold.Text("one")}},
			tenfold.Entry{Time: at.Add(time.Second), Payload: tenfold.Compaction{Source: "import", Strategy: strategy, Turns: tenfold.Keep}},
			tenfold.Entry{Time: at, Payload: tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2ln"}}, // brought later
		); err != nil {
			t.Fatal(err)
		}
		if keeper.Stale(l)[3] != want {
			t.Errorf("after %s the thought is stale: %v", strategy, !want)
		}
	}
}

// interrupted is a store in which somebody else writes before an attempt at a compaction begins.
type interrupted struct {
	store.Store
	write func()
}

func (s *interrupted) Append(ctx context.Context, b store.Batch) (int64, error) {
	begins := func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindCompactionAttempt }
	if write := s.write; write != nil && slices.ContainsFunc(b.Entries, begins) {
		s.write = nil
		write()
	}
	return s.Store.Append(ctx, b)
}

// X2: another program goes back in the log, and compacts it, while a request is compacted. The request goes as
// it came, never with what the other one said, and its history goes on in a copy.
func TestX2TakenBackWhileItIsCompacted(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Turns = 10
	for range 8 {
		c.turn(1500)
	}
	st := &interrupted{Store: c.store}
	c.restart()
	c.turn(100)
	keeper.Rest(c.k, true)
	c.store = st
	c.restart()
	c.pass(6 * time.Minute)
	st.write = func() {
		s, err := session.NewService(st.Store, session.WithClock(c.clock)).Open(t.Context(), c.conversations()[0])
		if err != nil {
			t.Error(err)
			return
		}
		var answer int64
		for e := range s.Log().Entries() {
			if m, ok := e.Payload.(tenfold.AssistantMessage); ok && m.Text == "file 6 is read" {
				answer = e.Seq
			}
		}
		if done, err := s.Rewind(t.Context(), answer, "rewound in the other one"); !done || err != nil {
			t.Errorf("not rewound: %v, %v", done, err)
		}
		if err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("the other one speaks")}}); err != nil {
			t.Error(err)
		}
		if done, err := s.Compact(t.Context(), session.Request{Target: strategy.Share(50)}); err != nil || done.Outcome != session.Applied {
			t.Errorf("not compacted: %q, %v", done.Outcome, err)
		}
	}
	sent := c.turn(100)
	if st.write != nil {
		t.Fatal("nobody wrote")
	}
	for _, one := range sent {
		if asked := fmt.Sprintf("Look at file_%d.go", c.n); strings.Contains(one, "other one") || !strings.Contains(one, asked) {
			t.Errorf("sent without %q: %.300q", asked, one)
		}
	}
	c.pass(time.Hour)
	for _, one := range c.turn(100) {
		if strings.Contains(one, "other one") {
			t.Errorf("later sent %.300q", one)
		}
	}
	c.close()
	if n := len(c.conversations()); n != 2 {
		t.Errorf("%d conversations", n)
	}
}

// looked is a store in which somebody else is asked something before a client is looked for.
type looked struct {
	store.Store
	ask func()
}

func (s *looked) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	if ask := s.ask; ask != nil {
		s.ask = nil
		ask()
	}
	return s.Store.Imported(ctx, key)
}

// X2: a client goes back, and before its log is read another one asks something that goes on
// in it. Nobody gave up what the first asks: it goes on in a copy, and is told there.
func TestX2AskedAtOnce(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	st := &looked{Store: c.store}
	c.store = st
	c.restart()
	for range 4 {
		c.turn(1500)
	}
	two := *c
	two.messages = slices.Clone(c.messages)
	c.turn(200)
	two.compact()
	two.messages, two.n = two.messages[:12], 10 // three turns
	two.turn(200)
	keeper.Rest(c.k, true)
	c.messages, c.n = c.messages[:8], 20
	c.user("I ask first.")
	var second proxy.Exchange
	st.ask = func() {
		two.user("I ask second.")
		second = two.send()
	}
	ex := c.send()
	if second == nil {
		t.Fatal("nobody asked")
	}
	c.answered(ex, said("to the first"))
	two.answered(second, said("to the second"))
	c.close()
	var all []string
	for _, id := range c.conversations() {
		said := texts(c.open(id), true)
		all = append(all, strings.Join(said[len(said)-2:], "|"))
	}
	if slices.Sort(all); !slices.Contains(all, "I ask first.|to the first") || !slices.Contains(all, "I ask second.|to the second") {
		t.Errorf("the conversations end with %q", all)
	}
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X2: a client has the last bytes of an answer before all of it is heard here. The request
// that brings it back is not compared before that: what its host says at the end is another
// text by then, and it would be taken for another history.
func TestX2AnAnswerIsHeardOutBeforeItIsCompared(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.budget = true
	c.turn(200)
	c.user("And now?")
	ex := c.send()
	listener := ex.Heard()
	_, _ = listener.Write([]byte(`{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[` + said("That is all.") + `],"stop_reason":"end_turn","usage":{"input_tokens":40,"output_tokens":4}}`))
	c.messages = append(c.messages, `{"role":"assistant","content":[`+said("That is all.")+`]}`)
	c.user("Thank you.")
	next := make(chan proxy.Exchange)
	go func() { next <- c.send() }()
	var early proxy.Exchange
	select {
	case early = <-next:
		t.Error("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	ex.Done(200, false)
	if early == nil {
		early = <-next
	}
	c.answered(early, said("Welcome."))
	c.close()
	if said := strings.Join(texts(c.only(t), false), "|"); !strings.Contains(said, "And now?|That is all.|Thank you.|") || !strings.HasSuffix(said, "Welcome.") {
		t.Errorf("the log says %q", said)
	}
	for e := range c.only(t).Log().Entries() {
		if e.Time.Year() < 2026 {
			t.Errorf("entry %d is of %v", e.Seq, e.Time)
		}
	}
}
