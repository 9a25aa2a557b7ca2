package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenfold/store"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/vault"
)

// Of conversations whose titles or origins somebody changed a list gives the others, and
// these with what is wrong; what concerns one of them alone fails.
func testDamaged(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s := opened(t, tenant(t, url, "one", masters(t, 1)), WithVault(masters(t, 1)))
	create(t, s, "whole", say("some oven")...)
	damage := map[string]string{
		"title":  "UPDATE tenfold_conversations SET title = set_byte(title, 20, 255 - get_byte(title, 20)) WHERE key = %d",
		"origin": "UPDATE tenfold_conversations SET origin = title WHERE key = %d",
		"clear":  "UPDATE tenfold_conversations SET title = 'planted', sealed = false WHERE key = %d",
		"key":    "UPDATE tenfold_conversations SET title = set_byte(title, 2, 7) WHERE key = %d",
	}
	admin := superuser(t, url)
	do := func(sql, id string) {
		t.Helper()
		key, _, err := s.find(t.Context(), id)
		if err == nil {
			_, err = admin.Exec(t.Context(), fmt.Sprintf(sql, key))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for id, sql := range damage {
		create(t, s, id, say("an oven in "+id)...)
		do(sql, id)
	}
	check := func(what string, found []store.Conversation, err error, want int) {
		t.Helper()
		if err != nil || len(found) != want {
			t.Errorf("%s: %d conversations, %v", what, len(found), err)
		}
		for _, c := range found {
			switch _, damaged := damage[c.ID]; {
			case damaged != (c.Fault != ""), strings.Contains(c.Fault, "planted"), c.Version != 1:
				t.Errorf("%s: %+v", what, c)
			case damaged && (c.Title != "" || c.Origin != store.Origin{}), !damaged && c.Title != "title of whole":
				t.Errorf("%s: %+v", what, c)
			}
		}
	}
	var all []store.Conversation
	var failed error
	for c, err := range s.Conversations(t.Context()) {
		if all = append(all, c); err != nil {
			failed = err
		}
	}
	check("all", all, failed, 5)
	page, err := s.Page(t.Context(), nil, 10)
	check("a page", page, err, 5)
	for id := range damage {
		found, err := s.WithPrefix(t.Context(), id, 1)
		check("a prefix", found, err, 1)
		found, err = s.WithHandle(t.Context(), store.Handle(id))
		check("a handle", found, err, 1)
		if _, err := s.Conversation(t.Context(), id); !errors.Is(err, vault.ErrTampered) && !errors.Is(err, vault.ErrNoKey) || !strings.Contains(err.Error(), id) {
			t.Errorf("%s alone: %v", id, err)
		}
	}
	for _, id := range []string{"title", "key"} { // its import must not make another
		if found, err := s.Imported(t.Context(), "origin of "+id); len(found) != 1 && err == nil {
			t.Errorf("imported: %v, %v", found, err)
		}
	}

	// Entries: a search leaves out what was changed, and says so.
	do("UPDATE tenfold_entries SET text = set_byte(text, 20, 255 - get_byte(text, 20)) WHERE conversation = %d", "key")
	do("UPDATE tenfold_entries SET meta = set_byte(meta, 2, 7) WHERE conversation = %d", "title")
	search := func(s *Store, q store.Query, want, damaged int) {
		t.Helper()
		hits, err := s.Search(t.Context(), q)
		unread, _ := errors.AsType[*store.UnreadError](err)
		if len(hits) != want || (unread == nil) != (damaged == 0) || (unread != nil && unread.Entries != damaged) || unread == nil && err != nil {
			t.Errorf("%+v: %d hits, %v", q, len(hits), err)
		}
	}
	search(s, store.Query{Text: "oven"}, 3, 2)
	search(s, store.Query{Text: "oven", Conversation: "key"}, 0, 1)
	search(s, store.Query{Text: "oven", Conversation: "whole"}, 1, 0)

	plain := opened(t, tenant(t, url, "two", nil))
	for _, id := range []string{"a", "b"} {
		create(t, plain, id, say("an oven", "flour", "another oven")...)
	}
	key, _, err := plain.find(t.Context(), "a")
	if err == nil {
		_, err = admin.Exec(t.Context(), fmt.Sprintf(`UPDATE tenfold_entries SET meta = '\x', text = NULL WHERE conversation = %d AND seq = 1`, key))
	}
	if err != nil {
		t.Fatal(err)
	}
	search(plain, store.Query{Text: "oven"}, 3, 1)
	search(plain, store.Query{Text: "flour"}, 2, 0)
}

// An encrypted tenant whose keys are not there, as when they were not restored, is not
// opened, and nothing is written for it in the clear.
func testKeysNotRestored(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	sealed := tenant(t, url, "one", masters(t, 1))
	tenant(t, url, "two", nil)
	if _, err := superuser(t, url).Exec(t.Context(), "DELETE FROM tenfold_keys"); err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string][]Option{"no master key": nil, "the master key": {WithVault(masters(t, 1))}} {
		s, err := Open(t.Context(), sealed, opts...)
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, vault.ErrNoKey) || !strings.Contains(err.Error(), "tenfold_keys was not restored") {
			t.Errorf("%s: %v", name, err)
		}
	}
	create(t, opened(t, url+"&tenant=two"), "a", say("hello")...)
}
