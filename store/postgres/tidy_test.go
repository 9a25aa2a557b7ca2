package postgres

import (
	"fmt"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// What was appended is sorted into the index of words behind the appends, by one
// process at a time.
func testTidy(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s, admin := opened(t, url), superuser(t, url)
	conn, err := admin.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	add := func(id string) {
		e := tenfold.Entry{ID: "1", Payload: tenfold.UserMessage{Parts: tenfold.Text("medlar")}}
		if err := s.Create(t.Context(), store.Conversation{ID: id}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(t.Context(), store.Batch{Conversation: id, Entries: []tenfold.Entry{e}}); err != nil {
			t.Fatal(err)
		}
	}
	untidy := func() (pages int) {
		if err := conn.QueryRow(t.Context(), "SELECT gin_clean_pending_list((SELECT format('%s_words_idx', tenfold_partition(tenfold_month()))::regclass))").Scan(&pages); err != nil {
			t.Fatal(err)
		}
		return pages
	}
	lock := func(sql string) {
		if _, err := conn.Exec(t.Context(), "SELECT "+sql+"(x'74656e666f6c65'::bigint)"); err != nil {
			t.Fatal(err)
		}
	}
	lock("pg_advisory_lock") // as another process that is at it
	add("a")
	s.db.tidyNow(t.Context())
	if untidy() == 0 {
		t.Error("two are at it")
	}
	add("b")
	lock("pg_advisory_unlock")
	s.db.tidyNow(t.Context())
	if pages := untidy(); pages > 0 {
		t.Errorf("%d pages are left", pages)
	}
	if hits, err := s.Search(t.Context(), store.Query{Text: "medlar"}); len(hits) != 2 || err != nil {
		t.Errorf("found %v, %v", hits, err)
	}
	// An open database does so by itself.
	tidied := func() (at int64) {
		if err := conn.QueryRow(t.Context(), "SELECT last_value FROM tenfold_tidied").Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	end := time.Now().Add(5 * time.Minute)
	for n := 0; ; n++ {
		before := tidied()
		add(fmt.Sprint("later", n))
		for ; tidied() == before; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nobody sorts new entries into the index")
			}
		}
		lock("pg_advisory_lock") // until that ended
		lock("pg_advisory_unlock")
		if untidy() == 0 {
			return
		}
		// It had begun before it was told.
	}
}
