package session_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// A lateWriter appends to a log when it has just been read, so often.
type lateWriter struct {
	store.Store
	times int
	keeps bool // a deletion leaves all as it is
}

func (s *lateWriter) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		for e, err := range s.Store.Entries(ctx, id, after) {
			if !yield(e, err) {
				return
			}
		}
		if s.times--; s.times >= 0 {
			e := tenfold.Entry{ID: fmt.Sprint("late", s.times), Payload: tenfold.AssistantMessage{Text: "late"}}
			_, _ = s.Append(ctx, store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{e}})
		}
	}
}

func (s *lateWriter) Delete(ctx context.Context, id string, expected int64) error {
	if s.keeps {
		return nil
	}
	return s.Store.Delete(ctx, id, expected)
}

// What is removed is counted to the last entry, whoever appends meanwhile.
func TestRemove(t *testing.T) {
	entries := []tenfold.Entry{
		{ID: "1", Payload: tenfold.TurnStart{}},
		{ID: "2", Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}},
		{ID: "3", Payload: tenfold.Compaction{}},
		{ID: "4", Payload: tenfold.CompactionRevoked{Target: "3"}},
	}
	var bytes int64
	for _, e := range entries {
		b, err := tenfold.MarshalPayload(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		bytes += int64(len(b))
	}
	one, err := tenfold.MarshalPayload(tenfold.AssistantMessage{Text: "late"})
	if err != nil {
		t.Fatal(err)
	}
	for times := range int64(4) {
		st := &lateWriter{Store: memory.New(), times: int(times)}
		for _, id := range []string{"a", "b"} {
			if err := st.Create(t.Context(), store.Conversation{ID: id}, entries...); err != nil {
				t.Fatal(err)
			}
		}
		svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
		want := session.Removed{ID: "a", Entries: 4 + times, Overlays: 1, Bytes: bytes + times*int64(len(one)), Gone: true}
		if got, err := svc.Remove(t.Context(), "a"); got != want || err != nil {
			t.Errorf("%+v, not %+v, %v", got, want, err)
		}
		if _, err := svc.Remove(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("what is gone is removed again: %v", err)
		}
		if c, err := st.Conversation(t.Context(), "b"); c.Version != 4 || err != nil {
			t.Errorf("the other became %+v, %v", c, err)
		}
		st.keeps = true
		if got, err := svc.Remove(t.Context(), "b"); got.Gone || err != nil {
			t.Errorf("what stays is proven to be gone: %+v, %v", got, err)
		}
	}
}

// A damagedStore loses what is behind the second entry of each log.
type damagedStore struct {
	store.Store
	why error
}

func (s *damagedStore) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		for e, err := range s.Store.Entries(ctx, id, after) {
			if err == nil && e.Seq > 2 {
				e, err = tenfold.Entry{}, s.why
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// What cannot be read to its end is removed all the same, unless its server is away.
func TestRemoveDamaged(t *testing.T) {
	st := &damagedStore{memory.New(), fmt.Errorf("read: %w", store.ErrUnavailable)}
	entries := []tenfold.Entry{{ID: "1", Payload: tenfold.TurnStart{}}, {ID: "2", Payload: tenfold.Compaction{}}, {ID: "3", Payload: tenfold.Compaction{}}}
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}, entries...); err != nil {
		t.Fatal(err)
	}
	svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
	if _, err := svc.Remove(t.Context(), "a"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without its server it gives %v", err)
	}
	st.why = errors.New("the row is damaged")
	got, err := svc.Remove(t.Context(), "a")
	if got.Entries != 3 || got.Overlays != 1 || !got.Gone || got.Unread != "the row is damaged" || err != nil {
		t.Errorf("it gives %+v, %v", got, err)
	}
}
