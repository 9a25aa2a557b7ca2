package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"tenfold/fleet/tenant"
	"tenfold/internal/web/door"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
	"tenfold/problem"
)

// mostRooms is how many tenants have a server at once that nobody uses. What they
// have open together is bounded beside that (package held).
const mostRooms = 64

// Tenants answers the programs of tenants: each token works on its own tenant's
// store, in a room that is made when it is first asked for. Close it after the
// listener.
type Tenants struct {
	registry *tenant.Registry
	open     OpenTenant
	shelf    *held.Shelf

	mu    sync.Mutex
	gates map[int]*tenant.Gate // a tenant has one as long as the process lives
	rooms map[int]*room
	used  int64 // counts uses, so that the one used longest ago is known
	most  int
	// closing are rooms that nobody uses any more.
	closing sync.WaitGroup
}

// OpenTenant gives what a server of a tenant works with, its store behind the gate,
// and what is to be closed after it.
type OpenTenant func(ctx context.Context, i *tenant.Identity, g *tenant.Gate) (Options, io.Closer, error)

// A room is the server of a tenant. The mutex of Tenants guards users and used.
type room struct {
	users int
	used  int64
	made  sync.Mutex // held while it is made
	// server is nil until it is made.
	server *Server
	closer io.Closer
}

// NewTenants answers the programs of a registry's tenants.
func NewTenants(r *tenant.Registry, open OpenTenant) *Tenants {
	return &Tenants{registry: r, open: open, shelf: held.NewShelf(), gates: map[int]*tenant.Gate{}, rooms: map[int]*room{}, most: mostRooms}
}

// Gate is that of a tenant on this server.
func (t *Tenants) Gate(number int) *tenant.Gate {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.gates[number]
	if g == nil {
		g = tenant.NewGate(t.registry, number)
		t.gates[number] = g
	}
	return g
}

// Admit says whose a token is, and counts the request.
func (t *Tenants) Admit(ctx context.Context, token string) (*tenant.Identity, error) {
	who, err := t.registry.Verify(ctx, token)
	if err == nil {
		err = t.Gate(who.Tenant).Request(ctx)
	}
	if err != nil && !errors.As(err, new(*problem.Error)) {
		err = shape.NewProblem(http.StatusServiceUnavailable, "store", "the token cannot be checked now", "try again in a moment").In(time.Second)
	}
	return who, err
}

// Handler answers the requests of a token that was let in. One that lasts, such as
// a stream, ends soon after the token does.
func (t *Tenants) Handler(token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := tenant.From(r.Context())
		one, err := t.acquire(r.Context(), who)
		if err != nil {
			door.RefuseToken(w, err)
			return
		}
		defer t.release(who.Tenant, one)
		ctx, end := context.WithCancel(r.Context())
		defer end()
		defer t.watch(ctx, token, end)()
		door.Traced(one.server).ServeHTTP(w, r.WithContext(ctx))
	})
}

// watch ends a request when its token is not valid any more.
func (t *Tenants) watch(ctx context.Context, token string, end func()) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	check := func() {
		_, err := t.registry.Verify(ctx, token)
		if errors.Is(err, tenant.ErrDenied) {
			end()
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			timer.Reset(tenant.Fresh)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(tenant.Fresh, check)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// acquire gives a tenant's room, which is made where there is none.
func (t *Tenants) acquire(ctx context.Context, who *tenant.Identity) (*room, error) {
	t.mu.Lock()
	one := t.rooms[who.Tenant]
	if one == nil {
		one = &room{}
		t.rooms[who.Tenant] = one
	}
	one.users++
	t.used++
	one.used = t.used
	t.mu.Unlock()
	one.made.Lock()
	defer one.made.Unlock()
	if one.server != nil {
		return one, nil
	}
	gate := t.Gate(who.Tenant)
	o, closer, err := t.open(ctx, who, gate)
	if err != nil {
		t.release(who.Tenant, one)
		return nil, err
	}
	o.Gate, o.shelf, o.Page = gate, t.shelf, nil
	one.server, one.closer = New(o), closer
	return one, nil
}

// release gives a room back, and closes those used longest ago where there are too many.
func (t *Tenants) release(number int, one *room) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.users--; one.users == 0 && one.server == nil && t.rooms[number] == one {
		delete(t.rooms, number)
	}
	for len(t.rooms) > t.most {
		oldest := 0
		for number, one := range t.rooms {
			if one.users == 0 && (oldest == 0 || one.used < t.rooms[oldest].used) {
				oldest = number
			}
		}
		if oldest == 0 {
			return
		}
		gone := t.rooms[oldest]
		delete(t.rooms, oldest)
		t.closing.Go(func() { _ = gone.close() })
	}
}

func (r *room) close() error {
	r.made.Lock() // none is being made
	defer r.made.Unlock()
	if r.server == nil {
		return nil
	}
	return errors.Join(r.server.Close(), r.closer.Close())
}

// Close ends all rooms.
func (t *Tenants) Close() (err error) {
	t.mu.Lock()
	rooms := t.rooms
	t.rooms = map[int]*room{}
	t.mu.Unlock()
	for _, one := range rooms {
		err = errors.Join(err, one.close())
	}
	t.closing.Wait()
	return err
}
