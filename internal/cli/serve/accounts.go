package serve

import (
	"context"
	"io"
	"strconv"

	"tenfold/agent"
	"tenfold/fleet/tenant"
	"tenfold/internal/cli/command"
	"tenfold/internal/web"
	"tenfold/internal/web/shape"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/remote"
)

// tenants answers the tokens of a database's tenants.
func (k *serving) tenants(db *postgres.Database, work *background) *web.Tenants {
	return web.NewTenants(k.known, func(ctx context.Context, i *tenant.Identity, g *tenant.Gate) (web.Options, io.Closer, error) {
		st, err := db.TenantNumbered(ctx, i.Tenant)
		if err != nil {
			return web.Options{}, nil, err
		}
		one := *k.App
		one.Whose = "tenant " + strconv.Itoa(i.Tenant)
		b := &hosted{Backend{App: &one, readOnly: k.readOnly}, func() bool { return k.mayCall(i.Tenant) }}
		var enqueuing store.Store = st
		if !k.readOnly {
			enqueuing = work.over(st)
		}
		one.Workspace = k.behind(enqueuing, g, &b.Backend, work)
		one.Workspace.Active = &command.ActiveInMemory{} // that of the command line is the operator's
		return web.Options{Backend: b, Store: remote.Handler(work.others(one.Workspace.Store)), Jobs: work.of(enqueuing)}, one.Workspace.Store, nil
	})
}

// behind gives the workspace of a tenant's store behind its gate.
func (k *serving) behind(st store.Store, g *tenant.Gate, b *Backend, work *background) *command.Workspace {
	l := *k.Workspace
	l.Store = tenant.Guard(st, g)
	if l.Service = k.ServiceOver(l.Store); !k.readOnly {
		l.Service = work.service(l.Store, b)
	}
	return &l
}

// hosted is what the API gets of the program for the programs of a tenant: nothing
// that runs here or spends the operator's money, unless they allowed it.
type hosted struct {
	Backend
	models func() bool
}

var _ web.Backend = (*hosted)(nil)

// mayCall tells whether compactions of a tenant may call the operator's model. Where the
// database cannot say, they may not.
func (k *serving) mayCall(number int) bool {
	l, err := k.known.Limits(context.Background(), number)
	return err == nil && l.Models
}

func (b *hosted) Request(s *session.Session, w shape.Wish, dry bool) (web.Prepared, error) {
	p, err := b.Backend.Request(s, w, dry)
	if err == nil && !dry && p.Model != "" && !b.models() {
		_ = p.Finish(nil)
		return web.Prepared{}, &problem.Error{
			Op: "compact", Subject: s.ID(), Code: "no_models", Problem: "no model may be called for this tenant",
			Hint: `choose strategies that call none, such as "digest"; whoever runs the server can allow models: tenfold tenant limits NAME --models allow`,
		}
	}
	return p, err
}

func (b *hosted) Agent(context.Context, *session.Session, string, agent.Approver) (*agent.Agent, io.Closer, error) {
	return nil, nil, &problem.Error{Code: "no_agent", Problem: "this server runs no agent for tenants", Hint: "run the agent on your machine, over this store"}
}

func (b *hosted) Meta() shape.Meta {
	m := b.Backend.Meta()
	m.Agent, m.Models, m.Model = false, nil, ""
	return m
}
