package watch

import (
	"context"
	"sync"
)

// A Companion is a goroutine that runs while anybody watches. Its zero value
// is ready.
type Companion struct {
	mu     sync.Mutex
	users  int
	closed bool
	cancel context.CancelFunc // nil: it does not run
	done   chan struct{}
}

// Join keeps run going until leave is called, or longer. It must return soon
// after its context ends.
func (c *Companion) Join(run func(ctx context.Context)) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users++; c.cancel == nil && !c.closed {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		c.cancel, c.done = cancel, done
		go func() {
			defer close(done)
			run(ctx)
		}()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.users--; c.users == 0 {
			c.end()
		}
	}
}

// end waits until the goroutine has ended. The lock must be held.
func (c *Companion) end() {
	if c.cancel != nil {
		c.cancel()
		<-c.done
		c.cancel = nil
	}
}

// Close ends it for good.
func (c *Companion) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.end()
}
