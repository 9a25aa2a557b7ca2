package keeper_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/strategy"
)

// work is what is done of the work that takes time with the length of a conversation.
type work struct{ plans, read, edited atomic.Int64 }

// counted is Anthropic's wire, with what is read and edited counted by the message.
type counted struct {
	wire.Anthropic
	*work
}

func (c counted) Read(r *wire.Request, message int) ([]wire.Piece, error) {
	c.read.Add(1)
	return c.Anthropic.Read(r, message)
}

func (c counted) Edit(r *wire.Request, upto int, pieces [][]wire.Piece, shown []tenfold.Item) ([]byte, error) {
	c.edited.Add(int64(upto))
	return c.Anthropic.Edit(r, upto, pieces, shown)
}

// planned is fit, with its plans counted.
type planned struct {
	strategy.Fit
	*work
}

func (p planned) Propose(ctx context.Context, view *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	p.plans.Add(1)
	return p.Fit.Propose(ctx, view, o)
}

// X9: the request that begins an epoch waits for no plan, reads what it adds and no
// more, and edits the answer that it brings back and no more: whether the context got
// full by an answer, with a thought in it or without, by what the person said, or inside
// a turn, in which the model thinks.
func TestX9TheRequestThatBeginsAnEpochDoesWhatItAdds(t *testing.T) {
	t.Parallel()
	thought := `{"type":"thinking","thinking":"hm","signature":"Ym91bmQ"},`
	call := func(n int) string {
		return fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}`, n, n)
	}
	for name, one := range map[string]struct {
		thinks string
		words  int // that the person says at once
		loop   bool
	}{
		"the answer": {}, "a thought": {thinks: thought}, "words": {words: 700}, "words and a thought": {words: 700, thinks: thought},
		"inside a turn": {loop: true}, "inside a turn, with thoughts": {loop: true, thinks: thought},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var done work
			c := newClient(newPlace(t), "one")
			c.moves = true
			c.live.Auto.Strategies = []strategy.Strategy{planned{strategy.Fit{Target: strategy.Tokens(2000)}, &done}}
			c.restart()
			take := func() (ex proxy.Exchange, begins bool) {
				keeper.Rest(c.k, false)
				plans, read, edited := done.plans.Load(), done.read.Load(), done.edited.Load()
				ex = c.k.Take(context.Background(), proxy.Incoming{Protocol: counted{wire.Anthropic{}, &done}, Kind: c.kind, Path: c.path, Header: c.header, Body: c.body()})
				plans, read, edited = done.plans.Load()-plans, done.read.Load()-read, done.edited.Load()-edited
				begins = strings.Contains(string(ex.Body()), "[Earlier parts")
				// The answer and what follows it are read once, to be stored, found there again
				// and drawn; the answer once more, to tell whose it is; and the message that
				// had the client's mark for the cache before, as it reads otherwise without.
				if begins && (plans > 0 || read > 4 || edited > 1) { // beside the others there is work
					t.Errorf("the request of %d messages waited for %d plans, for %d messages read and %d edited", len(c.messages), plans, read, edited)
				}
				if begins && strings.Contains(string(ex.Body()), "Ym91bmQ") {
					t.Errorf("a thought is shown that is bound to another view (B1): %s", ex.Body())
				}
				return ex, begins
			}
			c.user("Read all of them.")
			for n := 1; n < 60; n++ {
				ex, begins := take()
				if !begins {
					c.answered(ex, one.thinks+call(n))
					c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, n, said(strings.Repeat("a line of the file\n", 60))))
					if one.loop {
						continue
					}
					ex, begins = take()
				}
				c.answered(ex, one.thinks+said("that is read"))
				if begins {
					c.close()
					if f := c.failures(); len(f) > 0 || n < 10 {
						t.Errorf("after %d turns, %q", n, f)
					}
					return
				}
				c.pass(time.Second)
				keeper.Rest(c.k, true)
				words := 2
				if used := len(c.body()) / 4; used > window*7/10 && used < window*8/10 {
					words = one.words + 2
				}
				c.user("And then?" + strings.Repeat(" more", words))
			}
			t.Fatal("no epoch began")
		})
	}
}

// slow is fit, which says when it begins and waits until it may go on.
type slow struct {
	strategy.Fit
	begun, goOn chan struct{}
}

func (s slow) Propose(ctx context.Context, view *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	s.begun <- struct{}{}
	<-s.goOn
	return s.Fit.Propose(ctx, view, o)
}

// X9, B1: a program that asks again while the compaction at the end of its turn is made
// waits for the rest of it: what the model thinks in the new turn is bound to one view.
func TestX9ATurnBeginsWithTheViewThatItKeeps(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	plan := slow{strategy.Fit{Target: strategy.Tokens(2000)}, make(chan struct{}), make(chan struct{})}
	c.live.Auto.Strategies = []strategy.Strategy{plan}
	c.restart()
	c.hasty = true
	for begun := false; !begun; {
		c.turn(2000)
		for busy := true; busy && !begun; {
			select {
			case <-plan.begun: // as the turn ended, without a rest
				begun = true
			case <-time.After(time.Millisecond):
				busy = keeper.Busy(c.k)
			}
		}
	}
	c.user("And then?")
	asked := make(chan proxy.Exchange)
	go func() { asked <- c.send() }()
	plan.goOn <- struct{}{}
	ex := <-asked
	if !strings.Contains(string(ex.Body()), "[Earlier parts") {
		t.Errorf("the next turn begins with %s", ex.Body())
	}
	c.answered(ex, said("fine"))
	c.close()
}

// X3: what was drawn ahead is taken where the view is still the same.
func TestX9WhatWasDrawnAheadIsHeldAgainstTheView(t *testing.T) {
	t.Parallel()
	for _, thought := range []string{"", `{"type":"thinking","thinking":"hm","signature":"Ym91bmQ"},`} {
		want := ""
		for _, how := range []string{"", "items", "base", "messages", "epoch", "seqs"} {
			c := newClient(newPlace(t), "one")
			c.thought = thought
			c.user("Read all of them.")
			for n := 0; ; n++ {
				ex := c.send()
				keeper.Rest(c.k, false)
				if keeper.Spoil(c.k, how) {
					c.answered(ex, thought+said("that is read")) // while it was answered
					break
				}
				c.answered(ex, thought+fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}`, n, n))
				c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, n, said(strings.Repeat("a line of the file\n", 60))))
			}
			keeper.Spoil(c.k, how) // as it is after a thought
			c.user("And then?")
			got := string(c.send().Body())
			if how == "" {
				want = got
			}
			if !strings.Contains(got, "[Earlier parts") || got != want {
				t.Errorf("spoiled %q: sent is %s", how, got)
			}
			c.close()
		}
	}
}

// X9: a proxy that is started anew holds no request up either that fits.
func TestX9AfterARestartARequestThatFitsWaitsForNoPlan(t *testing.T) {
	t.Parallel()
	var done work
	c := newClient(newPlace(t), "one")
	c.live.Auto.Strategies = []strategy.Strategy{planned{strategy.Fit{Target: strategy.Tokens(2000)}, &done}}
	c.restart()
	for len(c.body())/4 < window*7/10 {
		c.turn(1000)
	}
	c.restart()
	c.user("And then?" + strings.Repeat(" more", 700))
	ex := c.send()
	if sent := string(ex.Body()); sent != string(c.body()) || len(sent)/4 < window*8/10 || len(sent)/4 > window*9/10 || done.plans.Load() > 0 {
		t.Errorf("%d plans, and %d of %d bytes were sent", done.plans.Load(), len(sent), len(c.body()))
	}
	c.answered(ex, said("fine"))
	if c.user("And then?"); !strings.Contains(string(c.send().Body()), "[Earlier parts") {
		t.Error("the next turn does not begin the epoch")
	}
	c.close()
}
