package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/store"
)

// imported gives the ids of the conversations that come from somewhere.
func imported(t *testing.T, st store.Store, key string) []string {
	t.Helper()
	all, err := st.Imported(t.Context(), key)
	ok(t, err)
	var ids []string
	for _, c := range all {
		one, err := st.Conversation(t.Context(), c.ID)
		if diff := cmp.Diff(one, c); diff != "" || err != nil {
			t.Errorf("listed differs (-one +listed), %v:\n%s", err, diff)
		}
		ids = append(ids, c.ID)
	}
	return ids
}

// Imported lists the conversations whose origin has the key, in the order of
// Conversations; the origin is as of Create, or of the last batch that carried
// one.
func testOrigins(t *testing.T, _ *suite, st store.Store) {
	want := func(key string, ids ...string) {
		t.Helper()
		if got := imported(t, st, key); !slices.Equal(got, ids) {
			t.Errorf("from %.20q come %v, not %v", key, got, ids)
		}
	}
	long := strings.Repeat("a long key ", 1000)
	odd := "it's \"odd\"\x00\xff%_日本"
	for id, o := range map[string]store.Origin{
		"a": {Key: "one", Mark: "1"}, "b": {Key: "one", Mark: "2"}, "c": {Key: "two", Mark: odd}, "d": {Key: long}, "e": {Key: long + "!"}, "f": {Key: odd}, "g": {},
	} {
		ok(t, st.Create(t.Context(), store.Conversation{ID: id, Created: start, Origin: o}))
		if c, err := st.Conversation(t.Context(), id); err != nil || c.Origin != o {
			t.Errorf("the origin %+v became %+v, %v", o, c.Origin, err)
		}
	}
	want("one", "a", "b")
	want("two", "c")
	want(long, "d")
	want(long+"!", "e")
	want(odd, "f")
	want("")
	want("on")

	// A batch changes the origin with the log, or leaves it. What is refused,
	// or writes nothing, leaves it too (L8, L9); one of which a part is known
	// does not.
	three, four, five := store.Origin{Key: "one", Mark: "3"}, store.Origin{Key: "two", Mark: "4"}, store.Origin{Key: "two", Mark: "5"}
	for i, step := range []struct {
		id       string
		expected int64
		origin   *store.Origin
		entries  []tenfold.Entry
		refused  bool
		one, two []string
	}{
		{"b", 0, &three, []tenfold.Entry{say("1", "x")}, false, []string{"b", "a"}, []string{"c"}},
		{"b", 1, nil, []tenfold.Entry{say("2", "y")}, false, []string{"b", "a"}, []string{"c"}},
		{"b", 1, &four, []tenfold.Entry{say("3", "z")}, true, []string{"b", "a"}, []string{"c"}},
		{"b", 2, &four, []tenfold.Entry{say("1", "x")}, false, []string{"b", "a"}, []string{"c"}},
		{"b", 2, &five, []tenfold.Entry{say("1", "x"), say("3", "z")}, false, []string{"a"}, []string{"b", "c"}},
		{"a", 0, &store.Origin{}, []tenfold.Entry{say("1", "x")}, false, nil, []string{"b", "c"}},
	} {
		now := start.Add(time.Duration(i+1) * time.Second)
		_, err := st.Append(t.Context(), store.Batch{Conversation: step.id, Expected: step.expected, Entries: step.entries, Origin: step.origin, Now: now})
		if step.refused != (err != nil) {
			t.Errorf("step %d gives %v", i, err)
		}
		want("one", step.one...)
		want("two", step.two...)
	}
	ok(t, st.SetTitle(t.Context(), "b", "another"))
	want("two", "b", "c")
	ok(t, st.Delete(t.Context(), "b", store.AnyVersion))
	want("two", "c")
	create(t, st, "b")
	want("two", "c")
}

// Many of one origin are listed each once.
func testOriginsMany(t *testing.T, _ *suite, st store.Store) {
	const n = 500
	var want []string
	for i := range n {
		id := fmt.Sprintf("c%03d", i)
		ok(t, st.Create(t.Context(), store.Conversation{ID: id, Created: start, Origin: store.Origin{Key: "many"}}))
		want = append(want, id)
	}
	create(t, st, "other")
	if got := imported(t, st, "many"); !slices.Equal(got, want) {
		t.Errorf("%d are listed, not %d in their order", len(got), n)
	}
}
