package keeper_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/keeper"
	"tenfold/session"
	"tenfold/store/memory"
)

// X6: what the vendor refuses is tried once with the originals, and the history
// passes from then on.
func TestX6RefusedRequestsGoAsTheyCame(t *testing.T) {
	t.Parallel()
	c := filled(t)
	c.turn(100)
	c.user("And now?")
	ex := c.send()
	edited := string(ex.Body())
	if edited == string(c.body()) {
		t.Fatal("nothing is edited")
	}
	for _, status := range []int{401, 403, 429, 500, 529} {
		if ex.Refused(status, []byte(`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`)) != nil {
			t.Errorf("tried again after %d", status)
		}
	}
	invalid := []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"messages: bad"}}`)
	again := string(ex.Refused(400, invalid))
	if again == "" || strings.Contains(again, "[Earlier parts") || strings.Contains(again, "[compacted]") {
		t.Fatalf("tried again with %s", again)
	}
	if again != string(ex.Body()) {
		t.Error("Body is not what is tried")
	}
	if ex.Refused(400, invalid) != nil {
		t.Error("tried a third time")
	}
	c.answered(ex, said("fine"))
	if st := c.status(); !strings.Contains(st.Passing, "400") {
		t.Errorf("passing is %q", st.Passing)
	}
	p := c.open(c.status().ID).Projection() // the log tells of it: that is an undo
	if newest, ok := p.Undoable(); ok || len(slices.Collect(p.Overlays())) == 0 {
		t.Errorf("the log has %d compactions, of which stands %q", len(slices.Collect(p.Overlays())), newest.ID)
	}
	epochs := c.status().Epochs
	for range 10 {
		for _, sent := range c.turn(3000) {
			if strings.Contains(sent, "[compacted]") {
				t.Fatal("edited again")
			}
		}
	}
	if st := c.status(); st.Epochs > epochs+1 {
		t.Errorf("epochs go on: %+v", st)
	}
	if f := c.failures(); len(f) != 1 || !strings.Contains(f[0], "400") {
		t.Errorf("recorded failures are %q", f)
	}
	c.close()
}

// X6: a request that is refused as it came is the client's own affair.
func TestX6UneditedRequestsAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.user("Hello.")
	ex := c.send()
	if ex.Refused(400, []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}`)) != nil {
		t.Error("tried again")
	}
	ex.Done(400, false)
	if st := c.status(); st.Passing != "" {
		t.Errorf("passing is %q", st.Passing)
	}
	c.close()
}

// A2: a context that the vendor calls too long is compacted, and tried again once.
func TestX6TooLongIsCompacted(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for range 4 {
		c.turn(3000)
	}
	c.user("And now?")
	ex := c.send()
	long := []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`)
	before := len(ex.Body())
	again := ex.Refused(400, long)
	if again == nil || len(again) > before*6/10 {
		t.Fatalf("tried again with %d bytes of %d; failures %q", len(again), before, c.failures())
	}
	if ex.Refused(400, long) != nil {
		t.Error("tried a third time")
	}
	c.answered(ex, said("fine"))
	if st := c.status(); st.Epochs != 1 || st.Passing != "" {
		t.Errorf("status is %+v", st)
	}
	c.close()
}

// V7: that nothing can be made of what the vendor calls too long is told.
func TestV7TooLongAndNothingToCompactIsTold(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.user("Hello.")
	ex := c.send()
	if ex.Refused(400, []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`)) != nil {
		t.Error("tried again")
	}
	ex.Done(400, false)
	c.close()
	if f := c.failures(); len(f) != 1 || !strings.Contains(f[0], "the context is too long for the vendor") {
		t.Errorf("recorded failures are %q", f)
	}
}

// X6: a client that says another date in each request, or has other tools, misses the cache by
// itself: that is no reason to shorten its conversation no more.
func TestX6BreakerLooksAtTheHead(t *testing.T) {
	t.Parallel()
	c := filled(t)
	c.turn(100)
	for n := range 6 {
		c.system = fmt.Sprintf("%d o'clock. You are one", n)
		c.user("What time is it?")
		c.answered(c.send(), said(fmt.Sprint(n)))
	}
	if st := c.status(); st.Passing != "" || !strings.Contains(c.cached, "[Earlier parts") {
		t.Errorf("passing is %q", st.Passing)
	}
	c.close()
}

// X6: an epoch whose beginning the vendor's cache does not have is given up.
func TestX6BreakerStopsEditing(t *testing.T) {
	t.Parallel()
	c := filled(t)
	c.turn(100)
	if st := c.status(); st.Passing != "" || st.CacheRead <= 0.3 {
		t.Fatalf("with a cache: %+v", st)
	}
	c.nocache = true
	c.turn(100)
	c.turn(100)
	keeper.Rest(c.k, false)
	if st := c.status(); !strings.Contains(st.Passing, "cache") {
		t.Fatalf("passing is %q", st.Passing)
	}
	sent := c.turn(100)
	if strings.Contains(sent[0], "[compacted]") {
		t.Error("still edited")
	}
	c.close()
}

// X6: numbers of usage that mean nothing, and answers that are cut anywhere, change
// nothing: no request is edited for them, no figure is wrong, and the log is whole.
func TestX6OddAnswers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClient(newPlace(t), "one")
		number := rapid.SampledFrom([]int64{math.MinInt64, -1 << 40, -1, 0, 1, 100, 1 << 40, math.MaxInt64 - 1, math.MaxInt64})
		for n := range rapid.IntRange(1, 8).Draw(t, "requests") {
			c.user(fmt.Sprintf("Question %d.", n))
			ex := c.send()
			if !bytes.Equal(ex.Body(), c.body()) {
				t.Fatalf("a short conversation goes as %s", ex.Body())
			}
			said := said(fmt.Sprintf("answer %d", n))
			answer := fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"m","content":[%s],"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":%d}}`,
				said, number.Draw(t, "input"), number.Draw(t, "read"), number.Draw(t, "written"), number.Draw(t, "output"))
			if rapid.Bool().Draw(t, "streamed") {
				answer = fmt.Sprintf("event: message_start\ndata: {\"type\":\"message_start\",\"message\":%s}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", answer)
			}
			cut := rapid.Bool().Draw(t, "cut")
			if cut {
				answer = answer[:rapid.IntRange(0, len(answer)).Draw(t, "bytes")]
			}
			if l := ex.Heard(); l != nil {
				_, _ = l.Write([]byte(answer))
			}
			ex.Done(200, cut)
			keeper.Rest(c.k, rapid.Bool().Draw(t, "flush"))
			c.messages = append(c.messages, `{"role":"assistant","content":[`+said+`]}`)
		}
		st := c.status()
		if st.Sent < 0 || st.Sent > 1<<30 || st.Saved != 0 || st.CacheRead < 0 || st.CacheRead > 1 || st.Passing != "" || st.Epochs != 0 {
			t.Fatalf("status is %+v", st)
		}
		c.close()
		if f := c.failures(); len(f) > 0 {
			t.Fatalf("failures: %q", f)
		}
		for _, id := range c.conversations() {
			for e := range c.open(id).Log().Entries() {
				if u, ok := e.Payload.(tenfold.Usage); ok && min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
					t.Fatalf("the log has %+v", u)
				}
			}
		}
	})
}

// V7: a store that fails costs nobody a request.
func TestV7RequestsGoOnWithoutAStore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.close()
	p.k = keeper.New(keeper.Options{
		Open:      func(context.Context) (*session.Service, error) { return nil, errors.New("no disk") },
		Configure: func(string, string) (session.Live, error) { return p.live, nil },
		Fail:      func(_, _, why string) { p.mu.Lock(); p.failed = append(p.failed, why); p.mu.Unlock() },
		Now:       p.clock,
		Patience:  time.Hour,
	})
	c := newClient(p, "one")
	for range 10 {
		for _, sent := range c.turn(4000) {
			if strings.Contains(sent, "[compacted]") {
				t.Fatal("edited without a log")
			}
		}
	}
	if err := p.k.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("closed with %v", err)
	}
	if f := p.failures(); len(f) == 0 || !strings.Contains(f[0], "no disk") {
		t.Errorf("failures are %q", f)
	}
}

// X8: credentials come into no entry, id or title.
func TestX8CredentialsAreNotStored(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(p, "one")
	c.header.Del("X-Claude-Code-Session-Id")
	c.header.Set("X-Api-Key", "sk-secret")
	c.turn(100)
	p.close()
	for con, err := range p.store.(*memory.Store).Conversations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all := con.ID + con.Title + con.Origin.Key + con.Origin.Mark + con.Origin.Directory
		for e := range p.open(con.ID).Log().Entries() {
			raw, err := tenfold.MarshalPayload(e.Payload)
			if err != nil {
				t.Fatal(err)
			}
			all += e.ID + e.Source + e.Branch + string(raw)
		}
		if strings.Contains(all, "secret") {
			t.Errorf("the store has %s", all)
		}
	}
}

// L3: the log has what the client configured, and what of it became another one.
func TestL3TheLogHasWhatWasConfigured(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for _, system := range []string{"You are one", "You are another"} {
		c.system = system
		c.turn(200)
		keeper.Rest(c.k, true)
		if is := c.only(t).Projection().Config(); is.System != system || is.Model != "claude-sonnet-4-5" {
			t.Errorf("the log says %q of %s, and the client said %q", is.System, is.Model, system)
		}
	}
	c.close()
}
