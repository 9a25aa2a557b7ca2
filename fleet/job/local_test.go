package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/token"
)

// alone runs a test of a queue in one process, whose clock waits for nobody.
func alone(t *testing.T, test func(t *testing.T, l *job.Local, plain store.Store)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := job.NewLocal()
		defer l.Stop()
		test(t, l, memory.New())
	})
}

func TestLocal(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		s := due(t, l.Store(plain), "a")
		for range 50 { // other sessions, which were told nothing
			again, err := service(l.Store(plain)).Open(t.Context(), "a")
			if err == nil {
				err = again.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "A few words."}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if j := only(t, l); j.State != job.Queued || j.Waits == "" || j.Version == 0 {
			t.Errorf("%+v", j)
		}
		l.Start(plain, worker(2))
		synctest.Wait()
		j, ids := only(t, l), overlays(t, s)
		if j.State != job.Completed || j.Outcome != job.Compacted || len(ids) != 1 || !slices.Equal(ids, j.Compactions) || j.After >= j.Before || j.After != s.Projection().Tokens() {
			t.Errorf("%+v; overlays %v, %d tokens", j, ids, s.Projection().Tokens())
		}
		due(t, l.Store(plain), "b") // while it works
		synctest.Wait()
		if all := listed(t, l, job.Filter{}); len(all) != 2 || all[0].Conversation != "b" || all[0].Outcome != job.Compacted {
			t.Errorf("%+v", all)
		}
	})
}

// What a job says of sizes is what everything else says of its conversation: by the
// provider's count, where that is known.
func TestSizesAreTheProvidersCount(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		s := due(t, l.Store(plain), "a")
		for range 6 {
			for _, p := range []tenfold.Payload{
				tenfold.TurnStart{},
				tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("more to do ", 200))},
				tenfold.AssistantMessage{Text: "Done."},
				tenfold.Usage{Model: "m", Input: 2 * s.Projection().Tokens(), Output: 1},
			} {
				if err := s.Append(t.Context(), tenfold.Entry{Payload: p}); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := token.Calibrate(s.Log()).Tokens(s.Projection().Tokens())
		if before < 15*s.Projection().Tokens()/10 {
			t.Fatalf("%d tokens of %d", before, s.Projection().Tokens())
		}
		l.Start(plain, worker(1))
		synctest.Wait()
		overlays(t, s)
		if j := listed(t, l, job.Filter{})[0]; j.Outcome != job.Compacted || j.Before != before || j.After != token.Calibrate(s.Log()).Tokens(s.Projection().Tokens()) {
			t.Errorf("%+v, and the view has %d tokens after %d", j, token.Calibrate(s.Log()).Tokens(s.Projection().Tokens()), before)
		}
	})
}

func TestLocalRetries(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		s := due(t, l.Store(plain), "a")
		w, fails := worker(1), 0
		w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
			out, _ := live(s)
			out.Auto.Strategies = summarizing
			out.Request.Options.Summarizer = writer(func(context.Context) error {
				fails++
				return &provider.Error{Kind: provider.Overloaded, Message: "the prompt was: a secret"}
			})
			return out, nil
		}
		l.Start(plain, w)
		synctest.Wait()
		if j := only(t, l); j.State != job.Retrying || j.Attempt != 1 || j.Error != "the model could not be called: overloaded" || time.Until(j.Due) != 2*time.Second {
			t.Fatalf("%+v", j)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		j := only(t, l)
		if j.State != job.Failed || j.Attempt != 5 || fails != 5 || j.Error == "" {
			t.Fatalf("%+v after %d attempts", j, fails)
		}
		// The conversation says so, once.
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		recorded := 0
		for e := range s.Log().Entries() {
			if _, ok := e.Payload.(tenfold.CompactionFailed); ok {
				recorded++
			}
		}
		if recorded != 1 {
			t.Errorf("%d failures are recorded", recorded)
		}
		if _, err := l.Retry(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if j = only(t, l); j.State != job.Failed || fails != 6 {
			t.Errorf("%+v after %d attempts", j, fails)
		}
		if _, err := l.Cancel(t.Context(), j.ID); !errors.Is(err, job.ErrState) {
			t.Errorf("cancelled what has failed: %v", err)
		}
		if _, err := l.Cancel(t.Context(), j.ID[:8]); !errors.Is(err, job.ErrState) {
			t.Errorf("cancelled what has failed, by the beginning of its id: %v", err)
		}
		if _, err := l.Cancel(t.Context(), "x"); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("cancelled what is not there: %v", err)
		}
	})
}

func TestLocalCancels(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		s := due(t, l.Store(plain), "a")
		w := worker(1)
		w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
			out, _ := live(s)
			out.Auto.Strategies = summarizing
			out.Request.Options.Summarizer = writer(func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
			return out, nil
		}
		l.Start(plain, w)
		synctest.Wait()
		if j := only(t, l); j.State != job.Running {
			t.Fatalf("%+v", j)
		}
		due(t, l.Store(plain), "b") // which waits
		waits := listed(t, l, job.Filter{States: []job.State{job.Queued}})
		if len(waits) != 1 {
			t.Fatalf("%+v", waits)
		}
		for _, j := range listed(t, l, job.Filter{}) {
			if j, err := l.Cancel(t.Context(), j.ID); err != nil || j.State == job.Running && j.Waits == "" {
				t.Error(j, err)
			}
		}
		synctest.Wait()
		for _, j := range listed(t, l, job.Filter{}) {
			if j.State != job.Cancelled || j.Error != "cancelled by a person" {
				t.Errorf("%+v", j)
			}
		}
		if n := len(overlays(t, s)); n != 0 {
			t.Errorf("%d overlays", n)
		}
	})
}

// A summary that is refused is a failure, and the job says so in words of ours: what
// the model made up, or took from the conversation, is in the conversation alone. What
// it cost is counted for each attempt.
func TestARefusedSummaryFails(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		s := due(t, l.Store(plain), "a")
		w := worker(1)
		w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
			out, _ := live(s)
			out.Auto.Strategies = summarizing
			out.Request.Options.Summarizer = refused{}
			return out, nil
		}
		l.Start(plain, w)
		synctest.Wait()
		if j := only(t, l); j.State != job.Retrying || !strings.HasPrefix(j.Error, "the summary was refused: ") || j.Cost == nil || *j.Cost != 0.5 {
			t.Fatalf("%+v", j)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		j := only(t, l)
		if all := fmt.Sprintf("%+v", j); j.State != job.Failed || j.Attempt != 5 || *j.Cost != 2.5 || strings.Contains(all, "secret") {
			t.Fatal(all)
		}
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for e := range s.Log().Entries() {
			if f, ok := e.Payload.(tenfold.CompactionFailed); ok && !strings.Contains(f.Error, "a secret occurs nowhere") {
				t.Errorf("the conversation says %q", f.Error)
			}
		}
	})
}

// refused is paid for summaries that are not taken.
type refused struct{}

func (refused) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	return strategy.SummaryResult{Model: "m", Usage: tenfold.Usage{Model: "m", Input: 9, Cost: new(0.5)}}, &strategy.RefusedError{Reason: "a secret occurs nowhere"}
}

func TestLocalPages(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		for _, id := range []string{"a", "b", "c"} {
			due(t, l.Store(plain), id)
		}
		var seen []string
		f := job.Filter{Limit: 2}
		for {
			page, err := l.List(t.Context(), f)
			if err != nil || page.Counts[job.Queued] != 3 {
				t.Fatal(page, err)
			}
			for _, j := range page.Jobs {
				seen = append(seen, j.Conversation)
			}
			if f.Cursor = page.Next; f.Cursor == "" {
				break
			}
		}
		if !slices.Equal(seen, []string{"c", "b", "a"}) {
			t.Errorf("%v", seen)
		}
		if _, err := l.List(t.Context(), job.Filter{Cursor: "zzz"}); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("an unknown cursor: %v", err)
		}
	})
}

var paragraph = strings.Repeat("What was asked for is done, and here is what came of it. ", 10)

// What the writers of other machines append is due by its figures.
func TestByStats(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		st := job.ByStats(l.Store(plain), func() (int, string) { return 8000, "auto at 80%" })
		remote, err := session.NewService(st).Create(t.Context(), session.Create{ID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		for range 40 { // some 250 tokens each
			if err := remote.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(paragraph)}},
				tenfold.Entry{Payload: tenfold.AssistantMessage{Text: paragraph}}); err != nil {
				t.Fatal(err)
			}
		}
		j := only(t, l)
		if j.Version >= remote.Log().Version() || j.Policy != "auto at 80%" {
			t.Errorf("%+v at %d", j, remote.Log().Version())
		}
		l.Start(plain, worker(1))
		synctest.Wait()
		if j = only(t, l); j.Outcome != job.Compacted || len(overlays(t, remote)) == 0 {
			t.Errorf("%+v", j)
		}
	})
}
