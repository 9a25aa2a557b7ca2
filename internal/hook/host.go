package hook

import (
	"context"
	"sync"
	"time"

	"tenfold/internal/config"
	"tenfold/session"
)

// A Host is what clients work with: the store, the configuration, the clock and
// the record of failures. Its methods are safe for concurrent use.
type Host struct {
	// Open opens the store. It is called at most once, by the first event that
	// needs it.
	Open func(ctx context.Context) (*session.Service, error)
	// Configure reads the configuration for a working directory, which may be
	// empty: what the workspace there says counts as a stranger's unless the person
	// trusts it.
	Configure func(dir string) (*config.Effective, error)
	// Data is the person's data directory: failures and what was installed are
	// kept there. Empty keeps neither.
	Data string
	// Owner tells the paths of several people and machines apart that share a
	// store; empty for a local one.
	Owner string
	// Version is that of the program, for the record of failures.
	Version string
	Now     func() time.Time

	once    sync.Once
	service *session.Service
	err     error

	mu   sync.Mutex
	seen string
}

// Saw notes the version of the client, for the record of failures.
func (h *Host) Saw(version string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = version
}

// Service opens the store, once.
func (h *Host) Service(ctx context.Context) (*session.Service, error) {
	h.once.Do(func() { h.service, h.err = h.Open(ctx) })
	return h.service, h.err
}
