//go:build unix

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/remote"
	"tenfold/strategy"
)

// A writer is a person's machine: it works on conversations through one server or
// another until what it began is acknowledged.
type writer struct {
	*agent
	number   int
	t        *testing.T
	journal  *journal
	services []*session.Service
	bases    []string // of the API of each server
	token    string
	client   *http.Client
	open     map[string]*session.Session // and the service that it is of
	made     int
	watching *sync.WaitGroup // what follows its first conversation
}

// newWriter makes a writer of a tenant whose clock is off by so much.
func newWriter(t *testing.T, f *fleet, j *journal, number int, seed uint64, ahead time.Duration) *writer {
	w := &writer{
		agent: newAgent(fmt.Sprintf("%s.w%d", j.name, number), seed), number: number, t: t, journal: j, token: j.token, client: &http.Client{Timeout: 20 * time.Second},
		open: map[string]*session.Session{}, watching: &sync.WaitGroup{},
	}
	for _, s := range f.servers {
		st, err := remote.Open(s.address(), j.token)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		w.services = append(w.services, session.NewService(st, session.WithCounter(tenfold.Chars4{}), session.WithClock(func() time.Time { return time.Now().Add(ahead) })))
		w.bases = append(w.bases, s.address()+"/api/conversations/")
	}
	return w
}

// work goes on until it is stopped, and what was begun is acknowledged.
func (w *writer) work(ctx context.Context, stop <-chan struct{}, rest time.Duration) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := w.one(ctx); err != nil {
			return fmt.Errorf("writer %s: %w", w.name, err)
		}
		pass(stop, time.Duration(w.random.Int64N(int64(2*rest))))
	}
}

// one does one thing at random.
func (w *writer) one(ctx context.Context) error {
	id := w.journal.some(w.random)
	switch n := w.random.IntN(100); {
	case id == "" || n < 3 && w.made < 12:
		return w.create(ctx)
	case n < 60:
		return w.turn(ctx, id)
	case n < 70:
		return w.sayByAPI(ctx, id)
	case n < 80:
		return w.compact(ctx, id)
	case n < 85:
		return w.compactByAPI(ctx, id)
	case n < 90:
		return w.undo(ctx, id, (*session.Session).Undo)
	case n < 93:
		return w.undo(ctx, id, (*session.Session).Redo)
	case n < 95:
		return w.pin(ctx, id)
	case n < 96 && w.made > 3:
		return w.remove(ctx, id)
	}
	return w.look(ctx, id)
}

// errGone says that somebody deletes the conversation.
var errGone = errors.New("it is being deleted")

// again does something through one server after the other until it is done. A
// conversation that somebody deletes ends it too.
func (w *writer) again(ctx context.Context, id string, do func(ctx context.Context, svc *session.Service) error) error {
	for begun := time.Now(); ; {
		err := do(ctx, w.services[w.random.IntN(len(w.services))])
		switch {
		case err == nil:
			return nil
		case w.gone(id) && (errors.Is(err, store.ErrNotFound) || errors.Is(err, errGone)):
			return errGone
		case errors.Is(err, store.ErrNotFound) || errors.Is(err, errBroken) || errors.Is(err, errRefused):
			return fmt.Errorf("conversation %s: %w", id, err)
		case time.Since(begun) > 2*patience:
			return fmt.Errorf("conversation %s: after %v: %w", id, time.Since(begun).Round(time.Second), err)
		}
		w.journal.count("attempts that failed", 1)
		delete(w.open, id)
		pass(ctx.Done(), time.Duration(w.random.IntN(200))*time.Millisecond)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (w *writer) gone(id string) bool {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	return w.journal.deleted[id]
}

// errBroken says that what must hold does not.
var errBroken = errors.New("broken")

// on does something with an opened conversation, and takes in what is read of it.
func (w *writer) on(ctx context.Context, id string, do func(s *session.Session) error) error {
	err := w.again(ctx, id, func(ctx context.Context, svc *session.Service) error {
		s := w.open[id]
		if s == nil || w.random.IntN(4) == 0 { // as a program that is started anew
			var err error
			if s, err = svc.Open(ctx, id); err != nil {
				return err
			}
			for other := range w.open { // a machine's memory is bounded
				if len(w.open) < 5 {
					break
				}
				delete(w.open, other)
			}
			w.open[id] = s
			if err := w.journal.read(s, 0); err != nil {
				return fmt.Errorf("%w: %w", errBroken, err)
			}
		}
		before := s.Log().Version()
		err := do(s)
		if broken := w.journal.read(s, before); broken != nil {
			return fmt.Errorf("%w: %w", errBroken, broken)
		}
		return err
	})
	if errors.Is(err, errGone) {
		delete(w.open, id)
		return nil
	}
	return err
}

// say appends entries after whatever is there.
func (w *writer) say(ctx context.Context, id string, entries ...tenfold.Entry) error {
	return w.on(ctx, id, func(s *session.Session) error {
		if err := s.AppendLatest(ctx, entries...); err != nil {
			return err
		}
		// What was acknowledged the session has read.
		for _, e := range entries {
			if _, ok := s.Log().Lookup(e.ID); !ok {
				return fmt.Errorf("%w: entry %s is acknowledged and not in log %s", errBroken, e.ID, id)
			}
		}
		w.journal.acknowledged(id, entries)
		return nil
	})
}

func (w *writer) create(ctx context.Context) error {
	id := fmt.Sprintf("w%d-conversation-%03d", w.number, w.made) // other tenants have the same
	w.made++
	first := w.ask()
	err := w.again(ctx, id, func(ctx context.Context, svc *session.Service) error {
		s, err := svc.OpenOrCreate(ctx, session.Create{ID: id, Title: "Work of " + w.name, Entries: first})
		if err != nil {
			return err
		}
		w.journal.mu.Lock()
		w.journal.logs[id] = &known{acked: map[string]bool{}, commands: map[string]int{}}
		w.journal.mu.Unlock()
		w.open[id] = s
		return w.journal.read(s, 0)
	})
	if err == nil {
		w.journal.acknowledged(id, first)
		w.journal.count("conversations", 1)
	}
	if err == nil && w.made == 1 {
		svc := w.services[w.random.IntN(len(w.services))]
		w.watching.Go(func() {
			if err := w.watch(ctx, id, svc); err != nil {
				w.t.Error(err)
			}
		})
	}
	return err
}

// turn is a message and some steps.
func (w *writer) turn(ctx context.Context, id string) error {
	if err := w.say(ctx, id, w.ask()...); err != nil {
		return err
	}
	for range 1 + w.random.IntN(4) {
		answer, calls := w.step()
		if err := w.say(ctx, id, answer...); err != nil {
			return err
		}
		for _, call := range calls {
			if w.random.IntN(20) == 0 {
				continue // the program was killed
			}
			if err := w.say(ctx, id, w.result(call)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compact compacts by a command that is safe to repeat.
func (w *writer) compact(ctx context.Context, id string) error {
	w.n++
	r := session.Request{ID: fmt.Sprintf("%s-command-%d", w.name, w.n)}
	names := []string{"", "strip-tools", "fit:target=30%", "sliding-window:n=40", "summarize", "strip-reasoning"}
	if name := names[w.random.IntN(len(names))]; name != "" {
		st, err := strategy.Parse(name)
		if err != nil {
			return err
		}
		r.Strategies = []strategy.Strategy{st}
	}
	if w.random.IntN(2) == 0 {
		to, err := tenfold.ParseBound("-1")
		if err != nil {
			return err
		}
		r.Bounds.To = &to
	}
	return w.on(ctx, id, func(s *session.Session) error {
		c, err := s.Compact(ctx, r)
		if err == nil && len(c.Overlays) > 0 {
			w.journal.mu.Lock()
			if k := w.journal.logs[id]; k != nil {
				k.commands[r.ID] = len(c.Overlays)
			}
			w.journal.counts["compactions"]++
			w.journal.mu.Unlock()
		}
		return err
	})
}

// errRefused is an answer of the API that trying again does not change.
var errRefused = errors.New("refused")

// post asks a server at random of its API. What may go otherwise when it is tried again
// is another error than errRefused.
func (w *writer) post(ctx context.Context, id, path string, header http.Header, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.bases[w.random.IntN(len(w.bases))]+id+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header = header
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := w.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode == http.StatusNotFound:
		return store.ErrNotFound
	case answer.StatusCode >= 500 || answer.StatusCode == http.StatusConflict || answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusRequestTimeout:
		return fmt.Errorf("%s: %s", answer.Status, said)
	case answer.StatusCode >= 300:
		return fmt.Errorf("%w: POST %s%s: %s: %s", errRefused, id, path, answer.Status, said)
	}
	return json.Unmarshal(said, into)
}

// sayByAPI appends as a program without our library does: with a key that makes it safe
// to repeat, through whatever server.
func (w *writer) sayByAPI(ctx context.Context, id string) error {
	w.n++
	header := http.Header{"Idempotency-Key": {fmt.Sprintf("%s-key-%d", w.name, w.n)}}
	var said struct {
		Version int64
		Entries []struct {
			ID  string
			Seq int64
		}
	}
	batch := map[string]any{"entries": []map[string]any{ // the same each time
		{"kind": "turn_start"},
		{"kind": "user_message", "parts": []map[string]string{{"type": "text", "text": w.mark() + w.text(200)}}},
		{"kind": "assistant_message", "text": w.text(300)},
	}}
	err := w.again(ctx, id, func(ctx context.Context, _ *session.Service) error {
		return w.post(ctx, id, "/entries", header, batch, &said)
	})
	switch {
	case errors.Is(err, errGone):
		return nil
	case err != nil:
		return err
	case len(said.Entries) != 3:
		return fmt.Errorf("three entries appended to %s are answered by %+v", id, said)
	}
	w.journal.count("appends by the API", 1)
	for _, e := range said.Entries {
		if err := w.journal.placed(id, e.ID, e.Seq); err != nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
	}
	return nil
}

// compactByAPI has a server compact. Where the answer is lost nobody knows whether it
// did, and nobody asks again.
func (w *writer) compactByAPI(ctx context.Context, id string) error {
	var said struct{}
	err := w.post(ctx, id, "/compactions", http.Header{}, map[string]any{"strategies": []string{"strip-tools"}, "keep": "1"}, &said)
	switch {
	case errors.Is(err, errRefused) || errors.Is(err, store.ErrNotFound) && !w.gone(id):
		return err
	case err != nil:
		w.journal.count("attempts that failed", 1)
	default:
		w.journal.count("compactions by a server", 1)
	}
	return nil
}

// undo takes the newest compaction back, or gives it back.
func (w *writer) undo(ctx context.Context, id string, which func(*session.Session, context.Context) ([]tenfold.Overlay, error)) error {
	return w.on(ctx, id, func(s *session.Session) error {
		if err := s.Refresh(ctx); err != nil {
			return err
		}
		before := s.Log().Version()
		_, err := which(s, ctx)
		if errors.Is(err, session.ErrNothingToUndo) || errors.Is(err, session.ErrNothingToRedo) {
			return nil
		}
		if err == nil {
			for e := range s.Log().After(before) {
				w.journal.acknowledged(id, []tenfold.Entry{e})
			}
			w.journal.count("undone or redone", 1)
		}
		return err
	})
}

func (w *writer) pin(ctx context.Context, id string) error {
	return w.on(ctx, id, func(s *session.Session) error {
		if err := s.Refresh(ctx); err != nil {
			return err
		}
		seq := 1 + w.random.Int64N(s.Log().Version())
		if session.Pinnable(s.Log(), seq) != nil {
			return nil
		}
		if w.random.IntN(2) == 0 {
			return s.Unpin(ctx, seq)
		}
		return s.Pin(ctx, seq)
	})
}

// remove deletes a conversation for good.
func (w *writer) remove(ctx context.Context, id string) error {
	w.journal.mu.Lock()
	mine := w.journal.logs[id] != nil && len(w.journal.logs) > 16
	if mine {
		delete(w.journal.logs, id)
		w.journal.deleted[id] = true
	}
	w.journal.mu.Unlock()
	if !mine {
		return nil
	}
	err := w.again(ctx, id, func(ctx context.Context, svc *session.Service) error { return svc.Delete(ctx, id) })
	if errors.Is(err, errGone) { // by an attempt whose answer was lost
		err = nil
	}
	w.journal.count("deletions", 1)
	return err
}

// watch follows a conversation by one server until ctx ends: whatever happens to that, it
// gives each entry once, in order, and those that others read.
func (w *writer) watch(ctx context.Context, id string, svc *session.Service) error {
	next := int64(1)
	for e, err := range svc.Watch(ctx, id, 0) {
		if err != nil {
			if errors.Is(err, store.ErrNotFound) && w.gone(id) {
				return nil
			}
			return fmt.Errorf("watch %s: %w", id, err)
		}
		w.journal.mu.Lock()
		k := w.journal.logs[id]
		if k != nil {
			err = k.place(e.ID, e.Seq)
		}
		w.journal.counts["entries watched"]++
		w.journal.mu.Unlock()
		if err != nil || e.Seq != next {
			return fmt.Errorf("watch %s: entry %d comes where %d is next; %w", id, e.Seq, next, err)
		}
		next++
	}
	return nil
}

// look reads and searches.
func (w *writer) look(ctx context.Context, id string) error {
	return w.on(ctx, id, func(s *session.Session) error {
		if err := s.Refresh(ctx); err != nil {
			return err
		}
		_, err := w.services[0].Search(ctx, store.Query{Text: w.word(), Conversation: id, Limit: 3})
		return err
	})
}
