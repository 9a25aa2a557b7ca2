package job_test

import (
	"tenfold/fleet/job"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/trigger"
)

// Appends that bring a conversation over 100,000 tokens have it compacted in the
// background.
func ExampleNewLocal() { //nolint:testableexamples // nothing is printed
	live := session.Live{Auto: session.LiveAuto{
		Enabled: true, Trigger: trigger.Tokens(100_000), Strategies: []strategy.Strategy{strategy.Fit{Target: strategy.Share(10)}},
	}}
	of := func(*session.Session) (session.Live, error) { return live, nil }
	jobs := job.NewLocal()
	defer jobs.Stop()
	st := jobs.Store(memory.New())
	service := session.NewService(st, session.WithDue(of)) // the program appends with it
	jobs.Start(st, job.Worker{
		Service: func(st store.Store) *session.Service { return session.NewService(st) },
		Live:    func(*session.Session, store.Store) (session.Live, error) { return live, nil },
	})
	_ = service
}
