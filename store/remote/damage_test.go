package remote_test

import (
	"context"
	"errors"
	"testing"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
)

// damaged is a store in which something cannot be read.
type damaged struct{ store.Store }

func (d damaged) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	found, err := d.Store.Page(ctx, after, limit)
	for i := range found {
		found[i].Fault = "it was changed"
	}
	return found, err
}

func (d damaged) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	hits, err := d.Store.Search(ctx, q)
	return hits, errors.Join(err, &store.UnreadError{Entries: 3, First: errors.New("conversation a, entry 7: it was changed")})
}

// What a server cannot read of its store it says to a client beside the rest.
func TestDamageIsTold(t *testing.T) {
	st := memory.New()
	e := tenfold.Entry{ID: "e", Payload: tenfold.AssistantMessage{Text: "an oven"}}
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}, e); err != nil {
		t.Fatal(err)
	}
	s := served(t, damaged{st})
	if found, err := s.Page(t.Context(), nil, 10); err != nil || len(found) != 1 || found[0].Fault != "it was changed" {
		t.Errorf("listed: %+v, %v", found, err)
	}
	hits, err := s.Search(t.Context(), store.Query{Text: "oven"})
	unread, ok := errors.AsType[*store.UnreadError](err)
	if !ok || len(hits) != 1 || unread.Entries != 3 || unread.First.Error() != "conversation a, entry 7: it was changed" {
		t.Errorf("found %d: %v", len(hits), err)
	}
}
