package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
)

// Who waits for another process's lock may give up, and has written nothing.
func TestWithdraw(t *testing.T) {
	s := opened(t)
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	other, err := dial(t.Context(), s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if err := other.begin(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	b := store.Batch{Conversation: "a", Entries: []tenfold.Entry{crashEntry(1)}}
	if _, err := s.Append(ctx, b); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a lock ends with %v", err)
	}
	if err := other.rollback(); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Conversation(t.Context(), "a"); err != nil || c.Version != 0 {
		t.Errorf("the append given up gave version %d, %v", c.Version, err)
	}
	if v, err := s.Append(t.Context(), b); v != 1 || err != nil {
		t.Errorf("the next append gives %d, %v", v, err)
	}
}

// A conversation was updated when the newest of the appends was made that one transaction
// takes, in whatever order they come.
func TestUpdatedInAGroup(t *testing.T) {
	s := opened(t)
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if err := s.Create(t.Context(), store.Conversation{ID: "a", Created: created}); err != nil {
		t.Fatal(err)
	}
	newest := created.Add(time.Hour)
	if err := s.write(t.Context(), 0, func(tx *tx) (refusal, err error) {
		for i, now := range []time.Time{created.Add(time.Minute), newest, created, {}} {
			rows, err := newRows([]tenfold.Entry{crashEntry(int64(i + 1))})
			if err == nil {
				_, refusal, err = tx.append(t.Context(), store.Batch{Conversation: "a", Expected: store.AnyVersion, Now: now}, rows)
			}
			if refusal != nil || err != nil {
				return refusal, err
			}
		}
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Conversation(t.Context(), "a"); err != nil || c.Version != 4 || !c.Updated.Equal(newest) {
		t.Errorf("%+v, %v", c, err)
	}
}

// In a group, one job's trouble is its own.
func TestGroup(t *testing.T) {
	s := opened(t)
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	other, err := dial(t.Context(), s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if err := other.begin(); err != nil { // until all of the group wait
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			switch i {
			case 2:
				err := s.write(context.Background(), 0, func(tx *tx) (error, error) {
					if _, err := tx.exec("INSERT INTO ids (id, conversation) VALUES ('left over', 1)"); err != nil {
						return nil, err
					}
					_, err := tx.exec("INSERT INTO ids (id, conversation) VALUES (NULL, NULL)")
					return nil, err
				})
				if err == nil || !strings.Contains(err.Error(), "NOT NULL") {
					t.Errorf("a failing job gives %v", err)
				}
			case 4:
				err := s.write(context.Background(), 0, func(*tx) (error, error) { panic("ouch") })
				if err == nil || !strings.Contains(err.Error(), "ouch") {
					t.Errorf("a panicking job gives %v", err)
				}
			default:
				e := tenfold.Entry{ID: fmt.Sprint(i), Payload: tenfold.TurnStart{}}
				if _, err := s.Append(context.Background(), store.Batch{Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{e}}); err != nil {
					t.Errorf("append %d: %v", i, err)
				}
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	if err := other.rollback(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	seen := map[string]bool{}
	for e, err := range s.Entries(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		seen[e.ID] = true
	}
	if len(seen) != 6 {
		t.Errorf("of six appends %v are there", seen)
	}
	leftOver := tenfold.Entry{ID: "left over", Payload: tenfold.TurnStart{}}
	if v, err := s.Append(t.Context(), store.Batch{Conversation: "a", Expected: 6, Entries: []tenfold.Entry{leftOver}}); v != 7 || err != nil {
		t.Errorf("what the failing job wrote is there: %d, %v", v, err)
	}
}

// Words are indexed in the background, without a search.
func TestBackground(t *testing.T) {
	s := opened(t)
	if err := s.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	var batch []tenfold.Entry
	for i := range int64(3000) {
		batch = append(batch, crashEntry(i+1))
	}
	if _, err := s.Append(t.Context(), store.Batch{Conversation: "a", Entries: batch}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var indexed int64
		err := s.read(t.Context(), func(c *conn) (err error) {
			indexed, _, err = c.number(t.Context(), "SELECT indexed FROM conversations")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if indexed == int64(len(batch)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d entries of %d are indexed", indexed, len(batch))
		}
	}
}
