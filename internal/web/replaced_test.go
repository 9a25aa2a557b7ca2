package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// A server that runs on while its database is restored shows what the database has, and
// not what it had read before with what others appended since.
func TestRestoredUnderAServer(t *testing.T) {
	t.Parallel()
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	s, service := server(t, st)
	began := time.Now()
	say := func(texts ...string) []tenfold.Entry {
		entries := []tenfold.Entry{{Payload: tenfold.TurnStart{}}}
		for _, text := range texts {
			entries = append(entries, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}})
		}
		return entries
	}
	for _, all := range [][]tenfold.Entry{say("kept", "lost"), say("kept", "new", "newest")} {
		if err := st.Delete(t.Context(), "a", store.AnyVersion); err != nil && len(all) == 4 {
			t.Fatal(err)
		}
		if _, err := service.Create(t.Context(), session.Create{ID: "a", Created: began, Entries: all}); err != nil {
			t.Fatal(err)
		}
		if c := get[shape.Conversation](t, s, "/api/conversations/a", http.StatusOK); c.Entries != int64(len(all)) {
			t.Errorf("%d entries of %d", c.Entries, len(all))
		}
		shown := fmt.Sprint(get[map[string]any](t, s, "/api/conversations/a/projection?provider=anthropic&model=m", http.StatusOK))
		if restored := len(all) == 4; strings.Contains(shown, "lost") == restored || strings.Contains(shown, "newest") != restored {
			t.Errorf("a model is shown %s", shown)
		}
	}
}
