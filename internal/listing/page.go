package listing

import (
	"context"
	"math"

	"tenfold/session"
	"tenfold/store"
)

// mostRead is how many conversations are read at once.
const mostRead = 1000

// A Walk is where a walk over the pages of a listing stands. What is appended to
// meanwhile moves to the front, past who walks: so it goes in rounds. Each round after
// the first gives what changed since the one before began, and the walk ends with a
// round during which nothing did, or that one statement of the store answered. None is
// missed, as far as the clocks of those that append agree; what changed may come again.
type Walk struct {
	// After is the last conversation that was given; nil begins a round.
	After *store.Place
	// Began is the first of all when the round began. Where it is nil the walk ends
	// with its first round, and may miss some.
	Began *store.Place
	// Until is where the round ends: Began of the round before; nil in the first.
	Until *store.Place
}

// Page gives the next conversations of a walk that pass, at most limit, and how it goes
// on; nil begins one, and a walk that ends gives nil. It reads no more of the store than
// it has to: all of it only where few pass. Where no limit is set, which is
// [math.MaxInt], it is the list of one moment.
func Page(ctx context.Context, s *session.Service, walk *Walk, limit int, passes func(store.Conversation) bool) (found []store.Conversation, next *Walk, err error) {
	var now Walk
	if walk != nil {
		now = *walk
	}
	if limit == math.MaxInt {
		return whole(ctx, s, now, passes)
	}
	begins := now.After == nil
	for n, reads := min(limit, mostRead-1)+1, 1; ; n, reads = min(2*n, mostRead), reads+1 {
		page, err := s.Page(ctx, now.After, n)
		if err != nil {
			return nil, nil, err
		}
		if begins && reads == 1 && len(page) > 0 {
			now.Began = page[0].Place()
		}
		ends := len(page) < n
		for _, c := range page {
			if ends = ends || now.ends(c); now.ends(c) {
				break
			}
			switch {
			case !passes(c):
			case len(found) == limit:
				now.After = found[limit-1].Place()
				return found, &now, nil
			default:
				found = append(found, c)
			}
		}
		if ends {
			if begins && reads == 1 || now.Began == nil {
				return found, nil, nil
			}
			next, err := now.next(ctx, s)
			return found, next, err
		}
		now.After = page[len(page)-1].Place()
	}
}

// ends reports whether a round is over where it comes upon a conversation.
func (w *Walk) ends(c store.Conversation) bool {
	return w.Until != nil && c.Place().Compare(w.Until) >= 0
}

// next begins another round where something changed during this one.
func (w *Walk) next(ctx context.Context, s *session.Service) (*Walk, error) {
	first, err := s.Page(ctx, nil, 1)
	if err != nil || len(first) == 0 || first[0].Place().Compare(w.Began) >= 0 {
		return nil, err
	}
	return &Walk{Until: w.Began}, nil
}

// whole gives all that follows, in a round that is the last.
func whole(ctx context.Context, s *session.Service, now Walk, passes func(store.Conversation) bool) (found []store.Conversation, next *Walk, err error) {
	for c, err := range s.List(ctx) {
		switch {
		case err != nil:
			return nil, nil, err
		case (now.After == nil || c.Place().Compare(now.After) > 0) && passes(c):
			found = append(found, c)
		}
	}
	return found, nil, nil
}
