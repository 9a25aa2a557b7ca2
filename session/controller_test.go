package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

// running is a live conversation, small enough to fill its window soon: a token
// is four characters.
type running struct {
	t     testing.TB
	clock *clock
	store store.Store
	id    string
	live  session.Live
	c     *session.Controller
	n     int
}

// window is the context of its model.
const window = 10_000

func run(t testing.TB, st store.Store, id ...string) *running {
	t.Helper()
	r := &running{t: t, store: st, id: strings.Join(append(id, "c"), "-"), clock: &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	r.live = session.Live{
		Request: session.Request{Options: strategy.Options{Window: window}},
		Auto:    session.LiveAuto{Enabled: true},
		Turns:   2,
	}
	if _, err := r.service().Create(context.Background(), session.Create{ID: r.id}); err != nil {
		t.Fatal(err)
	}
	r.reopen()
	return r
}

func (r *running) service(o ...session.Option) *session.Service {
	return session.NewService(r.store, append(o, session.WithClock(r.clock.read), session.WithCounter(tenfold.Chars4{}))...)
}

// reopen is what a restart leaves: the store and the clock.
func (r *running) reopen(o ...session.Option) {
	r.t.Helper()
	s, err := r.service(o...).Open(context.Background(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	r.c = s.Control(r.live)
}

func (r *running) add(payloads ...tenfold.Payload) {
	r.t.Helper()
	for _, p := range payloads {
		r.n++
		if err := r.c.Appended(context.Background(), tenfold.Entry{ID: fmt.Sprintf("e%d", r.n), Time: r.clock.now, Payload: p}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// turn begins a turn with a request.
func (r *running) turn() {
	r.add(tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("Look at file_%d.go.", r.n))})
}

// call is a step with a result of so many tokens, of which most can go.
func (r *running) call(tokens int) {
	id := fmt.Sprintf("call%d", r.n)
	r.add(tenfold.ToolCall{CallID: id, Name: "Read", Arguments: `{"file_path":"/w/` + id + `.go"}`})
	r.answer(id, tokens)
}

func (r *running) answer(id string, tokens int) {
	line := func(n int) string {
		return fmt.Sprintf("%c%c: a line of %s that nobody needs\n", 'a'+n/26, 'a'+n%26, id)
	}
	var text strings.Builder
	for n := range 4 * tokens / len(line(0)) {
		text.WriteString(line(n))
	}
	r.add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text.String())})
}

func (r *running) say() { r.add(tenfold.AssistantMessage{Text: "done with that"}) }

// stuck leaves a view that nothing can be taken from: a request of so many tokens.
func (r *running) stuck(tokens int) {
	r.add(tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("word ", 4*tokens/5))})
}

func (r *running) next() session.Decision {
	r.t.Helper()
	d, err := r.c.Next(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *running) settle() session.Decision {
	r.t.Helper()
	d, err := r.c.Settle(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *running) ask(w session.Wish) session.Decision {
	r.t.Helper()
	d, err := r.c.Ask(context.Background(), w)
	if err == nil {
		d, err = r.c.Run(context.Background(), d)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *running) status() session.Status {
	r.t.Helper()
	s, err := r.c.Status(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *running) want(got session.Decision, action session.Action, state session.State) {
	r.t.Helper()
	if got.Action != action || got.State != state {
		r.t.Fatalf("%s (%s), now %s; want %s, %s", got.Action, got.Reason, got.State, action, state)
	}
}

func (r *running) log() *tenfold.Log { return r.c.Session().Log() }

// payloads are those of a kind in the log.
func payloads[P tenfold.Payload](l *tenfold.Log) []P {
	var out []P
	for e := range l.Entries() {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// A2: auto is evaluated between turns, and inside a turn only when the next
// request would not fit.
func TestA2AutoRunsBetweenTurns(t *testing.T) {
	r := run(t, memory.New())
	r.turn()
	r.call(4000)
	r.call(4500) // 85 %
	r.want(r.next(), session.GoOn, session.Ready)
	r.call(1000) // over 95 %
	if d := r.next(); d.Action != session.Compact || !strings.Contains(d.Reason, "no room for an answer") {
		t.Fatalf("a request that does not fit gives %s: %s", d.Action, d.Reason)
	}

	r = run(t, memory.New())
	r.turn()
	r.call(4000)
	r.call(4500)
	r.say()
	if d := r.next(); d.Action != session.Compact || !strings.Contains(d.Reason, "over 80%") {
		t.Fatalf("after the turn: %s: %s", d.Action, d.Reason)
	}
	r.turn()
	d := r.settle()
	r.want(d, session.Compacted, session.Ready)
	// A7: what is recorded of a success.
	made := payloads[tenfold.Compaction](r.log())
	if len(made) != 1 || made[0].Source != "auto" || made[0].Reason != d.Reason || !strings.Contains(d.Reason, "over 80%") ||
		made[0].TokensBefore != d.Result.Plan.Before || made[0].TokensAfter != d.Result.Plan.After || d.Result.Count != 1 {
		t.Fatalf("recorded is %+v of %+v", made, d.Result.Plan)
	}
	if tokens := r.status().Tokens; tokens > d.Target || d.Target > window/2 {
		t.Fatalf("%d tokens, the target was %d", tokens, d.Target)
	}
	r.want(r.next(), session.GoOn, session.Ready)
	// With auto off, nothing is ever due.
	r.live.Auto.Enabled = false
	r.reopen()
	r.turn()
	r.call(2 * window)
	r.want(r.next(), session.GoOn, session.Ready)
}
