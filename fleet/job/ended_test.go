package job_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/strategy"
)

func testSuperseded(t *testing.T, url string) {
	f := open(t, url)
	s := due(t, f.st, "a")
	if c, err := s.Compact(t.Context(), session.Request{Strategies: []strategy.Strategy{strategy.StripReasoning{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}); err != nil || c.Outcome != session.Applied {
		t.Fatal(c, err)
	}
	due(t, f.st, "b")
	if err := f.st.Store.Delete(t.Context(), "b", store.AnyVersion); err != nil { // by a program that knows no queue
		t.Fatal(err)
	}
	due(t, f.st, "c")
	if err := f.st.Delete(t.Context(), "c", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if all := listed(t, f.jobs, job.Filter{Conversation: "c"}); len(all) > 0 {
		t.Errorf("of a conversation that is gone there are %+v", all)
	}
	f.start(t, worker(2))
	eventually(t, "the jobs end", ended(t, f.jobs))
	for _, want := range []struct{ conversation, outcome string }{{"a", job.Superseded}, {"b", job.Deleted}} {
		all := listed(t, f.jobs, job.Filter{Conversation: want.conversation})
		if len(all) != 1 || all[0].State != job.Cancelled || all[0].Outcome != want.outcome || all[0].Error != "" {
			t.Errorf("%+v", all)
		}
	}
	if n := len(overlays(t, s)); n != 1 {
		t.Errorf("%d overlays", n)
	}
	// They ended at once, and not when River ended them together, which notes an error.
	var late int
	if err := f.db.As(t.Context(), postgres.Operator, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(*) FROM "+f.queue.Schema()+".river_job WHERE errors IS NOT NULL").Scan(&late)
	}); err != nil || late > 0 {
		t.Errorf("%d jobs kept their tenant's room until River ended them, %v", late, err)
	}
}

func testRetried(t *testing.T, url string) {
	f := open(t, url)
	s := due(t, f.st, "a")
	var mu sync.Mutex
	var trouble error = &provider.Error{Kind: provider.RateLimited, Message: "the prompt was: a secret"}
	w := worker(2)
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		l, err := live(s)
		mu.Lock()
		defer mu.Unlock()
		l.Request.Options.Summarizer = nil
		return l, errors.Join(err, trouble)
	}
	f.start(t, w)
	var j job.Info
	eventually(t, "an attempt fails", func() bool { j = only(t, f.jobs); return j.State == job.Retrying })
	if j.Error != "the model could not be called: rate limited" || j.Attempt != 1 || j.Waits == "" || !j.Due.After(j.Began) {
		t.Errorf("%+v", j)
	}
	if _, err := f.jobs.Cancel(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is cancelled", func() bool { j = only(t, f.jobs); return j.State == job.Cancelled })
	attempts := j.Attempt // meanwhile it may have been tried again
	if j.Error != "cancelled by a person" {
		t.Errorf("%+v", j)
	}
	var told *problem.Error
	if _, err := f.jobs.Cancel(t.Context(), j.ID); !errors.Is(err, job.ErrState) || !errors.As(err, &told) || told.Code != "job_state" || told.Hint == "" {
		t.Errorf("cancelled twice: %v", err)
	}
	// What was cancelled is not due again by the next entry.
	if err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "And more."}}); err != nil {
		t.Fatal(err)
	}
	only(t, f.jobs)
	mu.Lock()
	trouble = nil
	mu.Unlock()
	if j, err := f.jobs.Retry(t.Context(), j.ID); err != nil || j.State != job.Queued && j.State != job.Running {
		t.Fatal(j, err)
	}
	eventually(t, "the job ends", ended(t, f.jobs))
	if j = only(t, f.jobs); j.State != job.Completed || j.Outcome != job.Compacted || j.Error != "" || j.Attempt != attempts+1 {
		t.Errorf("%+v", j)
	}
	if _, err := f.jobs.Retry(t.Context(), j.ID); !errors.Is(err, job.ErrState) {
		t.Errorf("retried what was done: %v", err)
	}
	for _, id := range []string{"", "x", strings.Repeat("0", 26), j.ID[:3], j.ID + "0"} {
		if _, err := f.jobs.Retry(t.Context(), id); !errors.Is(err, job.ErrNotFound) || !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func testCancelled(t *testing.T, url string) {
	f := open(t, url)
	s := due(t, f.st, "a")
	w, begun := worker(1), make(chan struct{}, 9)
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		l, err := live(s)
		l.Auto.Strategies = summarizing
		l.Request.Options.Summarizer = writer(func(ctx context.Context) error {
			begun <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		return l, err
	}
	f.start(t, w)
	<-begun
	j := only(t, f.jobs)
	if j.State != job.Running {
		t.Fatalf("%+v", j)
	}
	if _, err := f.jobs.Retry(t.Context(), j.ID); !errors.Is(err, job.ErrState) {
		t.Errorf("retried while it runs: %v", err)
	}
	if j, err := f.jobs.Cancel(t.Context(), j.ID[:6]); err != nil || j.State == job.Running && j.Waits == "" {
		t.Fatalf("%+v, %v", j, err) // its attempt ends in a moment
	}
	eventually(t, "the job ends", ended(t, f.jobs))
	if j = only(t, f.jobs); j.State != job.Cancelled || j.Error != "cancelled by a person" || len(overlays(t, s)) != 0 {
		t.Errorf("%+v", j)
	}
	if j, err := f.jobs.Retry(t.Context(), j.ID); err != nil || j.Error != "cancelled by a person" {
		t.Errorf("retried: %+v, %v", j, err) // which tells how the attempt before ended
	}
}

// An attempt that Stop ended gives its number to the next one, and what it paid is kept.
func testPaidAndStopped(t *testing.T, url string) {
	f := open(t, url)
	due(t, f.st, "a")
	w, begun, stopping := worker(1), make(chan struct{}), true
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		l, err := live(s)
		l.Auto.Strategies = summarizing
		l.Request.Options.Summarizer = writer(func(ctx context.Context) error {
			if stopping {
				close(begun)
				<-ctx.Done()
			}
			return nil // it answers all the same
		})
		return l, err
	}
	f.start(t, w)
	<-begun
	f.queue.Stop()
	if j := only(t, f.jobs); j.State != job.Queued || j.Attempt != 0 || j.Cost == nil || *j.Cost != 0.01 {
		t.Fatalf("stopped: %+v", j)
	}
	stopping = false
	f.start(t, w)
	eventually(t, "the job ends", ended(t, f.jobs))
	if j := only(t, f.jobs); j.Outcome != job.Compacted || j.Attempt != 1 || j.Cost == nil || *j.Cost != 0.02 {
		t.Errorf("%+v, for %v", j, j.Cost)
	}
}

// A process that was taken for one that ended ends no attempt that another has made meanwhile, by
// what came of its own nor by its failure.
func testAnotherAttempt(t *testing.T, url string) {
	f := open(t, url)
	s := due(t, f.st, "a")
	if c, err := s.Compact(t.Context(), session.Request{Strategies: []strategy.Strategy{strategy.StripReasoning{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}}); err != nil || c.Outcome != session.Applied {
		t.Fatal(c, err)
	}
	due(t, f.st, "b")
	due(t, f.st, "c")
	w, begun, goOn := worker(1), make(chan string), make(chan struct{})
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		l, err := live(s)
		if s.ID() != "c" {
			begun <- s.ID()
			<-goOn
		}
		if s.ID() != "a" { // which is superseded
			err = errors.New("it fails")
		}
		return l, err
	}
	f.start(t, w)
	for range 2 {
		operate(t, f.db, "UPDATE "+f.queue.Schema()+".river_job SET attempt = 2, attempted_at = now() + interval '1 hour' WHERE args->>'conversation' = $1", <-begun)
		goOn <- struct{}{}
	}
	// River ends jobs in their order.
	eventually(t, "the last one fails", func() bool { return listed(t, f.jobs, job.Filter{Conversation: "c"})[0].State == job.Retrying })
	for _, id := range []string{"a", "b"} {
		if j := listed(t, f.jobs, job.Filter{Conversation: id})[0]; j.State != job.Running || j.Attempt != 2 || j.Error != "" || j.Outcome != "" {
			t.Errorf("%+v", j)
		}
	}
}

// So it may be that process itself which makes the other attempt: it ends that one.
func testAnotherAttemptOfItsOwn(t *testing.T, url string) {
	f := open(t, url)
	due(t, f.st, "a")
	type attempt struct {
		of  string
		end chan error
	}
	w, begun := worker(3), make(chan attempt)
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		l, err := live(s)
		a := attempt{s.ID(), make(chan error)}
		select {
		case begun <- a:
			return l, errors.Join(err, <-a.end)
		case <-t.Context().Done(): // tried once more
			return l, t.Context().Err()
		}
	}
	f.start(t, w)
	first := <-begun
	operate(t, f.db, "UPDATE "+f.queue.Schema()+".river_job SET state = 'available'")
	due(t, f.st, "b") // and the queue is looked at
	second, other := <-begun, <-begun
	if second.of == "b" {
		second, other = other, second
	}
	of := func(id string) job.Info { return listed(t, f.jobs, job.Filter{Conversation: id})[0] }
	first.end <- errors.New("the first fails")
	other.end <- errors.New("so does another job")
	eventually(t, "that one fails", func() bool { return of("b").State == job.Retrying })
	if j := of("a"); j.State != job.Running || j.Attempt != 2 {
		t.Errorf("%+v", j)
	}
	second.end <- errors.New("the second fails")
	eventually(t, "it fails", func() bool { return of("a").State == job.Retrying })
	if j := of("a"); j.Error != of("b").Error { // and not taken for one of a process that ended
		t.Errorf("%+v", j)
	}
}

// A process whose lock is still held by its connection before takes it when that is gone: without
// it, others would take its jobs for those of a process that ended.
func testLockIsHeld(t *testing.T, url string) {
	f := open(t, url)
	f.queue.Hurry()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(sql string) (yes bool) {
		if err := conn.QueryRow(t.Context(), sql, f.queue.Name()).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if !ask("SELECT pg_try_advisory_lock(hashtextextended($1, 0))") {
		t.Fatal("the lock is held before its process begins")
	}
	f.start(t, worker(1))
	time.Sleep(300 * time.Millisecond) // it tries to take it meanwhile; one that is slower sees no lock
	if !ask("SELECT pg_advisory_unlock(hashtextextended($1, 0))") {
		t.Fatal("the lock was taken from its owner")
	}
	eventually(t, "the process holds its lock", func() bool {
		if ask("SELECT pg_try_advisory_lock(hashtextextended($1, 0))") {
			return !ask("SELECT pg_advisory_unlock(hashtextextended($1, 0))")
		}
		return true
	})
	_ = conn.Close(context.Background())
}

// Who asks about jobs while the database is away is told just that, as of every other
// part of the store.
func TestTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	f := open(t, server.Database(t))
	due(t, f.st, "a")
	j := only(t, f.jobs)
	server.Stop(t)
	if _, err := f.jobs.List(t.Context(), job.Filter{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("list: %v", err)
	}
	if _, err := f.jobs.Cancel(t.Context(), j.ID); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("cancel: %v", err)
	}
}
