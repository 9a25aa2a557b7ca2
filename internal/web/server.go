package web

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"tenfold/agent"
	"tenfold/fleet/job"
	"tenfold/fleet/tenant"
	"tenfold/internal/web/door"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/talk"
	"tenfold/session"
	"tenfold/store/remote"
)

// Options say what a server works with.
type Options struct {
	Backend Backend
	// Page answers what is not below /api/; nil is not found.
	Page http.Handler
	// Store answers the programs of other machines, whose store this server is, below
	// /api/store/; nil is not found.
	Store http.Handler
	// Gate is that of the tenant whose store this is; nil for a store of one person.
	Gate *tenant.Gate

	// shelf bounds what all tenants have open together; nil makes one.
	shelf *held.Shelf
	// Jobs is the work in the background; nil where there is none.
	Jobs job.Jobs
}

// A Server answers the API, below /api/. Who may ask is decided before it is asked
// (package door). Close it when the listener is closed.
type Server struct {
	backend  Backend
	service  *session.Service
	sessions *held.Sessions
	topics   *topics
	live     *talk.Talks
	compared comparisons
	accounts *accounts
	census   *census
	// measuring holds a token while strategies are measured.
	measuring chan struct{}
	mux       *http.ServeMux
	api       huma.API
	page      http.Handler
	store     http.Handler
	gate      *tenant.Gate
	jobs      job.Jobs

	// alive ends with the server, and with it all event streams.
	alive context.Context
	end   context.CancelFunc
}

// New makes a server. Each group of operations declares itself.
func New(o Options) *Server {
	s := &Server{backend: o.Backend, service: o.Backend.Service(), page: o.Page, store: o.Store, gate: o.Gate, jobs: o.Jobs}
	s.alive, s.end = context.WithCancel(context.Background())
	if o.shelf == nil {
		o.shelf = held.NewShelf()
	}
	s.sessions = o.shelf.Of(s.service)
	s.census = &census{service: s.service, short: shortList}
	s.accounts = newAccounts(s.alive, s.service, s.census)
	s.measuring = make(chan struct{}, 1)
	s.topics = &topics{server: s, open: map[string]*topic{}}
	s.live = talk.New(s.agent)
	s.declare()
	return s
}

// declare says what the operations are.
func (s *Server) declare() {
	s.mux = http.NewServeMux()
	s.api = humago.New(s.mux, apiConfig())
	s.api.UseMiddleware(s.enforce, s.checkRequest)
	for _, declare := range []func(*Server){
		(*Server).declareConversations,
		(*Server).declareCompare,
		(*Server).declareLog,
		(*Server).declareEntries,
		(*Server).declareView,
		(*Server).declareProjection,
		(*Server).declareEvents,
		(*Server).declareExport,
		(*Server).declareAgent,
		(*Server).declareCompact,
		(*Server).declarePlan,
		(*Server).declareMoney,
		(*Server).declareLab,
		(*Server).declareTenant,
		(*Server).declareJobs,
	} {
		declare(s)
	}
	finishDocument(s.api.OpenAPI())
}

// Document is the API in OpenAPI 3.1, as JSON: openapi.json, of which the page's
// client is made.
func Document() ([]byte, error) {
	s := &Server{}
	s.declare()
	return jsonOf(s.api.OpenAPI())
}

// Close ends the event streams and stops the agents: what they did is in their logs.
// Requests under way are the listener's.
func (s *Server) Close() error {
	s.end()
	s.accounts.working.Wait()
	s.sessions.Close()
	return s.live.Close()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.page != nil && !door.IsAPI(r.URL.Path) {
		door.Routed(r.Context(), "page")
		s.preload(r.URL.Path)
		s.page.ServeHTTP(w, r)
		return
	}
	if s.store != nil && door.IsStore(r.URL.Path) {
		door.Routed(r.Context(), door.StorePath+remote.Method(r.URL.Path))
		s.store.ServeHTTP(w, r)
		return
	}
	_, pattern := s.mux.Handler(r)
	if pattern == "" {
		s.refuse(w, r)
		return
	}
	_, path, _ := strings.Cut(pattern, " ")
	door.Routed(r.Context(), path)
	s.mux.ServeHTTP(w, r)
}

// agent makes an agent for a conversation.
func (s *Server) agent(ctx context.Context, id, model string, approver agent.Approver) (*agent.Agent, io.Closer, error) {
	opened, err := s.service.Open(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return s.backend.Agent(ctx, opened, model, approver)
}

// preload opens the conversation that a page is about while the browser loads the
// page: a long log is read by the time that it is asked for.
func (s *Server) preload(path string) {
	id, ok := strings.CutPrefix(path, "/c/")
	if id, _, _ = strings.Cut(id, "/"); !ok || id == "" {
		return
	}
	go func() {
		// Who asks for it next is told what is wrong.
		_ = s.sessions.With(s.alive, id, func(o *held.Conversation) error {
			o.Columns.Read(o.Session.Log())
			return nil
		})
	}()
}

// refuse answers what no operation does, and says what the path takes.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		shape.NewProblem(http.StatusNotFound, "not_found", "no such operation", "/api/openapi.json lists the operations").Write(w)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	shape.NewProblem(http.StatusMethodNotAllowed, "method", "the path does not support this method", "use "+strings.Join(allowed, " or ")).Write(w)
}

// With runs f on an opened conversation that has read its newest version. No other
// f runs on the same conversation meanwhile, so it is not to take long: what takes
// long works on a session of its own (Service.Open). The id may be shortened as on
// the command line.
func (s *Server) with(ctx context.Context, id string, f func(*session.Session) error) error {
	return s.sessions.With(ctx, id, func(o *held.Conversation) error { return f(o.Session) })
}
