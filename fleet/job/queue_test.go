package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
	"tenfold/strategy"
)

// live compacts early, by a strategy that calls no model.
func live(*session.Session) (session.Live, error) {
	l := session.Live{Auto: session.LiveAuto{Enabled: true}}
	l.Request.Options.Window = 10_000
	l.Request.Bounds.Tail = &tenfold.Tail{Tokens: 1000}
	return l, nil
}

// service is one that tells what is due.
func service(st store.Store) *session.Service { return session.NewService(st, session.WithDue(live)) }

func worker(jobs int) job.Worker {
	return job.Worker{Service: service, Live: func(s *session.Session, _ store.Store) (session.Live, error) { return live(s) }, Jobs: jobs}
}

// A fleet is a process of one: a database, a queue and the store of a tenant.
type fleet struct {
	db    *postgres.Database
	queue *job.Queue
	jobs  job.Jobs
	st    *job.Store
}

func open(t testing.TB, url string, options ...job.Option) fleet {
	t.Helper()
	return openAs(t, url, "default", options...)
}

func openAs(t testing.TB, url, tenant string, options ...job.Option) fleet {
	t.Helper()
	db, err := postgres.OpenDatabase(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	q, err := job.Open(t.Context(), db, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	if tenant != "default" {
		operate(t, db, "INSERT INTO tenfold_tenants (name) VALUES ($1)", tenant)
	}
	st, err := db.Tenant(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return fleet{db, q, q.Of(st.TenantID()), q.Store(st)}
}

func (f fleet) start(t testing.TB, w job.Worker) {
	t.Helper()
	f.queue.Hurry()
	if err := f.queue.Start(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

func operate(t testing.TB, db *postgres.Database, sql string, args ...any) {
	t.Helper()
	if err := db.As(t.Context(), postgres.Operator, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// grown makes a conversation and appends to it, one by one.
func grown(t testing.TB, st store.Store, id string, entries int) *session.Session {
	t.Helper()
	s, err := service(st).Create(t.Context(), session.Create{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range logtest.Long(entries) {
		if err := s.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// due makes a conversation whose last append makes a compaction due.
func due(t testing.TB, st store.Store, id string) *session.Session {
	t.Helper()
	return dueIn(t.Context(), t, st, id)
}

func dueIn(ctx context.Context, t testing.TB, st store.Store, id string) *session.Session {
	t.Helper()
	const enough = 250
	long := logtest.Long(enough)
	if _, err := session.NewService(st).Create(t.Context(), session.Create{ID: id, Entries: long[:enough-1]}); err != nil {
		t.Fatal(err)
	}
	s, err := service(st).Open(t.Context(), id)
	if err == nil {
		err = s.Append(ctx, long[enough-1], tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Done."}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func listed(t testing.TB, jobs job.Jobs, f job.Filter) []job.Info {
	t.Helper()
	page, err := jobs.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return page.Jobs
}

// only is the only job.
func only(t testing.TB, jobs job.Jobs) job.Info {
	t.Helper()
	all := listed(t, jobs, job.Filter{})
	if len(all) != 1 {
		t.Fatalf("%d jobs: %+v", len(all), all)
	}
	return all[0]
}

// eventually waits for what a worker does.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in two minutes: %s", what)
		}
	}
}

func ended(t testing.TB, jobs job.Jobs) func() bool {
	return func() bool {
		return !slices.ContainsFunc(listed(t, jobs, job.Filter{Limit: 500}), func(j job.Info) bool { return j.State.Open() })
	}
}

// overlays are those of a conversation, in effect or not.
func overlays(t testing.TB, s *session.Session) (ids []string) {
	t.Helper()
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for o := range s.Projection().Overlays() {
		ids = append(ids, o.ID)
	}
	return ids
}

func TestQueue(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, test := range map[string]func(t *testing.T, url string){
		"an append makes a compaction due": testDue, "once in a thousand appends": testUnique, "a tenant's limit": testLimit, "a tenant's limit of those that wait": testMost,
		"superseded": testSuperseded, "retried with reasons": testRetried, "cancelled while it runs": testCancelled, "stopped after it paid": testPaidAndStopped, "its lock is still held": testLockIsHeld, "another attempt": testAnotherAttempt, "another attempt of its own": testAnotherAttemptOfItsOwn, "killed": testKilled,
		"tenants": testTenants, "odd ids": testOddIDs, "a lost look": testUnheard, "a trace": testTrace, "appended meanwhile": testMeanwhile, "a schema that was given": testGiven, "due together": testTogether, "taken by whoever added it": testOwn, "more than one has hands for": testHands, "taken away": testTakenAway, "opened by many at once": testOpened, "the queue is lost": testLost, "cut": testCut, "shortened": testShortened,
		"a store": func(t *testing.T, url string) {
			db, err := postgres.OpenDatabase(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			q, err := job.Open(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(q.Close)
			var opened atomic.Int64
			storetest.Run(t, func(t *testing.T) store.Store {
				name := fmt.Sprint("t", opened.Add(1))
				operate(t, db, "INSERT INTO tenfold_tenants (name) VALUES ($1)", name)
				st, err := db.Tenant(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				return q.Store(st)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, server.Database(t))
		})
	}
}

func testDue(t *testing.T, url string) {
	f := open(t, url)
	s := due(t, f.st, "a")
	if j := only(t, f.jobs); j.State != job.Queued || j.Conversation != "a" || j.Version != s.Log().Version() || j.Policy != "fit:target=10% at 80%" ||
		!strings.HasSuffix(j.Why, " tokens, the limit is 8000") || j.Waits == "" || j.Attempts != 5 || j.Attempt != 0 {
		t.Errorf("%+v", j)
	}
	// It is due when the database says, whatever clock the process has.
	var apart time.Duration
	if err := f.db.As(t.Context(), f.st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT greatest(abs(extract(epoch FROM j.created_at - c.appended)), abs(extract(epoch FROM j.scheduled_at - c.appended)))::float8 * 1e9 FROM tenfold_conversations c, "+
			f.queue.Schema()+".river_job j WHERE j.kind = 'compact'").Scan(&apart)
	}); err != nil || apart > 0 {
		t.Errorf("it is due %v beside the append that made it due, %v", apart, err)
	}
	before := s.Projection().Tokens()
	f.start(t, worker(2))
	eventually(t, "the job ends", ended(t, f.jobs))
	j := only(t, f.jobs)
	ids := overlays(t, s)
	if j.State != job.Completed || j.Outcome != job.Compacted || !slices.Equal(j.Compactions, ids) || len(ids) != 1 || ids[0] != "cmp_job_"+j.ID+"/0" ||
		j.Before != before || j.After != s.Projection().Tokens() || j.After > before/2 || j.Attempt != 1 || j.Ended.Before(j.Began) || j.Began.Before(j.Created) {
		t.Errorf("%+v; overlays %v, %d tokens of %d", j, ids, s.Projection().Tokens(), before)
	}
	// What grows again is due again, under another prefix.
	for i := 0; len(listed(t, f.jobs, job.Filter{})) == 1 && i < 400; i++ {
		text := strings.Repeat("more to do ", 300)
		if err := s.AppendLatest(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}},
			tenfold.Entry{Payload: tenfold.AssistantMessage{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the next job ends", ended(t, f.jobs))
	if all := listed(t, f.jobs, job.Filter{}); len(all) < 2 || all[0].Outcome != job.Compacted {
		t.Errorf("%+v", all)
	}
}

// An attempt goes by what it has read until its own append meets what others appended:
// what was said is kept behind the overlay, and another compaction supersedes it.
func testMeanwhile(t *testing.T, url string) {
	f := open(t, url)
	said, compacted := due(t, f.st, "said"), due(t, f.st, "compacted")
	w := worker(1)
	w.Live = func(s *session.Session, st store.Store) (session.Live, error) {
		var err error
		if s.ID() == "said" {
			err = said.Append(t.Context(), tenfold.Entry{ID: "late", Payload: tenfold.AssistantMessage{Text: "Late."}})
		} else {
			_, err = compacted.Compact(t.Context(), session.Request{Strategies: []strategy.Strategy{strategy.StripReasoning{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}})
		}
		for e := range st.Entries(t.Context(), s.ID(), s.Log().Version()) {
			t.Errorf("%s: it reads %s again", s.ID(), e.ID)
		}
		l, _ := live(s)
		return l, err
	}
	f.start(t, w)
	eventually(t, "the jobs end", ended(t, f.jobs))
	for s, want := range map[*session.Session]string{said: job.Compacted, compacted: job.Superseded} {
		if all := listed(t, f.jobs, job.Filter{Conversation: s.ID()}); len(all) != 1 || all[0].Outcome != want || all[0].Attempt != 1 || len(overlays(t, s)) != 1 {
			t.Errorf("%s: %+v", s.ID(), all)
		}
	}
	late, _ := said.Log().Lookup("late")
	if fate, _, _ := said.Projection().Fate(late.Seq); fate != tenfold.Kept || late.Seq != said.Log().Version()-1 {
		t.Errorf("what was said meanwhile is entry %d of %d: %s", late.Seq, said.Log().Version(), fate)
	}
}

// A worker whose job was ended by somebody else writes nothing.
func testTakenAway(t *testing.T, url string) {
	f := open(t, url)
	s := due(t, f.st, "a")
	began := make(chan struct{})
	w := worker(1)
	w.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		operate(t, f.db, "UPDATE "+f.queue.Schema()+".river_job SET state = 'completed', finalized_at = now() WHERE kind = 'compact'")
		close(began)
		return live(s)
	}
	f.start(t, w)
	<-began
	f.queue.Stop() // waits for the worker
	if ids := overlays(t, s); len(ids) > 0 {
		t.Errorf("it wrote %q", ids)
	}
}

// Of what comes due together each is enqueued that has no job yet, as long as there is
// room; and all processes are told, after the commit.
func testTogether(t *testing.T, url string) {
	f := open(t, url)
	operate(t, f.db, "UPDATE tenfold_tenants SET max_jobs = 3")
	listener, err := pgx.Connect(t.Context(), url)
	if err == nil {
		_, err = listener.Exec(t.Context(), "LISTEN "+pgx.Identifier{f.queue.Schema() + ".river_insert"}.Sanitize())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close(context.WithoutCancel(t.Context()))
	batch := func(id, prefix string) store.Batch {
		return store.Batch{Conversation: id, Entries: logtest.Long(1), Due: &store.Work{Prefix: prefix, Policy: "fit", Tokens: 2, Limit: 1}, Now: time.Now()}
	}
	if err := f.st.Create(t.Context(), store.Conversation{ID: "b"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.st.Append(t.Context(), batch("b", "1")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if told, err := listener.WaitForNotification(ctx); err != nil || told.Payload != `{"queue": "compact"}` {
		t.Errorf("told of %+v, %v", told, err)
	}
	if err := f.db.As(t.Context(), f.st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		var all []any
		for _, b := range []store.Batch{batch("a", "1"), batch("b", "1"), batch("b", "2"), batch("c", "1"), batch("d", "1")} {
			all = append(all, job.NewDue(ctx, f.st.TenantID(), b))
		}
		return f.queue.Enqueue(ctx, tx, f.st.TenantID(), all)
	}); err != nil {
		t.Fatal(err)
	}
	// The transaction itself told nobody.
	operate(t, f.db, "SELECT pg_notify($1, 'the next')", f.queue.Schema()+".river_insert")
	if told, err := listener.WaitForNotification(ctx); err != nil || told.Payload != "the next" {
		t.Errorf("told of %+v, %v", told, err)
	}
	var got []string
	for _, j := range listed(t, f.jobs, job.Filter{}) {
		got = append(got, j.Conversation)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a", "b", "b"}) {
		t.Errorf("there are jobs of %q", got)
	}
}

func testUnique(t *testing.T, url string) {
	f := open(t, url)
	grown(t, f.st, "a", 160)
	other, err := service(f.st).Open(t.Context(), "a") // by a session that was told nothing yet
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if i%100 == 0 { // nor was this one
			if other, err = service(f.st).Open(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "A few more words each time."}}); err != nil {
			t.Fatal(err)
		}
	}
	if j := only(t, f.jobs); j.State != job.Queued || j.Version < 160 || j.Version > 1160 {
		t.Errorf("%+v", j)
	}
}

func testTenants(t *testing.T, url string) {
	a, b := open(t, url), openAs(t, url, "b")
	due(t, a.st, "same")
	j := only(t, a.jobs)
	if page, err := b.jobs.List(t.Context(), job.Filter{}); err != nil || len(page.Jobs) > 0 || len(page.Counts) > 0 {
		t.Errorf("b sees %+v, %v", page, err)
	}
	for _, do := range []func(context.Context, string) (job.Info, error){b.jobs.Retry, b.jobs.Cancel} {
		if _, err := do(t.Context(), j.ID); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("b reached a job of a: %v", err)
		}
	}
	if _, err := b.jobs.List(t.Context(), job.Filter{Cursor: j.ID}); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("b goes on from a job of a: %v", err)
	}
	s := due(t, b.st, "same")
	if again := only(t, b.jobs); again.ID == j.ID {
		t.Errorf("%+v", again)
	}
	b.start(t, worker(2))
	eventually(t, "all jobs end", func() bool { return ended(t, a.jobs)() && ended(t, b.jobs)() })
	if ids := overlays(t, s); len(ids) != 1 || ids[0] != only(t, b.jobs).Compactions[0] {
		t.Errorf("%v", ids)
	}
	if err := a.db.As(t.Context(), a.st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		n, err := a.queue.Erase(ctx, tx, a.st.TenantID(), "same")
		if n != 1 {
			t.Errorf("%d jobs are erased", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if left := listed(t, a.jobs, job.Filter{}); len(left) > 0 || only(t, b.jobs).State != job.Completed {
		t.Errorf("%+v", left)
	}
}

// A conversation goes whatever its id is, and with it no other's jobs.
func testOddIDs(t *testing.T, url string) {
	f := open(t, url)
	due(t, f.st, "a")
	gone := []string{"", "zero\x00", "\xff"}
	for _, expired := range []bool{false, true} {
		for _, id := range gone {
			if id != "" && len(listed(t, f.jobs, job.Filter{Conversation: id})) > 0 {
				t.Errorf("%q has jobs", id)
			}
			if err := f.st.Create(t.Context(), store.Conversation{ID: id}); err != nil {
				t.Fatal(err)
			}
			if !expired {
				if err := f.st.Delete(t.Context(), id, store.AnyVersion); err != nil {
					t.Error(err)
				}
			}
		}
	}
	operate(t, f.db, "UPDATE tenfold_tenants SET retain_days = 1")
	if err := f.db.As(t.Context(), f.st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE tenfold_conversations SET appended = now() - interval '2 days' WHERE id <> 'a'")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if m, err := f.db.Maintain(t.Context(), false, f.queue.Erase); err != nil || len(m.Expired) != 1 || m.Expired[0].Conversations != len(gone) {
		t.Errorf("%+v, %v", m, err)
	}
	if j := only(t, f.jobs); j.Conversation != "a" {
		t.Errorf("%+v", j)
	}
	if err := f.db.As(t.Context(), f.st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		n, err := f.queue.EraseAll(ctx, tx, f.st.TenantID())
		if n != 1 {
			t.Errorf("%d jobs are erased", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func testOpened(t *testing.T, url string) {
	db, err := postgres.OpenDatabase(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			q, err := job.Open(t.Context(), db)
			if err != nil {
				t.Error(err)
				return
			}
			q.Close()
		})
	}
	group.Wait()
}

// A message is not lost for the queue's sake.
// A process took a job, and its connection was cut before it heard of it: the job is
// given back, once the process could have begun.
func testUnheard(t *testing.T, url string) {
	f := open(t, url)
	taken := func(id string, ago time.Duration) {
		due(t, f.st, id)
		operate(t, f.db, `UPDATE `+f.queue.Schema()+`.river_job SET state = 'running', attempt = 1, attempted_by = ARRAY[$1::text],
			attempted_at = now() - make_interval(secs => $2) WHERE args->>'conversation' = $3`, f.queue.Name(), ago.Seconds(), id)
	}
	taken("lost", job.Unheard+time.Second)
	taken("young", job.Unheard-time.Hour) // whatever this test takes
	f.start(t, worker(1))
	state := func(id string) job.State { return listed(t, f.jobs, job.Filter{Conversation: id})[0].State }
	eventually(t, "the lost job ends", func() bool { return state("lost") == job.Completed })
	if got := state("young"); got != job.Running {
		t.Errorf("the job that was taken just now is %s", got)
	}
}

// Who asks for jobs when the connections were just cut hears of them all the same.
func testCut(t *testing.T, url string) {
	f := open(t, url)
	due(t, f.st, "a")
	id := listed(t, f.jobs, job.Filter{})[0].ID
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	cut := func() {
		if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"); err != nil {
			t.Fatal(err)
		}
	}
	cut()
	if all := listed(t, f.jobs, job.Filter{}); len(all) != 1 {
		t.Errorf("listed %+v", all)
	}
	cut()
	if j, err := f.jobs.Cancel(t.Context(), id[:8]); err != nil || j.State != job.Cancelled {
		t.Errorf("cancelled %+v, %v", j, err)
	}
}

// Of very many jobs those may be named by the beginnings of their ids that are the newest,
// and by ones that no older job has as well.
func testShortened(t *testing.T, url string) {
	f := open(t, url)
	for i := range 3 {
		due(t, f.st, fmt.Sprint("a-", i))
	}
	all := listed(t, f.jobs, job.Filter{})
	f.queue.Shorten(2)
	for _, id := range []string{all[0].ID[:9], all[2].ID[:12], "0123456789abcd"} {
		if _, err := f.jobs.Cancel(t.Context(), id); !errors.Is(err, job.ErrNotFound) || !strings.Contains(err.Error(), "not enough of an ID") {
			t.Errorf("%q: %v", id, err)
		}
	}
	for id, want := range map[string]string{all[1].ID[:10]: all[1].ID, all[2].ID: all[2].ID} {
		if j, err := f.jobs.Cancel(t.Context(), id); err != nil || j.ID != want {
			t.Errorf("%q: %+v, %v", id, j, err)
		}
	}
	f.queue.Shorten(3)
	if j, err := f.jobs.Cancel(t.Context(), all[0].ID[:6]); err != nil || j.ID != all[0].ID {
		t.Errorf("%+v, %v", j, err)
	}
}

func testLost(t *testing.T, url string) {
	f := open(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err == nil {
		_, err = conn.Exec(t.Context(), "DROP SCHEMA "+f.queue.Schema()+" CASCADE")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	s := due(t, f.st, "a")
	if c, err := f.st.Conversation(t.Context(), "a"); err != nil || c.Version != s.Log().Version() {
		t.Errorf("%+v, %v", c, err)
	}
}

// A process does the jobs that it added while it has a hand free: no other looks for them.
func testOwn(t *testing.T, url string) {
	a, b := open(t, url), open(t, url)
	a.start(t, worker(2))
	b.start(t, worker(2))
	const many = 12
	for i := range many {
		due(t, a.st, fmt.Sprint("a-", i))
		eventually(t, "the job ends", ended(t, a.jobs))
	}
	var own int
	if err := a.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM "+a.queue.Schema()+".river_job WHERE kind = 'compact' AND attempted_by = ARRAY[$1]", a.queue.Name()).Scan(&own); err != nil {
		t.Fatal(err)
	}
	if own < many-2 { // the other looks twice a second by itself
		t.Errorf("it took %d of its %d jobs", own, many)
	}
}

// Where a process has no hand free, another takes the jobs that it adds, and does not wait
// until it looks by itself.
func testHands(t *testing.T, url string) {
	a, b := open(t, url), open(t, url)
	var once sync.Once
	begun, end := make(chan struct{}), make(chan struct{})
	slow := worker(1)
	slow.Live = func(s *session.Session, _ store.Store) (session.Live, error) {
		once.Do(func() { close(begun) })
		<-end
		return live(s)
	}
	a.start(t, slow)
	due(t, a.st, "first")
	<-begun
	b.start(t, worker(2))
	defer close(end)
	for i := range 6 {
		id := fmt.Sprint("next-", i)
		due(t, a.st, id)
		eventually(t, "the other ends it", func() bool {
			for _, j := range listed(t, a.jobs, job.Filter{}) {
				if j.Conversation == id {
					return j.State == job.Completed
				}
			}
			return false
		})
	}
}
