package session_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// damaged is a store in which the log of "torn" cannot be read, nor the title and the log
// of "odd".
type damaged struct{ store.Store }

var errDamage = errors.New("it was changed")

func (d damaged) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	c, err := d.Store.Conversation(ctx, id)
	if err == nil && id == "odd" {
		return store.Conversation{}, errDamage
	}
	return c, err
}

func (d damaged) WithPrefix(ctx context.Context, prefix string, limit int) ([]store.Conversation, error) {
	found, err := d.Store.WithPrefix(ctx, prefix, limit)
	for i := range found {
		if found[i].ID == "odd" {
			found[i].Title, found[i].Fault = "", errDamage.Error()
		}
	}
	return found, err
}

func (d damaged) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if _, err := d.Store.Conversation(ctx, id); err == nil && (id == "torn" || id == "odd") {
		return func(yield func(tenfold.Entry, error) bool) { yield(tenfold.Entry{}, errDamage) }
	}
	return d.Store.Entries(ctx, id, after)
}

func (d damaged) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	hits, err := d.Store.Search(ctx, q)
	hits = slices.DeleteFunc(hits, func(h store.Hit) bool { return h.Conversation == "odd" })
	return hits, errors.Join(err, &store.UnreadError{Entries: 1, First: errDamage})
}

// What is damaged is found as far as it can be, passed over with a word of it, and removed.
func TestDamageIsPassedOver(t *testing.T) {
	st := memory.New()
	for _, id := range []string{"odd", "odd-2", "torn", "whole"} {
		e := tenfold.Entry{ID: "e", Payload: tenfold.AssistantMessage{Text: "the oven of " + id}}
		if err := st.Create(t.Context(), store.Conversation{ID: id, Title: id}, e); err != nil {
			t.Fatal(err)
		}
	}
	svc := session.NewService(damaged{st})
	unread := new(*store.UnreadError)
	if hits, err := svc.Search(t.Context(), store.Query{Text: "oven"}); len(hits) != 3 || !errors.As(err, unread) {
		t.Errorf("found %d, %v", len(hits), err)
	}
	found, err := svc.Lookup(t.Context(), "oven", "", "", 5)
	if len(found) != 2 || !errors.As(err, unread) {
		t.Errorf("looked up %+v, %v", found, err)
	}
	if found, err := svc.Lookup(t.Context(), "oven", "", "torn", 5); len(found) != 2 || !errors.As(err, unread) {
		t.Errorf("looked up beside a damaged one: %+v, %v", found, err)
	}
	if found, err := svc.Lookup(t.Context(), "oven", "torn", "", 5); len(found) != 0 || !errors.Is(err, errDamage) || errors.As(err, unread) {
		t.Errorf("looked up in a damaged one: %+v, %v", found, err)
	}
	c, err := svc.Find(t.Context(), "odd")
	if err != nil || c.ID != "odd" || c.Fault == "" {
		t.Errorf("found %+v, %v", c, err)
	}
	if r, err := svc.Remove(t.Context(), "odd"); err != nil || !r.Gone || r.Unread == "" || r.Entries != 1 {
		t.Errorf("removed %+v, %v", r, err)
	}
	if c, err := svc.Find(t.Context(), "odd"); err != nil || c.ID != "odd-2" {
		t.Errorf("left is %+v, %v", c, err)
	}
}
