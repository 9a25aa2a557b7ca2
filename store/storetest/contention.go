package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"tenfold"
	"tenfold/store"
)

// A Win is an entry that a writer was told is in a log. Version is the log's
// after it, or 0 if that is not known: an append done again because its
// answer was lost only learns that it is there.
type Win struct {
	Conversation string
	Version      int64
	ID           string
}

// Contend has writers append single entries to the conversations by
// compare-and-swap, each to one at random after the other, while more says
// so. It gives what they won. No two calls on one log may have one name.
func Contend(ctx context.Context, st store.Store, name string, writers int, conversations []string, more func(done int) bool) ([]Win, error) {
	var mu sync.Mutex
	var wins []Win
	var errs []error
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			var own []Win
			var err error
			expected := map[string]int64{}
			for i := 0; err == nil && more(i); i++ {
				id := conversations[rand.IntN(len(conversations))]
				e := say(fmt.Sprintf("%s.%d.%d", name, w, i), "x")
				for won := false; !won && err == nil; {
					var v int64
					v, err = st.Append(ctx, store.Batch{Conversation: id, Expected: expected[id], Entries: []tenfold.Entry{e}, Now: start})
					var conflict *store.ConflictError
					switch {
					case errors.As(err, &conflict) && conflict.Expected == expected[id] && conflict.Actual > expected[id]:
						expected[id], err = conflict.Actual, nil
					case err == nil:
						win := Win{Conversation: id, ID: e.ID}
						if v == expected[id]+1 {
							win.Version = v
						}
						own, won, expected[id] = append(own, win), true, v
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			wins, errs = append(wins, own...), append(errs, err)
		})
	}
	wg.Wait()
	return wins, errors.Join(errs...)
}

// CheckWins checks that every version has one winner (L8), that what was won
// is there once (D2, L9), and that nothing else is.
func CheckWins(t *testing.T, st store.Store, conversations []string, wins []Win) {
	t.Helper()
	type place struct{ conversation, id string }
	won := map[place]Win{}
	for _, w := range wins {
		won[place{w.Conversation, w.ID}] = w
	}
	if len(won) != len(wins) {
		t.Errorf("%d entries were won %d times", len(won), len(wins))
	}
	n := 0
	for _, id := range conversations {
		log := read(t, st, id)
		for i, e := range log {
			w, ok := won[place{id, e.ID}]
			switch {
			case !ok:
				t.Fatalf("entry %s of %s was won by nobody", e.ID, id)
			case e.Seq != int64(i+1) || w.Version != 0 && w.Version != e.Seq:
				t.Fatalf("entry %d of %s is %s with seq %d, which was won as %d", i+1, id, e.ID, e.Seq, w.Version)
			}
			delete(won, place{id, e.ID})
			n++
		}
		if c, err := st.Conversation(t.Context(), id); err != nil || c.Version != int64(len(log)) {
			t.Fatalf("log %s has %d entries and version %d, %v", id, len(log), c.Version, err)
		}
	}
	for p := range won {
		t.Fatalf("entry %s of %s is lost", p.id, p.conversation)
	}
	if n != len(wins) {
		t.Errorf("%d entries are there, %d were won", n, len(wins))
	}
}

// Conversations makes so many, and gives their ids.
func Conversations(t *testing.T, st store.Store, n int) (ids []string) {
	t.Helper()
	for i := range n {
		ids = append(ids, fmt.Sprintf("c%03d", i))
	}
	create(t, st, ids...)
	return ids
}

// Of writers that append to one log with the same expected version, one wins
// (L8). Who tries again gets in at last, and writers in two processes, on one
// conversation and on many, lose nothing.
func testContention(t *testing.T, s *suite, st store.Store) {
	stores := []store.Store{st, st}
	if s.second != nil {
		stores[1] = s.second(t, st)
		defer stores[1].Close()
	}
	all := Conversations(t, st, 200)
	for _, conversations := range [][]string{all[:1], all[1:]} {
		var mu sync.Mutex
		var wins []Win
		var wg sync.WaitGroup
		for i, st := range stores {
			wg.Go(func() {
				won, err := Contend(t.Context(), st, fmt.Sprint(i), writers/len(stores), conversations, func(done int) bool { return done < appendsPerWriter })
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				wins = append(wins, won...)
			})
		}
		wg.Wait()
		if len(wins) != writers*appendsPerWriter {
			t.Errorf("%d of %d appends came through", len(wins), writers*appendsPerWriter)
		}
		CheckWins(t, st, conversations, wins)
	}
}
