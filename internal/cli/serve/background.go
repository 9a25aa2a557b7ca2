package serve

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/query"
	"tenfold/internal/config"
	"tenfold/internal/live"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/strategy"
	"tenfold/trigger"
)

// background is what a server has done in the background. A nil one has nothing.
type background struct {
	served *Backend
	queue  *job.Queue // over PostgreSQL
	local  *job.Local // over a store of this process alone
}

// jobsByDefault is how many jobs a server works on at once. Those over PostgreSQL
// mostly wait for the database or a model; a store of this machine is a person's.
func jobsByDefault(st store.Store) int {
	if _, ok := st.(*postgres.Store); ok {
		return 2 * runtime.NumCPU()
	}
	return 1
}

// background begins the work in the background: over PostgreSQL even where this
// process does none, since others do. The store and the service of the workspace are
// then those that enqueue it.
func (k *serving) background(ctx context.Context, b *Backend) (*background, error) {
	l, n, out := k.Workspace, k.jobs, &background{served: b}
	if n < 0 {
		n = jobsByDefault(l.Store)
	}
	plain := l.Store
	switch st, fleet := plain.(*postgres.Store); {
	case fleet:
		var err error
		if out.queue, err = job.Open(ctx, st.Database(), job.WithLog(k.StoreLog)); err != nil {
			return nil, err
		}
	case n == 0, k.readOnly, command.IsServer(k.URL()): // that server has jobs of its own
		return nil, nil //nolint:nilnil // nothing is done
	default:
		out.local = job.NewLocal()
	}
	if !k.readOnly {
		l.Store = out.over(plain)
		l.Service = out.service(l.Store, b)
	}
	var counters command.Recent[tenfold.Counter]
	counter := func() (tenfold.Counter, error) { return counters.Get(k.Counter) }
	w := job.Worker{
		Service: func(st store.Store) *session.Service { return k.ServiceCounting(counter, st) },
		Live:    k.unattended(b, plain), Jobs: n, Log: k.StoreLog,
	}
	switch {
	case n == 0 || k.readOnly:
	case out.local != nil:
		out.local.Start(plain, w)
	default:
		if err := out.queue.Start(ctx, w); err != nil {
			out.queue.Close()
			return nil, err
		}
	}
	return out, nil
}

// close ends the work.
func (g *background) close() {
	switch {
	case g == nil:
	case g.queue != nil:
		g.queue.Close()
	default:
		g.local.Stop()
	}
}

// over wraps a store so that what its appends make due is done.
func (g *background) over(st store.Store) store.Store {
	if g == nil {
		return st
	}
	if p, ok := st.(*postgres.Store); ok && g.queue != nil {
		return g.queue.Store(p)
	}
	return g.local.Store(st)
}

// service is that of a store whose appends are enqueued.
func (g *background) service(st store.Store, b *Backend) *session.Service {
	return b.ServiceOver(st, session.WithDue(b.Live))
}

// others wraps the store of programs on other machines, which do not say what is due.
func (g *background) others(st store.Store) store.Store {
	if g == nil {
		return st
	}
	var limits command.Recent[dueLimit]
	return job.ByStats(st, func() (int, string) {
		l, err := limits.Get(g.served.dueLimit)
		if err != nil { // whatever needs the configuration says so
			return 0, ""
		}
		return l.tokens, l.policy
	})
}

// A dueLimit is how many tokens a view may have, and the policy that says so; 0 is no
// limit.
type dueLimit struct {
	tokens int
	policy string
}

func (b *Backend) dueLimit() (dueLimit, error) {
	e, err := b.forRequest().Effective()
	if err != nil {
		return dueLimit{}, err
	}
	l, err := live.Settings(e.Config, string(e.Model.Name))
	if err != nil || !l.Auto.Enabled {
		return dueLimit{}, err
	}
	t := l.Auto.Trigger
	t = cmp.Or(t, trigger.Context(trigger.DefaultContext))
	return dueLimit{trigger.Limit(t, l.Request.Options.Window), "auto at " + t.String()}, nil
}

// of gives the jobs of a store to the page; nil where it has none.
func (g *background) of(st store.Store) job.Jobs {
	switch {
	case g == nil:
		return nil
	case g.queue == nil:
		return g.local
	}
	switch st := st.(type) {
	case *job.Store:
		return g.queue.Of(st.TenantID())
	case *postgres.Store:
		return g.queue.Of(st.TenantID())
	}
	return nil
}

// unattended is how jobs compact: with the operator's model for their own tenant, and
// for tenants that may call it.
func (k *serving) unattended(b *Backend, own store.Store) func(*session.Session, store.Store) (session.Live, error) {
	type numbered interface{ TenantID() int }
	return func(s *session.Session, st store.Store) (session.Live, error) {
		ours, isOne := own.(numbered)
		theirs, isOther := st.(numbered)
		if isOne && (!isOther || ours.TenantID() != theirs.TenantID() && !k.mayCall(theirs.TenantID())) {
			return b.Live(s) // the digest writes
		}
		return b.unattended(s)
	}
}

// unattended is how a conversation is compacted where nobody waits for it: a model
// writes summaries where an agent's would ([query.LiveSettings]).
func (b *Backend) unattended(s *session.Session) (session.Live, error) {
	e, err := b.effective(s.Log())
	if err != nil {
		return session.Live{}, err
	}
	out, err := live.Settings(e.Config, s.Projection().Config().Model)
	if err != nil || !slices.ContainsFunc(out.Auto.Strategies, strategy.Summarises) {
		return out, err
	}
	m, err := writerOf(e)
	if err != nil || m == nil {
		return out, err // the digest writes
	}
	by, err := query.LiveSettings(b.forRequest(), e, s.ID(), m)
	out.Request.Options.Summarizer = by.Request.Options.Summarizer
	return out, err
}

// writerOf opens the model that writes summaries in the background; nil where none
// is configured by whoever runs the program (M1a).
func writerOf(e *config.Effective) (provider.Model, error) {
	for _, key := range [][]string{{"conversation", "compaction", "summarizer_model"}, {"model", "name"}} {
		if name, _, _ := e.Own(key...); name != "" {
			m, err := command.OpenModel(e, name, nil)
			if err != nil {
				return nil, compaction.Named(key[0], err)
			}
			return m, nil
		}
	}
	return nil, nil //nolint:nilnil // none
}
