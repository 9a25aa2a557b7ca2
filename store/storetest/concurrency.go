package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"tenfold"
	"tenfold/store"
)

const (
	writers          = 16
	appendsPerWriter = 12
)

// Writers of many conversations do not get in each other's way, and those of
// one batch stay together.
func testManyConversations(t *testing.T, _ *suite, st store.Store) {
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			own := fmt.Sprintf("own-%d", w)
			if err := st.Create(t.Context(), store.Conversation{ID: own, Created: start}); err != nil {
				t.Error(err)
				return
			}
			// All but one of them come too late.
			if err := st.Create(t.Context(), store.Conversation{ID: "shared", Created: start}); err != nil && !errors.Is(err, store.ErrExists) {
				t.Error(err)
			}
			for i := range appendsPerWriter {
				for _, id := range []string{own, "shared"} {
					var batch []tenfold.Entry
					for j := range 3 {
						batch = append(batch, say(fmt.Sprintf("%d.%d.%d", w, i, j), id))
					}
					if _, err := st.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: batch, Now: start}); err != nil {
						t.Error(err)
					}
				}
			}
			if hits, err := st.Search(t.Context(), store.Query{Text: own}); err != nil || len(hits) != 3*appendsPerWriter {
				t.Errorf("%d hits, %v", len(hits), err)
			}
		})
	}
	wg.Wait()
	for w := range writers {
		if n := len(read(t, st, fmt.Sprintf("own-%d", w))); n != 3*appendsPerWriter {
			t.Errorf("log %d has %d entries", w, n)
		}
	}
	shared := read(t, st, "shared")
	if len(shared) != 3*writers*appendsPerWriter {
		t.Fatalf("the shared log has %d entries", len(shared))
	}
	for batch := range slices.Chunk(shared, 3) {
		for j, e := range batch {
			if e.ID[:len(e.ID)-1] != batch[0].ID[:len(e.ID)-1] || e.ID[len(e.ID)-1] != byte('0'+j) {
				t.Fatalf("a batch was torn: %s stands beside %s", e.ID, batch[0].ID)
			}
		}
	}
}

// A log read while others append is a prefix of what it becomes.
func testPrefixReads(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			last := 0
			for {
				log, err := collect(t.Context(), st, "a", 0)
				if err != nil {
					t.Error(err)
					return
				}
				for i, e := range log {
					if e.Seq != int64(i+1) || e.ID != fmt.Sprint(i) {
						t.Errorf("entry %d of a growing log is %s with seq %d", i+1, e.ID, e.Seq)
						return
					}
				}
				if len(log) < last || len(log)%2 != 0 {
					t.Errorf("a log of batches of two had %d entries, then %d", last, len(log))
				}
				last = len(log)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	const n = 200
	for i := 0; i < n; i += 2 {
		add(t, st, "a", say(fmt.Sprint(i), "x"), say(fmt.Sprint(i+1), "y"))
	}
	close(stop)
	wg.Wait()
	if got := len(read(t, st, "a")); got != n {
		t.Errorf("%d entries of %d are there", got, n)
	}
}

// All methods may be called from inside a sequence.
func testNestedCalls(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b", "c")
	add(t, st, "a", say("1", "x"), say("2", "x"), say("3", "x"))
	n := 0
	for c, err := range st.Conversations(t.Context()) {
		ok(t, err)
		for e, err := range st.Entries(t.Context(), "a", 0) {
			ok(t, err)
			for range st.Entries(t.Context(), c.ID, 0) {
				if _, err := st.Search(t.Context(), store.Query{Text: "x"}); err != nil {
					t.Fatal(err)
				}
			}
			add(t, st, "a", say(c.ID+e.ID, "more"))
			n++
		}
	}
	// Each reading of the log saw at least what was there when it began.
	if n < 3+6+12 || len(read(t, st, "a")) != 3+n {
		t.Errorf("%d entries were seen, %d are there", n, len(read(t, st, "a")))
	}
}
