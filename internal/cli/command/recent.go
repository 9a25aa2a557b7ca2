package command

import (
	"sync"
	"time"
)

// A recent value is what was read within a moment.
type Recent[T any] struct {
	mu    sync.Mutex
	at    time.Time // zero for never
	value T
	err   error
}

// Get gives it, read anew where it is older.
func (r *Recent[T]) Get(read func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || time.Since(r.at) >= momentary {
		r.value, r.err = read()
		r.at = time.Now()
	}
	return r.value, r.err
}

// momentary is for how long a server goes by what it read of the configuration: it
// would else read the files at every append.
const momentary = time.Second
