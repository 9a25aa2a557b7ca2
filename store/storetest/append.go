package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/store"
)

// The store numbers the entries 1, 2, 3 … without gaps (L1); their Seq is not
// looked at. Append returns the version after it.
func testNumbering(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	var want []tenfold.Entry
	for i := range 5 {
		var batch []tenfold.Entry
		for j := range i {
			e := say(fmt.Sprintf("%d.%d", i, j), "x")
			e.Seq = int64(1000 - j)
			batch = append(batch, e)
		}
		want = append(want, batch...)
		v, err := st.Append(t.Context(), store.Batch{Conversation: "a", Expected: int64(len(want) - len(batch)), Entries: batch, Now: start})
		if err != nil || v != int64(len(want)) {
			t.Fatalf("after %d entries the version is %d, %v", len(want), v, err)
		}
	}
	wantLog(t, st, "a", want...)
}

// Entries reads the entries with after < seq.
func testEntriesAfter(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "before", "a", "later")
	add(t, st, "before", say("x", "x"))
	add(t, st, "a", say("1", "x"), say("2", "y"), say("3", "z"))
	add(t, st, "later", say("x", "x"))
	for after, want := range map[int64]int{-5: 3, 0: 3, 1: 2, 2: 1, 3: 0, 4: 0, 1 << 40: 0} {
		got := readAfter(t, st, "a", after)
		if len(got) != want {
			t.Errorf("after %d there are %d entries", after, len(got))
		}
		for i, e := range got {
			if e.Seq != max(after, 0)+int64(i)+1 {
				t.Errorf("after %d comes %d", after, e.Seq)
			}
		}
	}
}

// L8: typed conflict, nothing written.
func testConflict(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("1", "x"), say("2", "y"))
	before, err := st.Conversation(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []int64{0, 1, 3, 1 << 40, -2} {
		_, err := st.Append(t.Context(), store.Batch{
			Conversation: "a", Expected: expected, Entries: []tenfold.Entry{say("3", "z")},
			Stats: &store.Stats{Turns: 9}, Now: start.Add(time.Hour),
		})
		want := &store.ConflictError{Conversation: "a", Expected: expected, Actual: 2}
		var got *store.ConflictError
		if !errors.As(err, &got) || *got != *want {
			t.Errorf("expecting %d gives %v", expected, err)
		}
	}
	after, err := st.Conversation(t.Context(), "a")
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("a refused append changed the conversation, %v:\n%s", err, diff)
	}
	wantLog(t, st, "a", say("1", "x"), say("2", "y"))
	if v, err := st.Append(t.Context(), store.Batch{Conversation: "a", Expected: 2, Entries: []tenfold.Entry{say("3", "z")}}); v != 3 || err != nil {
		t.Errorf("the right version gives %d, %v", v, err)
	}
}

func testAnyVersion(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	for i := range 3 {
		if v := add(t, st, "a", say(fmt.Sprint(i), "x")); v != int64(i+1) {
			t.Errorf("append %d gives version %d", i, v)
		}
	}
	// A batch of nothing writes nothing.
	later := start.Add(time.Hour)
	for _, expected := range []int64{store.AnyVersion, 3, 1} {
		if v, err := st.Append(t.Context(), store.Batch{Conversation: "a", Expected: expected, Now: later, Stats: &store.Stats{Turns: 1}}); v != 3 || err != nil {
			t.Errorf("an empty batch gives %d, %v", v, err)
		}
	}
	if c, _ := st.Conversation(t.Context(), "a"); !c.Updated.Equal(start) || c.Stats != (store.Stats{}) {
		t.Errorf("an empty batch changed %+v", c)
	}
}

// L9: an id the log holds is left out.
func testIdempotence(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	one, two, three, four := say("1", "x"), say("2", "y"), say("3", "z"), say("4", "w")
	first := store.Batch{Conversation: "a", Entries: []tenfold.Entry{one, two}, Now: start, Stats: &store.Stats{Turns: 1}}
	if v, err := st.Append(t.Context(), first); v != 2 || err != nil {
		t.Fatal(v, err)
	}
	// The same again, with its now stale version and other contents: no-op.
	again := first
	again.Entries = []tenfold.Entry{two, say("1", "changed")}
	again.Now, again.Stats = start.Add(time.Hour), &store.Stats{Turns: 5}
	if v, err := st.Append(t.Context(), again); v != 2 || err != nil {
		t.Errorf("a repeated batch gives %d, %v", v, err)
	}
	if c, _ := st.Conversation(t.Context(), "a"); !c.Updated.Equal(start) || c.Stats.Turns != 1 {
		t.Errorf("a repeated batch changed %+v", c)
	}
	wantLog(t, st, "a", one, two)
	// Partly known: the rest conflicts when stale …
	part := store.Batch{Conversation: "a", Entries: []tenfold.Entry{two, three}, Now: start}
	var conflict *store.ConflictError
	if _, err := st.Append(t.Context(), part); !errors.As(err, &conflict) {
		t.Errorf("a stale, partly known batch gives %v", err)
	}
	wantLog(t, st, "a", one, two)
	// … and is appended when not.
	part.Expected = 2
	if v, err := st.Append(t.Context(), part); v != 3 || err != nil {
		t.Errorf("a partly known batch gives %d, %v", v, err)
	}
	// Twice in one batch: the first counts.
	if v := add(t, st, "a", four, say("4", "second"), one); v != 4 {
		t.Errorf("a batch with one new entry gives version %d", v)
	}
	wantLog(t, st, "a", one, two, three, four)
}

func testIDsPerConversation(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	add(t, st, "a", say("1", "in a"))
	if v := add(t, st, "b", say("1", "in b")); v != 1 {
		t.Errorf("an id of another log counts as known: version %d", v)
	}
	wantLog(t, st, "a", say("1", "in a"))
	wantLog(t, st, "b", say("1", "in b"))
}

// A batch is added in one step: all of it or nothing.
func testAtomic(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("0", "x"))
	for name, bad := range map[string]tenfold.Entry{
		"no payload": {ID: "b"},
		"no id":      {Payload: tenfold.TurnStart{}},
		"bad data":   {ID: "b", Payload: tenfold.Unknown{Name: "new", Data: "no json"}},
	} {
		_, err := st.Append(t.Context(), store.Batch{
			Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{say("a", "x"), bad, say("c", "x")},
		})
		if err == nil {
			t.Errorf("an entry with %s is taken", name)
		}
	}
	wantLog(t, st, "a", say("0", "x"))
}

// Stats are as of the last batch that carried any.
func testStats(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	first, last := store.Stats{Turns: 1, TokensBefore: 20, TokensAfter: 10}, store.Stats{TokensBefore: math.MaxInt >> 23}
	for i, test := range []struct {
		set  *store.Stats
		want store.Stats
	}{{nil, store.Stats{}}, {&first, first}, {nil, first}, {&last, last}} {
		_, err := st.Append(t.Context(), store.Batch{
			Conversation: "a", Expected: int64(i), Entries: []tenfold.Entry{say(fmt.Sprint(i), "x")}, Stats: test.set,
		})
		if err != nil {
			t.Fatal(err)
		}
		if c, _ := st.Conversation(t.Context(), "a"); c.Stats != test.want {
			t.Errorf("after batch %d stats are %+v", i, c.Stats)
		}
	}
}

// Cancelled before it began, nothing is written.
func testCancelled(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("1", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, add := st.Append(ctx, store.Batch{Conversation: "a", Expected: 1, Entries: []tenfold.Entry{say("2", "y")}})
	_, get := st.Conversation(ctx, "a")
	_, read := collect(ctx, st, "a", 0)
	_, search := st.Search(ctx, store.Query{Text: "x"})
	var listed error
	for _, err := range st.Conversations(ctx) {
		listed = err
	}
	for name, err := range map[string]error{
		"Append": add, "Conversation": get, "Entries": read, "Search": search, "Conversations": listed,
		"Create": st.Create(ctx, store.Conversation{ID: "b"}), "SetTitle": st.SetTitle(ctx, "a", "x"), "Delete": st.Delete(ctx, "a"),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled %s gives %v", name, err)
		}
	}
	wantLog(t, st, "a", say("1", "x"))
	if c, _ := st.Conversation(t.Context(), "a"); c.Title != "title of a" {
		t.Errorf("a cancelled SetTitle wrote %q", c.Title)
	}
}

// Slices handed in are not kept or changed; those handed out are the caller's.
func testOwnership(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	make2 := func() []tenfold.Entry {
		return []tenfold.Entry{
			{ID: "1", Payload: tenfold.UserMessage{Parts: []tenfold.Part{{Text: "x"}, {File: &tenfold.File{Type: tenfold.PartImage, URI: "u"}}}}},
			{ID: "2", Payload: tenfold.Pin{Entries: []string{"1"}}},
		}
	}
	in := make2()
	add(t, st, "a", in...)
	if diff := cmp.Diff(make2(), in); diff != "" {
		t.Errorf("Append changed what it was given:\n%s", diff)
	}
	spoil := func(entries []tenfold.Entry) {
		m := entries[0].Payload.(tenfold.UserMessage)
		m.Parts[0].Text, m.Parts[1].File.URI = "spoilt", "spoilt"
		entries[1].Payload.(tenfold.Pin).Entries[0] = "spoilt"
		entries[0].ID = "spoilt"
	}
	spoil(in)
	wantLog(t, st, "a", make2()...)
	spoil(read(t, st, "a"))
	wantLog(t, st, "a", make2()...)
	hits, err := st.Search(t.Context(), store.Query{Text: "x"})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	hits[0].Entry.Payload.(tenfold.UserMessage).Parts[0].Text = "spoilt"
	wantLog(t, st, "a", make2()...)
}

// Any sequence of appends does what a slice and a set of ids would.
func testModel(t *testing.T, _ *suite, st store.Store) {
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		id := fmt.Sprintf("model-%d", n)
		create(t, st, id)
		var log []tenfold.Entry
		known := map[string]bool{}
		for range rapid.IntRange(1, 6).Draw(r, "batches") {
			b := store.Batch{Conversation: id, Now: start}
			var fresh []tenfold.Entry
			taken := map[string]bool{}
			for range rapid.IntRange(0, 4).Draw(r, "entries") {
				e := say(fmt.Sprint(rapid.IntRange(0, 9).Draw(r, "id")), strings.Repeat("x", rapid.IntRange(0, 9).Draw(r, "size")))
				b.Entries = append(b.Entries, e)
				if !known[e.ID] && !taken[e.ID] {
					fresh = append(fresh, e)
				}
				taken[e.ID] = true
			}
			b.Expected = rapid.SampledFrom([]int64{store.AnyVersion, int64(len(log)), int64(len(log)), 0}).Draw(r, "expected")
			v, err := st.Append(t.Context(), b)
			if len(fresh) > 0 && b.Expected != store.AnyVersion && b.Expected != int64(len(log)) {
				if conflict := (*store.ConflictError)(nil); !errors.As(err, &conflict) {
					r.Fatalf("no conflict but %v", err)
				}
				continue
			}
			log = append(log, fresh...)
			for _, e := range fresh {
				known[e.ID] = true
			}
			if err != nil || v != int64(len(log)) {
				r.Fatalf("version %d for %d entries, %v", v, len(log), err)
			}
		}
		got, err := collect(t.Context(), st, id, 0)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(numbered(log), append([]tenfold.Entry{}, got...)); diff != "" {
			r.Fatalf("log (-want +got):\n%s", diff)
		}
	})
}
