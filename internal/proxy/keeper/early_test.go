package keeper_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// meeting is a store that writes a compaction once it was drawn, or, with others, finds then
// that somebody else came first.
type meeting struct {
	store.Store
	done   *work
	late   atomic.Bool // nothing was drawn
	others func()
}

func (m *meeting) Append(ctx context.Context, b store.Batch) (int64, error) {
	if slices.ContainsFunc(b.Entries, session.BeginsEpoch) {
		for wait := time.Now(); m.done.edited.Load() == 0 && !m.late.Load(); time.Sleep(time.Millisecond) {
			m.late.Store(time.Since(wait) > 5*time.Minute)
		}
		if others := m.others; others != nil {
			m.others = nil
			others()
		}
	}
	return m.Store.Append(ctx, b)
}

// X9: the view that a request waits for is drawn while the store writes it, once. Where the
// store does not take it, as another writer came first, what was drawn is of a view that
// never was, and the request shows the one that is.
func TestX9AViewIsDrawnWhileItIsStored(t *testing.T) {
	t.Parallel()
	pins := func(s *session.Session) error {
		for e := range s.Log().Entries() {
			if e.Payload.Kind() == tenfold.KindToolResult {
				return s.Pin(t.Context(), e.Seq)
			}
		}
		return nil
	}
	compacts := func(s *session.Session) error {
		_, err := s.Compact(t.Context(), session.Request{Target: strategy.Tokens(500)})
		return err
	}
	for name, rival := range map[string]func(*session.Session) error{"nobody": nil, "pins": pins, "compacts": compacts} {
		var done work
		c := newClient(newPlace(t), "one")
		c.live.Turns = 10
		c.restart()
		for range 8 {
			c.turn(1500)
		}
		c.close()
		c.k = nil
		c.pass(6 * time.Minute)
		disk := c.store
		m := &meeting{Store: disk, done: &done}
		if rival != nil {
			m.others = func() {
				c.store = disk
				defer func() { c.store = m }()
				if err := rival(c.open(c.conversations()[0])); err != nil {
					t.Error(err)
				}
			}
		}
		c.store = m
		c.restart()
		c.user("And now?")
		take := func(p wire.Protocol) string {
			ex := c.k.Take(t.Context(), proxy.Incoming{Protocol: p, Kind: c.kind, Path: c.path, Header: c.header, Body: c.body()})
			defer ex.Done(529, true)
			return string(ex.Body())
		}
		got := take(counted{wire.Anthropic{}, &done})
		if n := int(done.edited.Load()); n > len(c.messages) != (rival != nil) || m.late.Load() {
			t.Errorf("%s: %d of %d messages are drawn; late: %t", name, n, len(c.messages), m.late.Load())
		}
		if is := strings.Contains(got, "aat: a line of file 1 that"); is != (name == "pins") || len(got) >= len(c.body()) {
			t.Errorf("%s: what is sent is %s", name, got)
		}
		c.store, c.k = disk, nil
		c.restart()
		if again := take(wire.Anthropic{}); again != got {
			t.Errorf("%s: after a restart it is\n%s\nand was\n%s", name, again, got)
		}
		c.close()
		if f := c.failures(); len(f) > 0 {
			t.Errorf("failures: %q", f)
		}
	}
}
