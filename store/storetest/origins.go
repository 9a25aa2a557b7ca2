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
	if err != nil {
		t.Fatal(err)
	}
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
func testOrigins(t *testing.T, s *suite, st store.Store) {
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
		if err := st.Create(t.Context(), store.Conversation{ID: id, Created: start, Origin: o}); err != nil {
			t.Fatal(err)
		}
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

	put := func(id string, expected int64, after time.Duration, o *store.Origin, entries ...tenfold.Entry) error {
		_, err := st.Append(t.Context(), store.Batch{Conversation: id, Expected: expected, Entries: entries, Origin: o, Now: start.Add(after)})
		return err
	}
	// A batch changes the origin with the log, or leaves it.
	for _, err := range []error{
		put("b", 0, time.Second, &store.Origin{Key: "one", Mark: "3"}, say("1", "x")),
		put("b", 1, 2*time.Second, nil, say("2", "y")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want("one", "b", "a")
	if c, _ := st.Conversation(t.Context(), "b"); c.Origin != (store.Origin{Key: "one", Mark: "3"}) {
		t.Errorf("after appends the origin is %+v", c.Origin)
	}
	// What is refused, or writes nothing, leaves it too (L8, L9).
	if err := put("b", 1, 0, &store.Origin{Key: "two", Mark: "4"}, say("3", "z")); err == nil {
		t.Error("a stale batch is taken")
	}
	if err := put("b", 2, 0, &store.Origin{Key: "two", Mark: "4"}, say("1", "x")); err != nil {
		t.Error(err)
	}
	want("two", "c")
	// A batch of which a part is known is a batch.
	if err := put("b", 2, 3*time.Second, &store.Origin{Key: "two", Mark: "5"}, say("1", "x"), say("3", "z")); err != nil {
		t.Error(err)
	}
	want("one", "a")
	want("two", "b", "c")
	if err := put("a", 0, 4*time.Second, &store.Origin{}, say("1", "x")); err != nil {
		t.Error(err)
	}
	want("one")

	if err := st.SetTitle(t.Context(), "b", "another"); err != nil {
		t.Fatal(err)
	}
	want("two", "b", "c")
	if err := st.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	want("two", "c")
	create(t, st, "b")
	want("two", "c")
	if s.reopen != nil {
		again := s.reopen(t, s.open(t))
		if err := again.Create(t.Context(), store.Conversation{ID: "z", Origin: store.Origin{Key: "kept", Mark: "m"}}); err != nil {
			t.Fatal(err)
		}
		again = s.reopen(t, again)
		if c, err := again.Conversation(t.Context(), "z"); err != nil || c.Origin != (store.Origin{Key: "kept", Mark: "m"}) {
			t.Errorf("after a restart the origin is %+v, %v", c.Origin, err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Many of one origin are listed each once.
func testOriginsMany(t *testing.T, _ *suite, st store.Store) {
	const n = 500
	var want []string
	for i := range n {
		id := fmt.Sprintf("c%03d", i)
		if err := st.Create(t.Context(), store.Conversation{ID: id, Created: start, Origin: store.Origin{Key: "many"}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	create(t, st, "other")
	if got := imported(t, st, "many"); !slices.Equal(got, want) {
		t.Errorf("%d are listed, not %d in their order", len(got), n)
	}
}
