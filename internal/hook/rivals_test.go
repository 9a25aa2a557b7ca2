package hook_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/hook"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/transcript"
)

// diskHost makes a host over the store in a file, as each process has its own.
func diskHost(tb testing.TB, db, data string) *hook.Host {
	tb.Helper()
	h := &hook.Host{Configure: configure, Data: data, Version: "test", Now: time.Now}
	h.Open = func(ctx context.Context) (*session.Service, error) {
		st, err := sqlite.Open(ctx, db, sqlite.WithoutIndex())
		if err != nil {
			return nil, err
		}
		tb.Cleanup(func() { _ = st.Close() })
		return session.NewService(st), nil
	}
	return h
}

// Of several events at once about one conversation each is answered, one
// compaction is made at a time, and the log holds every entry once (D3).
func TestD3EventsAtOnce(t *testing.T) {
	db := filepath.Join(t.TempDir(), "tenfold.db")
	path := writeTranscript(t, logtest.Long(300))
	const rivals = 4
	views, errs := make([]*hook.View, rivals), make([]error, rivals)
	var all sync.WaitGroup
	for i := range rivals {
		all.Go(func() {
			views[i], errs[i] = diskHost(t, db, t.TempDir()).Compact(t.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: path, Window: 40_000})
		})
	}
	all.Wait()
	made := 0
	for i, err := range errs {
		switch {
		case err == nil && views[i].After < views[i].Before:
			made++
		case err == nil || !strings.Contains(err.Error(), "compaction"):
			t.Errorf("event %d: %+v, %v", i, views[i], err)
		}
	}
	if made == 0 {
		t.Error("nobody compacted")
	}
	svc, err := diskHost(t, db, "").Service(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c, err := range svc.List(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
		s, err := svc.Open(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		began := 0
		for e := range s.Log().Entries() {
			if e.Payload.Kind().Visible() {
				began++
			}
		}
		if lines := visible(t, path); began != lines {
			t.Errorf("the log shows %d entries of %d", began, lines)
		}
	}
	if n != 1 {
		t.Errorf("there are %d conversations", n)
	}
}

// visible counts what a model sees of a transcript.
func visible(tb testing.TB, path string) (n int) {
	tb.Helper()
	h, _ := newHost(tb)
	s, err := h.Import(tb.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	for e := range s.Log().Entries() {
		if e.Payload.Kind().Visible() {
			n++
		}
	}
	return n
}

// A store that another process holds does not make an agent wait longer than the
// limit (V7).
func TestV7LockedStoreIsNotWaitedFor(t *testing.T) {
	db, data := filepath.Join(t.TempDir(), "tenfold.db"), t.TempDir()
	st, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	lock, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	path := writeTranscript(t, logtest.Long(50))
	h := diskHost(t, db, data)
	client := fake(func(ctx context.Context, h *hook.Host, _ string, _ []byte) ([]byte, error) {
		_, err := h.Compact(ctx, hook.Ask{Format: transcript.ClaudeCode, Path: path})
		return []byte(`{"done":true}`), err
	})
	if out := h.Run(t.Context(), client, "compact", strings.NewReader(""), 200*time.Millisecond); string(out) != hook.Nothing {
		t.Errorf("the answer is %s", out)
	}
	// It is its own limit that ended it, and not that of the store, which is longer.
	if all, err := h.Failures(1); err != nil || len(all) != 1 || !strings.Contains(all[0].Why, "not done within 200ms") {
		t.Errorf("the record is %+v, %v", all, err)
	}
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	_ = lock.Close()
	h = diskHost(t, db, data)
	if out := h.Run(t.Context(), client, "compact", strings.NewReader(""), time.Hour); string(out) != `{"done":true}` {
		all, _ := h.Failures(1)
		t.Errorf("the answer is %s: %+v", out, all)
	}
}
