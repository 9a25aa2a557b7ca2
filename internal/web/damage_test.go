package web

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/store"
	"tenfold/store/memory"
)

// damagedStore cannot read the log of "torn", nor the titles of conversations.
type damagedStore struct{ store.Store }

func (d damagedStore) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	found, err := d.Store.Page(ctx, after, limit)
	for i := range found {
		found[i].Title, found[i].Fault = "", "it was changed"
	}
	return found, err
}

func (d damagedStore) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if id == "torn" {
		return func(yield func(tenfold.Entry, error) bool) {
			yield(tenfold.Entry{}, errors.New("it was changed"))
		}
	}
	return d.Store.Entries(ctx, id, after)
}

func (d damagedStore) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	hits, err := d.Store.Search(ctx, q)
	return hits, errors.Join(err, &store.UnreadError{Entries: 2, First: errors.New("conversation torn, entry 5: it was changed")})
}

// What is damaged is named beside what is not.
func TestDamageIsToldBesideTheRest(t *testing.T) {
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	s, _ := server(t, damagedStore{st})
	for _, id := range []string{"torn", "whole"} {
		e := tenfold.Entry{ID: "e of " + id, Payload: tenfold.AssistantMessage{Text: "an oven"}}
		if err := st.Create(t.Context(), store.Conversation{ID: id, Title: id}, e); err != nil {
			t.Fatal(err)
		}
	}
	if page := get[shape.Conversations](t, s, "/api/conversations", http.StatusOK); len(page.Items) != 2 || page.Items[0].Fault != "it was changed" {
		t.Errorf("listed %+v", page.Items)
	}
	for path, want := range map[string]int{"/api/search?q=oven": 2, "/api/conversations/torn/search?q=oven": 1} {
		hits := get[shape.Hits](t, s, path, http.StatusOK)
		if len(hits.Items) != want || !strings.Contains(hits.Unread, "2 damaged entries left out, first conversation torn, entry 5") {
			t.Errorf("%s: %+v", path, hits)
		}
		for _, h := range hits.Items { // of what cannot be opened it is not known
			if (h.Hidden == nil) != (h.Conversation == "torn") {
				t.Errorf("%s: %+v", path, h)
			}
		}
	}
}
