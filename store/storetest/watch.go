package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/store"
)

// patience is how long the suite waits for what should come soon, on however busy a machine.
const patience = 3 * time.Minute

// A watcher runs a watch and keeps what it gave.
type watcher struct {
	entries chan tenfold.Entry
	err     error // once entries is closed
	cancel  func()
}

func watch(t *testing.T, st store.Store, id string, after int64) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watcher{entries: make(chan tenfold.Entry, 10_000), cancel: cancel}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(w.entries)
		for e, err := range st.Watch(ctx, id, after) {
			if err != nil {
				w.err = err
				continue // an error is the last: what else came would be seen
			}
			w.entries <- e
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return w
}

// next waits for an entry; ok is false when the watch ended.
func (w *watcher) next(t *testing.T) (e tenfold.Entry, ok bool) {
	t.Helper()
	select {
	case e, ok = <-w.entries:
		return e, ok
	case <-time.After(patience):
		t.Fatalf("the watch gives nothing for %v, and does not end", patience)
		return e, false
	}
}

// want checks what comes next.
func (w *watcher) want(t *testing.T, seq int64, want ...tenfold.Entry) {
	t.Helper()
	for i, e := range want {
		got, ok := w.next(t)
		if e.Seq = seq + int64(i); !ok {
			t.Fatalf("entry %d did not come: %v", e.Seq, w.err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatalf("entry %d (-want +got):\n%s", e.Seq, diff)
		}
	}
}

// wantEnd checks that the watch ends, with an error or without.
func (w *watcher) wantEnd(t *testing.T, want error) {
	t.Helper()
	if e, ok := w.next(t); ok {
		t.Fatalf("entry %d comes", e.Seq)
	}
	if !errors.Is(w.err, want) {
		t.Fatalf("the watch ends with %v, not %v", w.err, want)
	}
}

// A watch gives what is there, then what comes.
func testWatch(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "other")
	first := []tenfold.Entry{say("1", "x"), say("2", "y"), say("3", "z")}
	add(t, st, "a", first...)
	all, some, ahead := watch(t, st, "a", -1), watch(t, st, "a", 2), watch(t, st, "a", 4)
	all.want(t, 1, first...)
	some.want(t, 3, first[2])
	add(t, st, "other", say("x", "not here"))
	add(t, st, "a", first...) // known: nothing comes of it
	add(t, st, "a", say("4", "live"))
	add(t, st, "a", say("5", "live"), say("6", "live"))
	live := []tenfold.Entry{say("4", "live"), say("5", "live"), say("6", "live")}
	all.want(t, 4, live...)
	some.want(t, 4, live...)
	ahead.want(t, 5, live[1:]...)
	for _, w := range []*watcher{all, some, ahead} {
		w.cancel()
		w.wantEnd(t, nil)
	}
}

// The end of the context, or of the loop, is not an error; an unknown
// conversation is.
func testWatchEnds(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	watch(t, st, "nobody", 0).wantEnd(t, store.ErrNotFound)
	idle := watch(t, st, "a", 0)
	idle.cancel()
	idle.wantEnd(t, nil)
	for _, id := range []string{"a", "nobody"} {
		w := watch(t, st, "a", 0)
		w.cancel()
		w.wantEnd(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for e, err := range st.Watch(ctx, id, 0) {
			t.Errorf("a watch without time gives %v, %v", e, err)
		}
	}
	add(t, st, "a", say("1", "x"), say("2", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range st.Watch(ctx, "a", 0) {
		ok(t, err)
		n++
		cancel() // from inside: no more comes
	}
	if n != 1 {
		t.Errorf("after its end %d entries come", n-1)
	}
	seq := st.Watch(t.Context(), "a", 0)
	for range 2 { // a sequence may be run again
		for e, err := range seq {
			if err != nil || e.Seq != 1 {
				t.Fatalf("the first entry has seq %d, %v", e.Seq, err)
			}
			// All methods may be called from inside.
			if _, err := st.Search(t.Context(), store.Query{Text: "x"}); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
}

// Who is slow to take entries holds up nobody.
func testWatchSlow(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	first, later := []tenfold.Entry{say("1", "x"), say("2", "x")}, []tenfold.Entry{say("3", "x"), say("4", "x")}
	add(t, st, "a", first...)
	appended := make(chan error, 1)
	got, held := 0, false
	for _, err := range st.Watch(t.Context(), "a", 0) {
		ok(t, err)
		if got++; got == 1 {
			go func() {
				_, err := st.Append(t.Context(), store.Batch{Conversation: "a", Expected: 2, Entries: later, Now: start})
				appended <- err
			}()
			select {
			case err := <-appended:
				ok(t, err)
			case <-time.After(patience):
				t.Errorf("an append waits %v for a watcher that is slow to take an entry", patience)
				held = true
			}
		}
		if held || got == len(first)+len(later) {
			break
		}
	}
}

// A deletion ends a watch, even if the id is soon used again.
func testWatchDeleted(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	add(t, st, "a", say("1", "x"))
	reader, late, other := watch(t, st, "a", 0), watch(t, st, "a", 1), watch(t, st, "b", 0)
	reader.want(t, 1, say("1", "x"))
	ok(t, st.Delete(t.Context(), "a", store.AnyVersion))
	create(t, st, "a")
	add(t, st, "a", say("2", "new"), say("3", "new"))
	for {
		e, ok := late.next(t)
		if !ok {
			break
		}
		// The watch may have begun after all this.
		if e.ID != "3" {
			t.Fatalf("of a deleted log comes %s", e.ID)
		}
		late.cancel()
	}
	reader.wantEnd(t, store.ErrNotFound)
	add(t, st, "b", say("1", "x"))
	other.want(t, 1, say("1", "x"))
}

// Close ends watches.
func testWatchClosed(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("1", "x"))
	w := watch(t, st, "a", 0)
	w.want(t, 1, say("1", "x"))
	ok(t, st.Close())
	if e, ok := w.next(t); ok || w.err == nil || errors.Is(w.err, store.ErrNotFound) {
		t.Errorf("after Close comes %q, %v", e.ID, w.err)
	}
}

// Whatever writers do, a watch skips nothing and repeats nothing.
func testWatchWriters(t *testing.T, _ *suite, st store.Store) {
	watchWriters(t, st, []store.Store{st})
}

// So do writers and watchers in other processes.
func testWatchElsewhere(t *testing.T, s *suite, st store.Store) {
	if s.second == nil {
		t.Skip("the store belongs to one process")
	}
	second := s.second(t, st)
	defer second.Close()
	watchWriters(t, st, []store.Store{second})
	create(t, st, "b")
	w := watch(t, st, "b", 0)
	add(t, second, "b", say("1", "x"))
	w.want(t, 1, say("1", "x"))
	ok(t, second.Delete(t.Context(), "b", store.AnyVersion))
	w.wantEnd(t, store.ErrNotFound)
}

func watchWriters(t *testing.T, st store.Store, stores []store.Store) {
	t.Helper()
	const perWriter, batch = 30, 2
	create(t, st, "a")
	begun := time.Now()
	var watchers []*watcher
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range 4 {
		to := stores[w%len(stores)]
		wg.Go(func() {
			for i := range perWriter {
				name := fmt.Sprintf("%d.%d", w, i)
				b := store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{say(name, "x"), say(name+"b", "y")}, Now: start}
				if _, err := to.Append(t.Context(), b); err != nil {
					t.Error(err)
					return
				}
				if i%10 == 5 { // some come in the middle
					mu.Lock()
					watchers = append(watchers, watch(t, st, "a", int64(i)))
					mu.Unlock()
				}
			}
		})
	}
	mu.Lock()
	watchers = append(watchers, watch(t, st, "a", 0))
	mu.Unlock()
	wg.Wait()
	log := read(t, st, "a")
	if len(log) != 4*perWriter*batch {
		t.Fatalf("%d entries are there", len(log))
	}
	for _, w := range watchers {
		seq := int64(0)
		for seq < int64(len(log)) {
			e, ok := w.next(t)
			if !ok {
				t.Fatalf("the watch ended after %d: %v", seq, w.err)
			}
			if seq == 0 {
				seq = e.Seq - 1
			}
			if seq++; e.Seq != seq || e.ID != log[seq-1].ID {
				t.Fatalf("after %d comes %d, %s", seq-1, e.Seq, e.ID)
			}
		}
		w.cancel()
		w.wantEnd(t, nil)
	}
	t.Logf("all came after %v", time.Since(begun))
}
