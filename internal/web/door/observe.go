package door

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"tenfold/internal/telemetry"
	"tenfold/internal/web/shape"
	"tenfold/store/postgres"
)

// watched is what may be told of a request: never its path, its query, a header or a
// body, nor what was answered.
type watched struct {
	route         string // the pattern that it fits
	tenant, token string // whose it is: the id of the token, not its secret
	code          string // of the problem that was answered
	status        int
}

type watchedKey struct{}

// Note tells the log of requests whose request it is, by the tenant's name and the
// token's id.
func Note(ctx context.Context, tenant, token string) {
	if s, ok := ctx.Value(watchedKey{}).(*watched); ok {
		s.tenant, s.token = tenant, token
	}
}

// noRoute is the route of what fits none, such as a path that a stranger tries.
const noRoute = "none"

// Routed notes the route of a request: a pattern, with names in place of ids.
func Routed(ctx context.Context, route string) {
	if s, ok := ctx.Value(watchedKey{}).(*watched); ok {
		s.route = route
	}
}

// Noted gives an error as the problem that an operation answers, and notes its code; of a
// failure that has none, the database's.
func Noted(ctx context.Context, err error) *shape.Problem {
	p := shape.ProblemOf(err)
	if s, ok := ctx.Value(watchedKey{}).(*watched); ok {
		s.code = p.Code
		if p.Code == shape.CodeInternal {
			s.code = cmp.Or(postgres.Code(err), p.Code)
		}
	}
	return p
}

// Observe counts and logs the requests to a handler, those that are turned away
// included. It goes around the [Guard]; [Traced] goes inside it.
func Observe(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &watched{route: noRoute}
		r = r.WithContext(context.WithValue(r.Context(), watchedKey{}, s))
		start, end := time.Now(), telemetry.BeginRequest(r.Context(), r.Method)
		w = &statusWriter{w, s}
		defer func() {
			broken := recover()
			if broken != nil && broken != http.ErrAbortHandler { //nolint:errorlint // the very value, as net/http has it
				broken = s.failed(w, r, broken, log)
			}
			s.status = cmp.Or(s.status, http.StatusOK)
			end(telemetry.InTenant(r.Context(), s.tenant), s.route, s.status)
			if level := s.level(); log.Enabled(r.Context(), level) {
				log.LogAttrs(r.Context(), level, "request", s.attributes(r.Method, time.Since(start))...)
			}
			if broken != nil {
				panic(broken)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// failed answers a request whose handler panicked. The log says where in the program,
// and of the panic its type alone: its words may be those of a conversation. What has
// been answered in part is broken off, by the panic it gives, so as not to look whole.
func (s *watched) failed(w http.ResponseWriter, r *http.Request, what any, log *slog.Logger) (abort any) {
	log.LogAttrs(r.Context(), slog.LevelError, "a request failed by a defect of the program: report it", slog.String("route", s.route),
		slog.String("panic", fmt.Sprintf("%T", what)), slog.String("stack", string(debug.Stack())))
	if s.status != 0 {
		return http.ErrAbortHandler
	}
	shape.NewProblem(http.StatusInternalServerError, shape.CodeInternal, "the server failed at this request", "its log says where: report it").Write(w)
	return nil
}

// level is that of a request in the log: what failed here is an error, as is a key that
// it was not given, and nobody wants to read that somebody asks every second whether
// the server is alive.
func (s *watched) level() slog.Level {
	switch {
	case s.route == alivePath, s.route == readyPath:
		return slog.LevelDebug
	case s.code == shape.CodeKey, s.status >= http.StatusInternalServerError && s.status != http.StatusServiceUnavailable:
		return slog.LevelError
	}
	return slog.LevelInfo
}

func (s *watched) attributes(method string, took time.Duration) []slog.Attr {
	all := []slog.Attr{
		slog.String("method", telemetry.Method(method)), slog.String("route", s.route), slog.Int("status", s.status), slog.Duration("took", took),
	}
	for _, a := range []slog.Attr{slog.String("tenant", s.tenant), slog.String("token", s.token), slog.String("code", s.code)} {
		if a.Value.String() != "" {
			all = append(all, a)
		}
	}
	return all
}

// Traced makes a span of each request that was let in.
func Traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		on, end := telemetry.TraceRequest(r)
		next.ServeHTTP(w, on)
		if s, ok := r.Context().Value(watchedKey{}).(*watched); ok {
			end(s.route, s.status)
		} else {
			end(noRoute, 0)
		}
	})
}

// statusWriter notes the status of a response.
type statusWriter struct {
	http.ResponseWriter
	seen *watched
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	if w.seen.status == 0 && status >= http.StatusOK {
		w.seen.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *statusWriter) Write(b []byte) (int, error) {
	w.seen.status = cmp.Or(w.seen.status, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Refuse is for [shape.Problem.Write]: it notes the code of a problem that is
// written where no operation answers it.
func (w *statusWriter) Refuse(code string) { w.seen.code = code }
