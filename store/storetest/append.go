package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/store"
)

// A model is what the suite knows of one log.
type model struct {
	about store.Conversation
	log   []tenfold.Entry
}

func newModel(t tb, st store.Store, id string) *model {
	t.Helper()
	m := &model{about: store.Conversation{ID: id, Created: start, Updated: start}}
	ok(t, st.Create(t.Context(), m.about))
	return m
}

// append has the store append a batch, and checks that it does what a slice
// and a set of ids would: it leaves out known ids first (L9), then refuses what
// is stale (L8), and numbers what is left 1, 2, 3 … (L1).
func (m *model) append(t tb, st store.Store, b store.Batch) {
	t.Helper()
	b.Conversation = m.about.ID
	b.Now = m.about.Updated.Add(time.Second)
	log := slices.Clone(m.log)
	for _, e := range b.Entries {
		if !slices.ContainsFunc(log, func(known tenfold.Entry) bool { return known.ID == e.ID }) {
			log = append(log, e)
		}
	}
	var want *store.ConflictError
	switch fresh := len(log) > len(m.log); {
	case fresh && b.Expected != store.AnyVersion && b.Expected != m.about.Version:
		want = &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: m.about.Version}
	case fresh:
		m.log, m.about.Version, m.about.Updated = log, int64(len(log)), b.Now
		if b.Stats != nil {
			m.about.Stats = *b.Stats
		}
		if b.Origin != nil {
			m.about.Origin = *b.Origin
		}
	}
	version, err := st.Append(t.Context(), b)
	var conflict *store.ConflictError
	switch {
	case want != nil && (!errors.As(err, &conflict) || *conflict != *want):
		t.Fatalf("expecting %d gives %v, not %v", b.Expected, err, want)
	case want == nil && (err != nil || version != m.about.Version):
		t.Fatalf("expecting %d gives version %d, %v; want %d", b.Expected, version, err, m.about.Version)
	}
	got, err := st.Conversation(t.Context(), m.about.ID)
	if diff := cmp.Diff(m.about, got); diff != "" || err != nil {
		t.Fatalf("the conversation (-want +got), %v:\n%s", err, diff)
	}
	wantLog(t, st, m.about.ID, m.log...)
}

// Each of these sequences of batches does to a log what it does to a model;
// entries with one id differ in their texts, of which the first counts.
func testAppends(t *testing.T, _ *suite, st store.Store) {
	texts := 0
	batch := func(expected int64, ids string) (b store.Batch) {
		for _, id := range strings.Fields(ids) {
			texts++
			e := say(id, fmt.Sprint(texts))
			e.Seq = int64(1000 - texts) // is not looked at
			b.Entries = append(b.Entries, e)
		}
		b.Expected = expected
		return b
	}
	stats := func(turns, before, after int, b store.Batch) store.Batch {
		b.Stats = &store.Stats{Turns: turns, TokensBefore: before, TokensAfter: after, Percent: 100 + after}
		if after > 0 {
			b.Stats.Ended = start.Add(time.Duration(after) * time.Second)
		}
		return b
	}
	origin := func(key, mark string, b store.Batch) store.Batch {
		b.Origin = &store.Origin{Key: key, Mark: mark, Tool: "tool of " + key, Directory: "/" + mark}
		return b
	}
	for name, batches := range map[string][]store.Batch{
		"in order":    {batch(0, ""), batch(0, "0"), batch(1, "1 2"), batch(3, "3 4 5"), batch(6, "6 7 8 9")},
		"stale":       {batch(0, "1 2"), stats(9, 0, 0, batch(0, "3")), batch(1, "3"), batch(3, "3"), batch(1<<40, "3"), batch(-2, "3"), batch(2, "3")},
		"any version": {batch(store.AnyVersion, "1"), batch(store.AnyVersion, "2"), batch(store.AnyVersion, "3")},
		"empty":       {batch(0, "1 2 3"), stats(1, 0, 0, batch(store.AnyVersion, "")), stats(1, 0, 0, batch(3, "")), stats(1, 0, 0, batch(1, ""))},
		"repeated":    {stats(1, 0, 0, batch(0, "1 2")), stats(5, 0, 0, batch(0, "2 1")), stats(5, 0, 0, batch(0, "1"))},
		"partly known": {
			batch(0, "1 2"), batch(0, "2 3"), batch(2, "2 3"), batch(store.AnyVersion, "4 4 1"), batch(4, "5 5"),
		},
		"stats": {
			batch(0, "1"), stats(1, 20, 10, batch(1, "2")), batch(2, "3"), stats(0, math.MaxInt>>23, 0, batch(3, "4")), stats(7, 7, 7, batch(3, "5")),
		},
		"origins": {
			batch(0, "1"), origin("one", "3", batch(1, "2")), batch(2, "3"), origin("two", "4", batch(1, "4")), origin("two", "4", batch(3, "1")),
			origin("two", "5", batch(3, "1 4")), origin("", "", batch(4, "5")),
		},
	} {
		m := newModel(t, st, name)
		for _, b := range batches {
			m.append(t, st, b)
		}
	}
}

// So does any sequence.
func testModel(t *testing.T, _ *suite, st store.Store) {
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		m := newModel(r, st, fmt.Sprintf("model-%d", n))
		for range rapid.IntRange(1, 6).Draw(r, "batches") {
			b := store.Batch{Expected: rapid.SampledFrom([]int64{store.AnyVersion, m.about.Version, m.about.Version, 0}).Draw(r, "expected")}
			for range rapid.IntRange(0, 4).Draw(r, "entries") {
				b.Entries = append(b.Entries, say(fmt.Sprint(rapid.IntRange(0, 9).Draw(r, "id")), strings.Repeat("x", rapid.IntRange(0, 9).Draw(r, "size"))))
			}
			m.append(r, st, b)
		}
	})
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

// A batch is added in one step: all of it or nothing.
func testAtomic(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("0", "x"))
	for name, bad := range map[string]tenfold.Entry{
		"no payload": {ID: "b"},
		"no id":      {Payload: tenfold.TurnStart{}},
		"bad data":   {ID: "b", Payload: tenfold.Unknown{Name: "new", Data: "no json"}},
		// What could not be read back would keep all of the log from being read.
		"an unknown word":             {ID: "b", Payload: tenfold.Compaction{Turns: "hide"}},
		"a policy without an action":  {ID: "b", Payload: tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{}}},
		"a pointer to an unknown one": {ID: "b", Payload: &tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Prune}}},
		"a size below zero":           {ID: "b", Payload: tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip, Over: -1}}},
		"a known kind that is not":    {ID: "b", Payload: tenfold.Unknown{Name: tenfold.KindCompaction, Data: `{"turns":"hide"}`}},
	} {
		_, err := st.Append(t.Context(), store.Batch{
			Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{say("a", "x"), bad, say("c", "x")},
		})
		if err == nil {
			t.Errorf("an entry with %s is taken", name)
		}
		if err := st.Create(t.Context(), store.Conversation{ID: "b"}, bad); err == nil {
			t.Errorf("a conversation that begins with %s is created", name)
		}
	}
	wantLog(t, st, "a", say("0", "x"))
}

// Cancelled before it began, nothing is written.
func testCancelled(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("1", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range everyCall(ctx, st, "a") {
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
