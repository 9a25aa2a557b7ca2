package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/storetest"
)

// worded is a store that says in words of its own what it does not have.
type worded struct{ store.Store }

func (worded) say(id string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("worded: look for %q: %w", id, store.ErrNotFound)
	}
	return err
}

func (w worded) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	c, err := w.Store.Conversation(ctx, id)
	return c, w.say(id, err)
}

func (w worded) SetTitle(ctx context.Context, id, title string) error {
	return w.say(id, w.Store.SetTitle(ctx, id, title))
}

func (w worded) Delete(ctx context.Context, id string, expected int64) error {
	return w.say(id, w.Store.Delete(ctx, id, expected))
}

func (w worded) Append(ctx context.Context, b store.Batch) (int64, error) {
	version, err := w.Store.Append(ctx, b)
	return version, w.say(b.Conversation, err)
}

func (w worded) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		for e, err := range w.Store.Entries(ctx, id, after) {
			if !yield(e, w.say(id, err)) {
				return
			}
		}
	}
}

func (w worded) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	hits, err := w.Store.Search(ctx, q)
	return hits, w.say(q.Conversation, err)
}

// The contract asks that an error names the conversation; in which words is the
// store's own affair.
func TestAnyWordsWillDo(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return worded{memory.New()} })
}
