package door

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A Health answers whether the server is alive (/healthz) and ready for requests
// (/readyz), to anybody and in one word: load balancers and orchestrators sign in
// nowhere.
type Health struct {
	check func(context.Context) error
	now   func() time.Time

	mu      sync.Mutex // held while a check runs
	checked time.Time
	ready   bool

	ending sync.Once
	ended  chan struct{}
}

const alivePath, readyPath = "/healthz", "/readyz"

const (
	// readyWait is how long a check may take, readyFor how long its answer is given
	// again: whoever asks, and however often, costs the store a question a second.
	readyWait, readyFor = 2 * time.Second, time.Second
)

// NewHealth makes a health of a check whether the store can be used, such as
// postgres.Store.Ready.
func NewHealth(check func(context.Context) error) *Health {
	return &Health{check: check, now: time.Now, ended: make(chan struct{})}
}

// Ending has the server be not ready from here on. It goes on answering, so that
// those who send it requests can learn of it first.
func (h *Health) Ending() { h.ending.Do(func() { close(h.ended) }) }

// Handler answers /healthz and /readyz, and leaves the rest to next.
func (h *Health) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != alivePath && r.URL.Path != readyPath || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		Routed(r.Context(), r.URL.Path)
		status, word := http.StatusOK, "ok\n"
		if r.URL.Path == readyPath && !h.isReady(r.Context()) {
			status, word = http.StatusServiceUnavailable, "not ready\n"
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, word)
	})
}

// isReady asks the store, or knows since a moment ago.
func (h *Health) isReady(ctx context.Context) bool {
	select {
	case <-h.ended:
		return false
	default:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checked.IsZero() || h.now().Sub(h.checked) >= readyFor {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWait) // others have the answer too
		h.ready = h.check(limited) == nil
		cancel()
		h.checked = h.now()
	}
	return h.ready
}
