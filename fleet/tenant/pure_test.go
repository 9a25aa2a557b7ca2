package tenant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/problem"
)

func TestScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ have, may, not string }{
		{"read", "read", "append,compact,admin"},
		{"append", "append", "read,compact,admin"},
		{"compact", "compact", "read,append,admin"},
		{"admin", "read,append,compact,admin", ""},
		{"append,read", "read,append", "compact,admin"},
	} {
		have, err := ParseScopes(c.have)
		if err != nil {
			t.Fatal(err)
		}
		for _, need := range AllScopes() {
			if may := strings.Contains(c.may, string(need)); have.Has(need) != may {
				t.Errorf("%s allows %s: %t", c.have, need, !may)
			}
		}
		if have.Has("") || have.Has("operator") {
			t.Errorf("%s allows what no token does", c.have)
		}
	}
	for text, want := range map[string]string{"compact, read,read": "read,compact", "admin": "admin"} {
		if got, err := ParseScopes(text); err != nil || got.String() != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	for text, hint := range map[string]string{"": "read, append", "raed": "did you mean read?", "read,": "the scopes", "all": "the scopes"} {
		var p *problem.Error
		if _, err := ParseScopes(text); !errors.As(err, &p) || !strings.Contains(p.Hint, hint) || !p.Usage {
			t.Errorf("%q: %v", text, err)
		}
	}
	var operator *Identity
	if !operator.Has(Admin) || operator.Actor().Token != Operator {
		t.Error("no identity is not the operator")
	}
}

func TestASecretIsReadBackAndNotShown(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tenant := range []int{1, 42, 1<<31 - 1} {
		s := newSecret(tenant)
		text := s.Reveal()
		got, err := ParseSecret(text)
		if err != nil || got != s || got.Tenant() != tenant || seen[got.ID()] || !got.is(s.hash()) {
			t.Fatalf("%s is %v, %v", text, got, err)
		}
		seen[got.ID()] = true
		secret := text[strings.LastIndex(text, "_")+1:]
		for _, shown := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q %x", s, s, s, s, s), slog.AnyValue(s).String()} {
			if strings.Contains(shown, secret) || !strings.Contains(shown, got.ID()) {
				t.Errorf("it shows as %s", shown)
			}
		}
		for i := range text { // any other text is another token, or none
			changed := []byte(text)
			if changed[i]++; changed[i] == '{' {
				changed[i] = 'a'
			}
			if other, err := ParseSecret(string(changed)); err == nil && other.is(s.hash()) {
				t.Errorf("%s passes for %s", changed, text)
			}
		}
	}
}

func FuzzParseSecret(f *testing.F) {
	valid := newSecret(7).Reveal()
	id, secret := strings.Repeat("a", idLength), strings.Repeat("2", secretLength)
	for _, text := range []string{
		valid, valid[:len(valid)-1], valid + "a", " " + valid, strings.ToUpper(valid), "", "tf_", "tf___", "tf_0_" + id + "_" + secret, "tf_-1_" + id + "_" + secret,
		"tf_01_" + id + "_" + secret, "tf_+1_" + id + "_" + secret, "tf_2147483648_" + id + "_" + secret, "tf_99999999999999999999_" + id + "_" + secret,
		"tf_1_" + id + "_" + secret + "_x", "tf_1_" + id[1:] + "_" + secret, "tf_1_" + id[1:] + "1_" + secret, "tf_1_" + id + "_" + secret[1:] + "é", "tf_1_" + id + secret, "xf_1_" + id + "_" + secret,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSecret(text)
		if err != nil {
			var p *problem.Error
			if !errors.Is(err, ErrDenied) || !errors.As(err, &p) || p.Hint == "" || (len(text) > 10 && strings.Contains(err.Error()+p.Hint, text)) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if s.Reveal() != text || s.Tenant() < 1 || text != fmt.Sprintf("tf_%d_%s_%s", s.Tenant(), s.ID(), text[len(text)-secretLength:]) {
			t.Errorf("%q is read as %v", text, s)
		}
	})
}

// A bucket never lets more through than the rate allows, and never less.
func TestBucket(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.5, 1, 3, 1000} {
		var b bucket
		now := time.Unix(1000, 0)
		let, burst := 0, int(max(rate, 1))
		for range burst {
			if _, ok := b.take(rate, now); !ok {
				t.Fatalf("%v a second: not %d at once", rate, burst)
			}
		}
		wait, ok := b.take(rate, now)
		if ok || wait <= 0 || wait > time.Duration(float64(time.Second)/rate)+time.Nanosecond {
			t.Fatalf("%v a second: one more, or after %s", rate, wait)
		}
		if _, ok := b.take(rate, now.Add(-time.Hour)); ok {
			t.Errorf("%v a second: a clock set back lets one through", rate)
		}
		b.at = now
		if _, ok := b.take(rate, now.Add(wait+time.Microsecond)); !ok {
			t.Errorf("%v a second: none after %s", rate, wait)
		}
		now = now.Add(time.Hour) // a long pause is no credit
		for range 10 * burst {
			if _, ok := b.take(rate, now); ok {
				let++
			}
		}
		if let != burst {
			t.Errorf("%v a second: %d at once after a pause", rate, let)
		}
	}
	var b bucket // a limit that is lowered holds at once
	b.take(1000, time.Unix(1, 0))
	b.take(1, time.Unix(1, 0))
	if _, ok := b.take(1, time.Unix(1, 0)); ok {
		t.Error("what is left of a higher limit is used up")
	}
}

func TestLimitErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		&LimitError{Limit: limitBytes, Most: "10"}:                                  "limit_bytes the tenant's limit of 10 bytes is reached; delete conversations",
		&LimitError{Limit: limitRequests, Most: "5", After: 200 * time.Millisecond}: "limit_requests too many requests: the tenant may send 5 a second to this server; try again in 200ms",
		&LimitError{Limit: limitTokens, After: time.Millisecond}:                    "limit_tokens too many unknown tokens at once; try again in 1ms",
	} {
		var p *problem.Error
		if !errors.As(err, &p) || !strings.HasPrefix(p.Code+" "+p.Error()+"; "+p.Hint, want) || !errors.As(error(p), new(*LimitError)) {
			t.Errorf("%v; want %s", p, want)
		}
	}
	for _, l := range []Limits{{Entries: new(int64(-1))}, {Jobs: new(-1)}, {RequestsPerSecond: new(0.0)}, {RequestsPerSecond: new(1e9)}, {JobsAtOnce: -1}, {RetainDays: new(-1)}} {
		if l.valid() == nil {
			t.Errorf("%s is valid", l)
		}
	}
	if err := (Limits{Entries: new(int64(0)), RequestsPerSecond: new(0.5)}).valid(); err != nil {
		t.Error(err)
	}
}

// Every kind of entry is one or the other: a new kind asks for compact until
// somebody decides.
func TestKindsOfEntries(t *testing.T) {
	t.Parallel()
	for _, p := range []tenfold.Payload{tenfold.Compaction{}, tenfold.CompactionRevoked{}, tenfold.CompactionFailed{}, tenfold.CompactionAttempt{}, tenfold.Pin{}, tenfold.Unpin{}, tenfold.Unknown{Name: "new"}} {
		if said, changed := kinds([]tenfold.Entry{{Payload: p}}); said || !changed {
			t.Errorf("%s: %t, %t", p.Kind(), said, changed)
		}
	}
	for _, p := range []tenfold.Payload{tenfold.UserMessage{}, tenfold.AssistantMessage{}, tenfold.ToolCall{}, tenfold.ToolResult{}, tenfold.ConfigDelta{}, tenfold.Usage{}, tenfold.TurnStart{}} {
		if said, changed := kinds([]tenfold.Entry{{Payload: p}}); !said || changed {
			t.Errorf("%s: %t, %t", p.Kind(), said, changed)
		}
	}
	if said, changed := kinds([]tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.Pin{}}}); !said || !changed {
		t.Error("of a mixed batch")
	}
}

// A cache reads once however many ask, again when what it has is old, and does not
// grow without end.
// However many wait for a read that fails, none waits for longer than it takes, and the
// next who comes tries again. That of a caller who is gone is nobody else's failure.
func TestCacheFailsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away, reads := errors.New("away"), 0
		c := newCache(time.Second, func(ctx context.Context, _ int) (int, error) {
			reads++
			select {
			case <-time.After(15 * time.Second):
			case <-ctx.Done():
			}
			return 0, away
		})
		var waiting sync.WaitGroup
		begun := time.Now()
		for range 100 {
			waiting.Go(func() {
				if _, err := c.get(t.Context(), 1); !errors.Is(err, away) {
					t.Error(err)
				}
			})
		}
		waiting.Wait()
		if took := time.Since(begun); took > 15*time.Second || reads != 1 {
			t.Errorf("%d reads in %v", reads, took)
		}
		gone, leave := context.WithCancel(t.Context())
		waiting.Go(func() { _, _ = c.get(gone, 1) })
		synctest.Wait()
		waiting.Go(func() { _, _ = c.get(t.Context(), 1) })
		synctest.Wait()
		leave()
		waiting.Wait()
		if reads != 3 {
			t.Errorf("%d reads: a caller who left failed for the one who stayed", reads)
		}
	})
}

func TestCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads []int
		broken := errors.New("broken")
		var fail error
		c := newCache(time.Second, func(_ context.Context, k int) (int, error) {
			time.Sleep(100 * time.Millisecond)
			reads = append(reads, k)
			return len(reads), fail
		})
		for range 5 {
			go func() {
				if v, err := c.get(t.Context(), 1); v != 1 || err != nil {
					t.Error(v, err)
				}
			}()
		}
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if !slices.Equal(reads, []int{1}) {
			t.Errorf("reads %v", reads)
		}
		time.Sleep(500*time.Millisecond - time.Nanosecond)
		if v, _ := c.get(t.Context(), 1); v != 1 {
			t.Error("a fresh value is read again")
		}
		time.Sleep(time.Nanosecond)
		fail = broken
		if _, err := c.get(t.Context(), 1); !errors.Is(err, broken) {
			t.Errorf("an old value is given: %v", err)
		}
		if v, ok := c.stale(1); !ok || v != 1 {
			t.Error("the old value is lost")
		}
		fail = nil
		if v, _ := c.get(t.Context(), 1); v != 3 {
			t.Errorf("after a failure it gives %d", v)
		}
		c.forget(1)
		if v, _ := c.get(t.Context(), 1); v != 4 || !c.known(1) || c.known(2) {
			t.Errorf("what is forgotten is %d", v)
		}
		time.Sleep(time.Hour)
		for k := range 3 * mostCached {
			c.look(k)
		}
		if len(c.held) > mostCached {
			t.Errorf("it holds %d", len(c.held))
		}
	})
}
