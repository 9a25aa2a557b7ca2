package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/store"
)

// Create adds a conversation; its version is not looked at, and without a time of
// the last append it is as old as it began.
func testCreate(t *testing.T, _ *suite, st store.Store) {
	in := store.Conversation{
		ID: "a", Title: "first", Created: start, Updated: start.Add(time.Hour), Version: 7,
		Stats:  store.Stats{Turns: 1, TokensBefore: 2, TokensAfter: 3, Percent: 138, Ended: start.Add(time.Minute)},
		Origin: store.Origin{Key: "k", Mark: "m", Tool: "codex", Directory: "/home/ann/\x1b[31mbäckerei"},
	}
	ok(t, st.Create(t.Context(), in))
	want := store.Conversation{ID: "a", Title: "first", Created: start, Updated: start.Add(time.Hour), Stats: in.Stats, Origin: in.Origin}
	got, err := st.Conversation(t.Context(), "a")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("created (-want +got), %v:\n%s", err, diff)
	}
	wantLog(t, st, "a")

	// An id in use is ErrExists, and what is there stays.
	if err := st.Create(t.Context(), store.Conversation{ID: "a", Title: "second"}); !errors.Is(err, store.ErrExists) {
		t.Errorf("creating it again gives %v", err)
	}
	if got, _ := st.Conversation(t.Context(), "a"); got != want {
		t.Errorf("the second Create changed it to %+v", got)
	}
	// No time is a time too.
	ok(t, st.Create(t.Context(), store.Conversation{ID: "b"}))
	if got, _ := st.Conversation(t.Context(), "b"); got != (store.Conversation{ID: "b"}) {
		t.Errorf("without title and time it is %+v", got)
	}
}

func testNotFound(t *testing.T, _ *suite, st store.Store) {
	ctx := t.Context()
	create(t, st, "there")
	_, get := st.Conversation(ctx, "gone")
	_, add := st.Append(ctx, store.Batch{Conversation: "gone", Entries: []tenfold.Entry{say("1", "x")}})
	_, addAny := st.Append(ctx, store.Batch{Conversation: "gone", Expected: store.AnyVersion, Entries: []tenfold.Entry{say("1", "x")}})
	_, read := collect(ctx, st, "gone", 0)
	_, search := st.Search(ctx, store.Query{Text: "x", Conversation: "gone"})
	for name, err := range map[string]error{
		"Conversation": get, "SetTitle": st.SetTitle(ctx, "gone", "x"), "Delete": st.Delete(ctx, "gone", store.AnyVersion),
		"Append": add, "Append to any version": addAny, "Entries": read, "Search": search,
	} {
		if err != nil && strings.Count(err.Error(), "gone") != 1 {
			t.Errorf("%s does not say which conversation, once: %v", name, err)
		}
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s of an unknown conversation gives %v", name, err)
		}
	}
	if got := list(t, st); !slices.Equal(got, []string{"there"}) {
		t.Errorf("the listing is %v", got)
	}
}

// Conversations lists all, the one last appended to first, ties by id.
func testListing(t *testing.T, _ *suite, st store.Store) {
	if got := list(t, st); len(got) != 0 {
		t.Errorf("an empty store lists %v", got)
	}
	create(t, st, "c", "a", "b", "d")
	if got := list(t, st); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("equal times list as %v", got)
	}
	for i, id := range []string{"b", "d", "a"} {
		now := start.Add(time.Duration(i+1) * time.Second)
		if _, err := st.Append(t.Context(), store.Batch{Conversation: id, Entries: []tenfold.Entry{say("1", "x")}, Now: now}); err != nil {
			t.Fatal(err)
		}
		if c, _ := st.Conversation(t.Context(), id); !c.Updated.Equal(now) || !c.Created.Equal(start) {
			t.Errorf("%s was appended to at %v and says %+v", id, now, c)
		}
	}
	// The clock of another program may be behind.
	if _, err := st.Append(t.Context(), store.Batch{Conversation: "a", Expected: 1, Entries: []tenfold.Entry{say("2", "x")}, Now: start.Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if c, _ := st.Conversation(t.Context(), "a"); !c.Updated.Equal(start.Add(3*time.Second)) || c.Version != 2 {
		t.Errorf("after an append by a clock that is behind it says %+v", c)
	}
	if got := list(t, st); !slices.Equal(got, []string{"a", "d", "b", "c"}) {
		t.Errorf("after appends the listing is %v", got)
	}
	// What is listed is what Conversation says.
	for c, err := range st.Conversations(t.Context()) {
		one, e := st.Conversation(t.Context(), c.ID)
		if diff := cmp.Diff(one, c); diff != "" || err != nil || e != nil {
			t.Errorf("listed differs (-one +listed), %v, %v:\n%s", err, e, diff)
		}
	}
}

// Page lists what Conversations does, from a place on: conversations of one time, of none,
// and of times before 1970.
func testPages(t *testing.T, _ *suite, st store.Store) {
	if page, err := st.Page(t.Context(), nil, 3); len(page) != 0 || err != nil {
		t.Errorf("an empty store has a page of %d, %v", len(page), err)
	}
	for i, id := range []string{"", "g", "c", "a", "b", "d", "e", "f", "h"} {
		created := start
		var at time.Time // none for the first two, as of their creation
		switch {
		case i < 2:
			created = at
		case i >= 7:
			at = time.Unix(int64(i-8), 30).UTC() // about 1970
		case i >= 2:
			at = start.Add(time.Duration(i/4) * 20 * time.Second) // some in one minute
		}
		ok(t, st.Create(t.Context(), store.Conversation{ID: id, Created: created, Updated: at}))
	}
	// An append without a time changes nothing about it.
	for _, id := range []string{"", "g"} {
		_, err := st.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{say("1", "x")}})
		ok(t, err)
	}
	all := list(t, st)
	if len(all) != 9 || all[8] != "g" || all[7] != "" {
		t.Fatalf("the listing is %q", all)
	}
	for limit := range 11 {
		var got []string
		for after := (*store.Place)(nil); ; {
			page, err := st.Page(t.Context(), after, limit)
			ok(t, err)
			for _, c := range page {
				one, err := st.Conversation(t.Context(), c.ID)
				if diff := cmp.Diff(one, c); diff != "" || err != nil {
					t.Errorf("listed differs (-one +listed), %v:\n%s", err, diff)
				}
				got = append(got, c.ID)
			}
			if len(page) > limit || len(got) > len(all) {
				t.Fatalf("a page of %d has %d; so far there are %q", limit, len(page), got)
			}
			if len(page) < limit || limit == 0 {
				break
			}
			after = page[len(page)-1].Place()
		}
		if want := all[:min(len(all), limit*len(all))]; !slices.Equal(got, want) {
			t.Errorf("pages of %d give %q, not %q", limit, got, want)
		}
	}
	if page, err := st.Page(t.Context(), nil, -1); len(page) != 0 || err != nil {
		t.Errorf("a page of -1 has %d, %v", len(page), err)
	}
	// A place need not be that of a conversation.
	between, want := &store.Place{Updated: start.Add(10 * time.Second), ID: "x"}, []string{"a", "c"}
	page, err := st.Page(t.Context(), between, 2)
	ok(t, err)
	if len(page) != 2 || page[0].ID != want[0] || page[1].ID != want[1] {
		t.Errorf("from between on there are %+v, not %q", page, want)
	}
}

func testListingEndsEarly(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b", "c")
	for range st.Conversations(t.Context()) {
		break
	}
	add(t, st, "a", say("1", "x"), say("2", "y"))
	for range st.Entries(t.Context(), "a", 0) {
		break
	}
	wantLog(t, st, "a", say("1", "x"), say("2", "y"))
}

func testTitles(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	for _, title := range []string{"new", "", `it's "quoted"; DROP TABLE entries; --`, "日本語 🎉\n%s", "a\x00b"} {
		ok(t, st.SetTitle(t.Context(), "a", title))
		if c, err := st.Conversation(t.Context(), "a"); err != nil || c.Title != title || !c.Updated.Equal(start) {
			t.Errorf("title %q became %+v, %v", title, c, err)
		}
	}
	if c, _ := st.Conversation(t.Context(), "b"); c.Title != "title of b" {
		t.Errorf("the other's title became %q", c.Title)
	}
}

// Delete removes a conversation and its whole log.
func testDelete(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	add(t, st, "a", say("1", "alpha"), say("2", "beta"))
	add(t, st, "b", say("1", "alpha"))
	// Of another version than is expected, it stays.
	for _, expected := range []int64{0, 1, 3} {
		var conflict *store.ConflictError
		want := store.ConflictError{Conversation: "a", Expected: expected, Actual: 2}
		if err := st.Delete(t.Context(), "a", expected); !errors.As(err, &conflict) || *conflict != want {
			t.Errorf("deleting version %d of 2 gives %v, not %v", expected, err, &want)
		}
	}
	wantLog(t, st, "a", say("1", "alpha"), say("2", "beta"))
	ok(t, st.Delete(t.Context(), "b", 1))
	create(t, st, "b")
	add(t, st, "b", say("1", "alpha"))
	ok(t, st.Delete(t.Context(), "a", store.AnyVersion))
	if _, err := collect(t.Context(), st, "a", 0); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its log reads as %v", err)
	}
	if got := list(t, st); !slices.Equal(got, []string{"b"}) {
		t.Errorf("the listing is %v", got)
	}
	wantLog(t, st, "b", say("1", "alpha"))
	// The id is free again, and nothing of the old log is there, ids included.
	create(t, st, "a")
	wantLog(t, st, "a")
	if v := add(t, st, "a", say("2", "gamma")); v != 1 {
		t.Errorf("the first append after Create gives version %d", v)
	}
	wantLog(t, st, "a", say("2", "gamma"))
	ok(t, st.Delete(t.Context(), "a", store.AnyVersion))
	if err := st.Delete(t.Context(), "a", store.AnyVersion); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleting it again gives %v", err)
	}
}

// Ids are any text.
func testOddNames(t *testing.T, _ *suite, st store.Store) {
	names := []string{"", " ", "'", `"`, "a'); DROP TABLE entries; --", "%", "_", "A", "a", "é", "e\u0301", "日本", "a\x00b", "a\x00c", "a/b", "123", "01"}
	for _, name := range names {
		create(t, st, name)
		entryID := name + "'id"
		add(t, st, name, say(entryID, name), say(entryID, "twice"))
	}
	for _, name := range names {
		wantLog(t, st, name, say(name+"'id", name))
	}
	got, want := list(t, st), slices.Sorted(slices.Values(names))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the listing (-want +got):\n%s", diff)
	}
}

// After Close the other methods give ErrClosed, and Close may be called again.
func testClose(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	ok(t, st.Close())
	for name, err := range everyCall(t.Context(), st, "a") {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s of a closed store gives %v, not %v", name, err, store.ErrClosed)
		}
	}
	for e, err := range st.Watch(t.Context(), "a", 0) {
		if err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("Watch of a closed store gives %q, %v", e.ID, err)
		}
	}
}

// What was acknowledged is there when the store is opened again (D2).
func testReopen(t *testing.T, s *suite) {
	st := s.open(t)
	ok(t, st.Create(t.Context(), store.Conversation{ID: "a", Created: start, Origin: store.Origin{Key: "kept", Mark: "m"}}))
	create(t, st, "b")
	var want []tenfold.Entry
	for range 3 {
		batch := everyPayload(len(want))
		add(t, st, "a", batch...)
		want = append(want, batch...)
		before, err := st.Conversation(t.Context(), "a")
		ok(t, err)
		st = s.reopen(t, st)
		after, err := st.Conversation(t.Context(), "a")
		if diff := cmp.Diff(before, after); diff != "" || err != nil {
			t.Fatalf("the conversation (-before +after), %v:\n%s", err, diff)
		}
		wantLog(t, st, "a", want...)
		if got := imported(t, st, "kept"); !slices.Equal(got, []string{"a"}) {
			t.Fatalf("after a restart %v are imported", got)
		}
		if v := add(t, st, "a", batch...); v != int64(len(want)) {
			t.Fatalf("after a restart known ids are appended again: version %d", v)
		}
		hits, err := st.Search(t.Context(), store.Query{Text: "greeting", Limit: 1000})
		if err != nil || len(hits) != len(want)/len(batch) {
			t.Fatalf("%d hits after a restart, %v", len(hits), err)
		}
	}
	wantLog(t, st, "b")
	ok(t, st.Close())
}

// Create takes the log's first entries along, all or nothing.
func testCreateWithEntries(t *testing.T, _ *suite, st store.Store) {
	about := store.Conversation{ID: "a", Created: start, Stats: store.Stats{Turns: 1, TokensBefore: 20, TokensAfter: 10, Percent: 77}}
	entries := []tenfold.Entry{say("1", "first"), say("2", "second"), say("1", "first again")}
	ok(t, st.Create(t.Context(), about, entries...))
	wantLog(t, st, "a", entries[:2]...)
	got, err := st.Conversation(t.Context(), "a")
	if err != nil || got.Version != 2 || got.Stats != about.Stats {
		t.Fatalf("the conversation is %+v, %v", got, err)
	}
	if err := st.Create(t.Context(), about, say("3", "third")); !errors.Is(err, store.ErrExists) {
		t.Fatalf("an id in use gives %v", err)
	}
	wantLog(t, st, "a", entries[:2]...)
	if err := st.Create(t.Context(), store.Conversation{ID: "b", Created: start}, say("1", "x"), tenfold.Entry{ID: "2"}); err == nil {
		t.Fatal("an entry without a payload was taken")
	}
	if _, err := st.Conversation(t.Context(), "b"); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("a refused conversation is there: %v", err)
	}
	if _, err := st.Append(t.Context(), store.Batch{Conversation: "a", Expected: 2, Entries: []tenfold.Entry{say("4", "more")}, Now: start}); err != nil {
		t.Fatal(err)
	}
}

// Ids are found by how they begin, byte for byte.
func testPrefixes(t *testing.T, _ *suite, st store.Store) {
	long := strings.Repeat("long", 100)
	ids := []string{"a", "ab", "ab\x00", "ab\xff", "ab\xff\xff1", "ac", "b", "ä", long + "1", long + "2", "\xff", "\xff\xff"}
	for _, id := range ids {
		ok(t, st.Create(t.Context(), store.Conversation{ID: id}))
	}
	for _, prefix := range append(ids, "ab\xff\xff", "\xff\xff\xff", "lon", long, "A", "ac ", "\xc3") {
		var want, got []string
		for _, id := range ids {
			if strings.HasPrefix(id, prefix) {
				want = append(want, id)
			}
		}
		found, err := st.WithPrefix(t.Context(), prefix, 100)
		ok(t, err)
		for _, c := range found {
			got = append(got, c.ID)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("with %q begin %q, want %q", prefix, got, want)
		}
	}
	for limit, want := range map[int]int{2: 2, 0: 0, -1: 0} {
		if found, err := st.WithPrefix(t.Context(), "a", limit); len(found) != want || err != nil {
			t.Errorf("of at most %d there are %d, %v", limit, len(found), err)
		}
	}
	for _, id := range []string{long + "1", long + "2"} { // the limit is of those that begin so
		if found, err := st.WithPrefix(t.Context(), id, 1); len(found) != 1 || found[0].ID != id || err != nil {
			t.Errorf("with the id that ends in %q begin %v, %v", id[len(id)-1:], found, err)
		}
	}
}

// Times may be any: a program or a transcript says them. FILETIME begins in 1601.
func testFarTimes(t *testing.T, _ *suite, st store.Store) {
	for i, year := range []int{1, 1601, 1677, 1678, 1969, 1970, 2261, 2262, 9999} {
		id, at := fmt.Sprint(year), time.Date(year, 12, 31, 0, 0, 0, i, time.UTC)
		ok(t, st.Create(t.Context(), store.Conversation{ID: id, Created: at, Updated: at, Stats: store.Stats{Ended: at}}, say("1", "x")))
		_, err := st.Append(t.Context(), store.Batch{Conversation: id, Expected: 1, Entries: []tenfold.Entry{say("2", "y")}, Now: at})
		ok(t, err)
		if c, err := st.Conversation(t.Context(), id); c.Version != 2 || c.Created.IsZero() || c.Updated.IsZero() || c.Stats.Ended.IsZero() || err != nil {
			t.Errorf("of %d it knows %+v, %v", year, c, err)
		}
	}
	ok(t, st.Create(t.Context(), store.Conversation{ID: "none"}))
	want := list(t, st)
	if want[len(want)-1] != "none" {
		t.Errorf("the listing is %q", want)
	}
	var got []string
	for page, err := st.Page(t.Context(), nil, 1); len(page) > 0; page, err = st.Page(t.Context(), page[0].Place(), 1) {
		ok(t, err)
		got = append(got, page[0].ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages give %q, the listing %q", got, want)
	}
}

// Handles are the first bytes of a hash, whatever bytes an id has; two conversations may
// have the same.
func testHandles(t *testing.T, _ *suite, st store.Store) {
	const one, two = "c1083", "c1465" // the first two of their kind with one handle
	ids := []string{"", "a", "ab\x00", "\xff", strings.Repeat("long", 300), one, two}
	for _, id := range ids {
		ok(t, st.Create(t.Context(), store.Conversation{ID: id, Created: start, Title: "title of " + id}))
	}
	for _, id := range ids {
		found, err := st.WithHandle(t.Context(), store.Handle(id))
		c, e := st.Conversation(t.Context(), id)
		want := []store.Conversation{c}
		if id == one || id == two {
			a, _ := st.Conversation(t.Context(), one)
			b, _ := st.Conversation(t.Context(), two)
			want = []store.Conversation{a, b}
		}
		if diff := cmp.Diff(want, found); diff != "" || err != nil || e != nil {
			t.Errorf("with the handle of %q (-want +got), %v, %v:\n%s", id, err, e, diff)
		}
	}
	ok(t, st.Delete(t.Context(), one, store.AnyVersion))
	if found, err := st.WithHandle(t.Context(), store.Handle(two)); len(found) != 1 || found[0].ID != two || err != nil {
		t.Errorf("once the other is gone there are %+v, %v", found, err)
	}
	for _, none := range []string{"", "12345", "1234567", "12345x", "-12345", "+00001", "000000"} {
		if found, err := st.WithHandle(t.Context(), none); len(found) != 0 || err != nil {
			t.Errorf("%q finds %+v, %v", none, found, err)
		}
	}
}
