package provider_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func kind(k provider.Kind) error { return &provider.Error{Kind: k, Model: "script/script"} }

func after(k provider.Kind, d time.Duration) error { return &provider.Error{Kind: k, After: d} }

func TestRetryWaitsForWhatMayPass(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy provider.Policy
		errs   []error
		waits  []time.Duration
		kind   provider.Kind // of the error in the end; empty when it is well
	}{
		{"nothing wrong", provider.Policy{}, nil, nil, ""},
		{"each that may pass", provider.Policy{Attempts: 5}, []error{kind(provider.RateLimited), kind(provider.Overloaded), kind(provider.Unreachable), kind(provider.TimedOut)}, []time.Duration{1e9, 2e9, 4e9, 8e9}, ""},
		{"too often", provider.Policy{Attempts: 3}, slices.Repeat([]error{kind(provider.Overloaded)}, 5), []time.Duration{1e9, 2e9}, provider.Overloaded},
		{"once only", provider.Policy{Attempts: 1}, []error{kind(provider.Overloaded)}, nil, provider.Overloaded},
		{"the server's word", provider.Policy{}, []error{after(provider.RateLimited, 7*time.Second), kind(provider.RateLimited)}, []time.Duration{7e9, 2e9}, ""},
		{"longer than the most", provider.Policy{Most: 10 * time.Second}, []error{after(provider.RateLimited, time.Hour)}, nil, provider.RateLimited},
		{"no wait grows over the most", provider.Policy{Attempts: 6, Most: 5 * time.Second}, slices.Repeat([]error{kind(provider.Overloaded)}, 5), []time.Duration{1e9, 2e9, 4e9, 5e9, 5e9}, ""},
		{"with chance", provider.Policy{Base: 4 * time.Second, Random: func() float64 { return 0.5 }}, []error{kind(provider.Overloaded), after(provider.Overloaded, 4*time.Second)}, []time.Duration{3e9, 4e9}, ""},
		{"too large", provider.Policy{}, []error{kind(provider.TooLarge)}, nil, provider.TooLarge},
		{"refused", provider.Policy{}, []error{kind(provider.Refused)}, nil, provider.Refused},
		{"cut off", provider.Policy{}, []error{kind(provider.CutOff)}, nil, provider.CutOff},
		{"key", provider.Policy{}, []error{kind(provider.Authentication)}, nil, provider.Authentication},
		{"invalid", provider.Policy{}, []error{kind(provider.Invalid)}, nil, provider.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var answers []script.Answer
				for _, err := range c.errs {
					answers = append(answers, script.Fail(err))
				}
				inner := script.New(append(answers, script.Text("done"))...)
				var waits []time.Duration
				c.policy.Waiting = func(attempt int, err error, d time.Duration) {
					if attempt != len(waits)+1 || err == nil {
						t.Errorf("wait %d after attempt %d: %v", len(waits), attempt, err)
					}
					waits = append(waits, d)
				}
				begin := time.Now()
				got, err := provider.Collect(t.Context(), provider.Retry(inner, c.policy), provider.Request{})
				if provider.KindOf(err) != c.kind || (err == nil && got.Text() != "done") {
					t.Fatalf("%+v, %v", got, err)
				}
				total := time.Duration(0)
				for _, d := range c.waits {
					total += d
				}
				if !slices.Equal(waits, c.waits) || time.Since(begin) != total {
					t.Errorf("waited %v, %v in all; want %v", waits, time.Since(begin), c.waits)
				}
				if n := len(inner.Shown()); n != len(c.waits)+1 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

func TestRetryNeverBeginsAStreamAnew(t *testing.T) {
	for at := range 4 {
		inner := script.New(script.Answer{
			Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "one"}, tenfold.AssistantMessage{Text: "two"}},
			Err:    kind(provider.Overloaded), At: at + 1,
		}, script.Text("again"))
		got, err := provider.Collect(t.Context(), provider.Retry(inner, provider.Policy{}), provider.Request{})
		if provider.KindOf(err) != provider.Overloaded || len(inner.Shown()) != 1 || len(got.Blocks) != (at+1)/2 {
			t.Errorf("an error at event %d: %+v, %v after %d requests", at+1, got, err, len(inner.Shown()))
		}
	}
}

func TestRetryEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		inner := script.New(slices.Repeat([]script.Answer{script.Fail(kind(provider.Overloaded))}, 9)...)
		begin := time.Now()
		_, err := provider.Collect(ctx, provider.Retry(inner, provider.Policy{Attempts: 9}), provider.Request{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 1500*time.Millisecond || len(inner.Shown()) != 2 {
			t.Errorf("%v after %v and %d requests", err, time.Since(begin), len(inner.Shown()))
		}
		if why := kind(provider.Overloaded).Error(); !strings.Contains(err.Error(), why) || provider.KindOf(err) != "" {
			t.Errorf("%v does not say that it waited for %q", err, why)
		}
		_, err = provider.Retry(inner, provider.Policy{}).Count(ctx, provider.Request{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("counted after the end: %v", err)
		}
	})
}

func TestRetryGivesEachRequestItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := script.New(script.Answer{Hang: true}, script.Answer{Before: time.Minute}, script.Text("done"))
		begin := time.Now()
		got, err := provider.Collect(t.Context(), provider.Retry(inner, provider.Policy{Timeout: 5 * time.Second}), provider.Request{})
		if err != nil || got.Text() != "done" || time.Since(begin) != 13*time.Second { // 5, 1, 5, 2
			t.Errorf("%+v, %v after %v", got, err, time.Since(begin))
		}
		late := script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "one"}}, Hang: true, At: 2}, script.Text("again"))
		got, err = provider.Collect(t.Context(), provider.Retry(late, provider.Policy{Timeout: 5 * time.Second}), provider.Request{})
		if provider.KindOf(err) != provider.TimedOut || got.Text() != "one" || len(late.Shown()) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestRetryLetsItsReaderLeave(t *testing.T) {
	inner := script.New(script.Text("one"), script.Text("two"))
	m := provider.Retry(inner, provider.Policy{Timeout: time.Hour})
	for range m.Stream(t.Context(), provider.Request{}) {
		break
	}
	if len(inner.Shown()) != 1 || m.Name() != inner.Name() || m.Profile().Name != inner.Profile().Name {
		t.Errorf("%d requests of %s", len(inner.Shown()), m.Name())
	}
}

// counting fails to count until the last time.
type counting struct {
	provider.Model
	fails int
}

func (c *counting) Count(context.Context, provider.Request) (provider.Count, error) {
	if c.fails--; c.fails >= 0 {
		return provider.Count{}, kind(provider.Unreachable)
	}
	return provider.Count{Tokens: 7, Exact: true}, nil
}

func (c *counting) Stream(context.Context, provider.Request) iter.Seq2[provider.Event, error] {
	return func(func(provider.Event, error) bool) {}
}

func TestRetryCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := provider.Retry(&counting{Model: script.New(), fails: 2}, provider.Policy{})
		if got, err := m.Count(t.Context(), provider.Request{}); err != nil || got.Tokens != 7 || !got.Exact {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestCollectNeedsAModel(t *testing.T) {
	if _, err := provider.Collect(t.Context(), nil, provider.Request{}); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("nobody answers with %v", err)
	}
}

func TestCollectGivesWhatCameBeforeAnError(t *testing.T) {
	m := script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "one"}}, Err: kind(provider.CutOff), At: 2})
	got, err := provider.Collect(t.Context(), m, provider.Request{})
	if got.Text() != "one" || got.Stop != "" || provider.KindOf(err) != provider.CutOff {
		t.Errorf("%+v, %v", got, err)
	}
}

// A panic of the reader's is its own, not the model's.
func TestRetryPassesOnAPanicOfItsReader(t *testing.T) {
	defer func() {
		if recover() != "mine" {
			t.Error("the panic is gone")
		}
	}()
	for range provider.Retry(script.New(script.Text("one")), provider.Policy{}).Stream(t.Context(), provider.Request{}) {
		panic("mine")
	}
}
