package session_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// madeIn are the compactions of a log, to be compared.
func madeIn(t *testing.T, r *running) string {
	t.Helper()
	made := payloads[tenfold.Compaction](r.log())
	made[0].Command = "" // is made up
	out, err := json.Marshal(made, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// X9, X3: reading ahead writes nothing, and changes nothing of what a full context is
// compacted to: a process that begins anew does the same.
func TestX9ReadingAheadChangesNoPlan(t *testing.T) {
	t.Parallel()
	compacted := func(ahead bool) string {
		r := run(t, memory.New())
		read := func() {
			version := r.log().Version()
			if ahead {
				r.c.ReadAhead()
			}
			if r.log().Version() != version {
				t.Error("reading ahead wrote something")
			}
		}
		r.turn()
		for range 9 {
			r.call(900)
			read()
		}
		r.say()
		r.turn()
		r.want(r.settle(), session.Compacted, session.Ready)
		return madeIn(t, r)
	}
	if with, without := compacted(true), compacted(false); with != without {
		t.Errorf("compacted after reading ahead:\n%s\nwithout:\n%s", with, without)
	}
}

// X9: what is read while the store writes it changes no plan either, nor does what the store
// refused.
func TestX9ReadingAlongChangesNoPlan(t *testing.T) {
	t.Parallel()
	compacted := func(along bool) string {
		r := run(t, memory.New())
		r.live.Lifetime = time.Hour
		r.reopen()
		said := func(id, text string) []tenfold.Entry {
			return []tenfold.Entry{{ID: id, Time: r.clock.now, Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}}
		}
		write := func(e []tenfold.Entry) error {
			if along {
				return r.c.AppendAhead(t.Context(), e...)
			}
			return r.c.Session().Append(t.Context(), e...)
		}
		r.turn()
		for range 7 {
			r.call(900)
		}
		r.say()
		r.turn()
		if err := write(said("more", "What of call3.go?")); err != nil {
			t.Fatal(err)
		}
		if n := r.c.Session().ReadFor(); along && n != r.log().Version() || !along && n != 0 {
			t.Errorf("along %t: read up to %d of %d", along, n, r.log().Version())
		}
		other, err := r.service().Open(t.Context(), r.id)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Append(t.Context(), said("first", "And of call4.go?")...); err != nil {
			t.Fatal(err)
		}
		if err := write(said("refused", "And of call5.go?")); !errors.As(err, new(*store.ConflictError)) {
			t.Errorf("appended behind what nobody read: %v", err)
		}
		if r.c.Session().ReadFor() > r.log().Version() {
			t.Error("what was refused is known")
		}
		if err := r.c.Session().Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.call(900)
		r.call(900)
		r.say()
		r.turn()
		r.want(r.settle(), session.Compacted, session.Ready)
		return madeIn(t, r)
	}
	r := run(t, memory.New())
	r.turn()
	r.call(6500)
	if err := r.c.AppendAhead(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}); err != nil || r.c.Session().ReadFor() != 0 {
		t.Errorf("%v, read up to %d although no request waits for a plan", err, r.c.Session().ReadFor())
	}
	if with, without := compacted(true), compacted(false); with != without {
		t.Errorf("compacted after reading along:\n%s\nwithout:\n%s", with, without)
	}
}

// Only on the way to the limit something is read: most conversations never get there.
func TestX9ReadsAheadNearTheLimitAlone(t *testing.T) {
	t.Parallel()
	r := run(t, memory.New())
	r.turn()
	r.call(5500) // of a limit of 8,000
	r.c.ReadAhead()
	if r.c.Session().ReadFor() != 0 {
		t.Error("read at 55 % of the window")
	}
	r.call(1000)
	r.c.ReadAhead()
	if n := r.c.Session().ReadFor(); n != r.log().Version() {
		t.Errorf("read up to %d of %d", n, r.log().Version())
	}
	r.live.Auto.Enabled = false
	r.reopen()
	r.c.ReadAhead()
	if r.c.Session().ReadFor() != 0 {
		t.Error("read although nothing is compacted by itself")
	}
}

// X9, V2c: the plan by which a cold cache is found worth a compaction is the one that is
// done, whatever a person says meanwhile. It is made anew after an answer, and where
// another one is wanted.
func TestX9APlanForAColdCacheIsMadeOnce(t *testing.T) {
	t.Parallel()
	r := cooling(t, 4500)
	r.clock.pass(6 * time.Minute)
	plan := r.next().Fitted()
	r.turn()
	due := r.next()
	if due.Fitted() != plan || plan == nil {
		t.Error("a word of the person's has it planned anew")
	}
	if d, err := r.c.Run(t.Context(), due); err != nil || d.Result.Plan.Fitted != plan || d.Target != due.Target {
		t.Errorf("planned anew: %+v, %v", d, err)
	}

	r = cooling(t, 4500)
	r.clock.pass(6 * time.Minute)
	plan = r.next().Fitted()
	r.say()
	r.turn()
	r.clock.pass(6 * time.Minute)
	later := r.next().Fitted()
	r.live.Auto.Strategies = []strategy.Strategy{strategy.Fit{Edits: 10}}
	r.c = r.c.Session().Control(r.live)
	if other := r.next().Fitted(); later == nil || later == plan || other == nil || other == later {
		t.Error("a plan is taken for another one")
	}
}
