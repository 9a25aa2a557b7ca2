package remote

import (
	"context"
	"errors"
	"iter"
	"time"

	"tenfold"
	"tenfold/store"
)

// Entries implements [store.Store]. Where the connection breaks off it goes on
// after the last entry that came.
func (s *Store) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.follow(ctx, pathEntries, "read", id, after)
}

// Watch implements [store.Store].
func (s *Store) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		for e, err := range s.follow(ctx, pathWatch, "watch", id, after) {
			if ctx.Err() != nil || !yield(e, err) {
				return
			}
		}
	}
}

// follow gives the entries of an answer, and asks again where it breaks off.
func (s *Store) follow(ctx context.Context, path, op, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		f := follower{Store: s, path: path, id: id, after: after}
		begun, wait := time.Now(), 20*time.Millisecond
		for {
			came, going, err := f.read(ctx, yield)
			if !going {
				return
			}
			if came {
				begun, wait = time.Now(), 20*time.Millisecond
			}
			pause, may := delay(err, wait, true)
			if err == nil || !may || (path == pathEntries && time.Since(begun) > s.patience) {
				if err != nil {
					yield(tenfold.Entry{}, s.errors.ExplainFor(op, id, err))
				}
				return
			}
			select {
			case <-ctx.Done():
			case <-s.closed.Done():
			case <-time.After(pause):
			}
			wait = min(2*wait, time.Second)
		}
	}
}

// A follower reads a log from where it stands.
type follower struct {
	*Store
	path, id string
	after    int64
	made     time.Time // the conversation that is watched was made
}

// read asks once. It reports whether entries came, and whether whoever takes them
// wants more.
func (f *follower) read(outer context.Context, yield func(tenfold.Entry, error) bool) (came, going bool, err error) {
	if err := f.gate.Enter(); err != nil {
		return false, true, err
	}
	f.gate.Leave() // or whoever reads would keep Close waiting
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	defer context.AfterFunc(f.closed, cancel)()
	why := func(err error) error {
		switch {
		case outer.Err() != nil:
			return outer.Err()
		case f.closed.Err() != nil:
			return store.ErrClosed
		}
		return err
	}
	x, err := f.ask(ctx, f.path, parameters{ID: text(f.id), After: f.after})
	if err != nil {
		return false, true, why(err)
	}
	defer x.close()
	if f.path == pathWatch {
		// What comes no more, a connection may not know for hours.
		silent := time.AfterFunc(f.silence, cancel)
		defer silent.Stop()
		x.in.alive = func() { silent.Reset(f.silence) }
		a, more, err := x.object()
		switch {
		case err != nil || !more || a.Conversation == nil:
			return false, true, why(errors.Join(err, ifNot(more && a.Conversation != nil, errCut)))
		case !f.made.IsZero() && !f.made.Equal(a.Conversation.Created):
			return false, true, store.ErrNotFound // deleted, and made anew
		}
		f.made = a.Conversation.Created
	}
	for {
		e, more, err := x.entry()
		if err != nil || !more {
			return came, true, why(err)
		}
		if outer.Err() != nil {
			return came, true, outer.Err()
		}
		if came, f.after = true, e.Seq; !yield(e, nil) {
			return came, false, nil
		}
	}
}

func ifNot(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}
