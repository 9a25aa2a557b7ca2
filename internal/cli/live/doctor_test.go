package live

import (
	"context"
	"iter"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// untitled is a store that cannot read the title of one conversation.
type untitled struct{ store.Store }

func (u untitled) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return func(yield func(store.Conversation, error) bool) {
		for c, err := range u.Store.Conversations(ctx) {
			if c.ID == "odd" {
				c.Fault = "it was changed"
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// The doctor finds a conversation whose title cannot be read.
func TestDoctorFindsADamagedTitle(t *testing.T) {
	st := memory.New()
	for _, id := range []string{"whole", "odd"} {
		if err := st.Create(t.Context(), store.Conversation{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s store.Store) finding {
		return checkOpened(t.Context(), &command.Workspace{Store: s, Service: session.NewService(s)})
	}
	if f := check(st); f.Status != statusOK || !strings.Contains(f.Detail, "2 conversations") {
		t.Errorf("%+v", f)
	}
	if f := check(untitled{st}); f.Status != statusFail || !strings.Contains(f.Detail, "1 title cannot be read, first of conversation odd: it was changed") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}
