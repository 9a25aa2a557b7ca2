package keeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tenfold/session"
)

// An opening is a store that is opened by the first who needs it, and again after a while
// where that failed.
type opening struct {
	mu      sync.Mutex
	service *session.Service
	failure error
	retry   time.Time     // not before
	under   chan struct{} // closed when what is under way is done; nil for nothing
	giveUp  context.CancelFunc
}

// sessions opens the store, once. Whoever asks waits no longer than it may: a server that
// does not answer can take minutes to say so.
func (k *keeper) sessions(ctx context.Context) (*session.Service, error) {
	o := &k.store
	o.mu.Lock()
	if now := k.Now(); o.service == nil && o.under == nil && !now.Before(o.retry) {
		done := make(chan struct{})
		o.under = done
		// It goes on for others when the first who asks does not wait.
		ctx, giveUp := context.WithCancel(context.WithoutCancel(ctx))
		o.giveUp = giveUp
		go func() {
			defer close(done)
			service, err := k.opened(ctx)
			o.mu.Lock()
			defer o.mu.Unlock()
			o.service, o.failure, o.retry, o.under = service, err, k.Now().Add(payAfter), nil
		}()
	}
	under := o.under
	o.mu.Unlock()
	if under != nil {
		select {
		case <-under:
		case <-ctx.Done():
			return nil, fmt.Errorf("open the store: %w", ctx.Err())
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.service, o.failure
}

func (k *keeper) opened(ctx context.Context) (service *session.Service, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("internal error: " + describe(p))
		}
	}()
	return k.Open(ctx)
}

// end gives up what is under way, of which nobody needs the store any more, and waits for
// it: whoever opens stores closes them next.
func (o *opening) end() {
	o.mu.Lock()
	under, giveUp := o.under, o.giveUp
	o.mu.Unlock()
	if under != nil {
		giveUp()
		<-under
	}
}

// unopened tells that the store could not be opened the last time: no request waits for it.
func (o *opening) unopened() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.service == nil && o.failure != nil
}
