// Package memory keeps logs in memory: for tests, for trying things out, and
// for agents whose conversations may be forgotten.
package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/row"
	"tenfold/store/internal/watch"
)

// Store is a store in memory. Its zero value is empty and ready.
type Store struct {
	mu   sync.RWMutex
	logs map[string]*log
	// origins are the ids of the conversations that have a key as origin.
	origins map[string]map[string]struct{}
	closed  bool
	pack    bool // texts are kept compressed
	hub     watch.Hub[*log]
}

var _ store.Store = (*Store)(nil)

// log is a conversation. Its entries lie in a log, which keeps them small.
type log struct {
	about   store.Conversation
	entries *tenfold.Log
	// exact holds the times and counts that a log rounds, by seq.
	exact map[int64]exact
}

type exact struct {
	time   time.Time
	tokens int
}

// uncounted is the counter of logs that nobody asks for their tokens.
type uncounted struct{}

func (uncounted) Count(string) int { return 0 }

// New gives an empty store.
func New(options ...Option) *Store {
	s := &Store{}
	for _, o := range options {
		o(s)
	}
	return s
}

// explain says of an error what was tried.
var explain = engine.Errors{Place: "in memory"}

// ready reports why the store cannot be used, if it cannot.
func (s *Store) ready(ctx context.Context) error {
	if s.closed {
		return store.ErrClosed
	}
	return ctx.Err()
}

// find gives a log; the lock must be held.
func (s *Store) find(ctx context.Context, id string) (*log, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	l, ok := s.logs[id]
	if !ok {
		return nil, store.ErrNotFound
	}
	return l, nil
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	return explain.ExplainFor("create", c.ID, s.create(ctx, c, entries))
}

func (s *Store) create(ctx context.Context, c store.Conversation, entries []tenfold.Entry) error {
	entries, err := s.copied(nil, entries)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	if _, ok := s.logs[c.ID]; ok {
		return store.ErrExists
	}
	if s.logs == nil {
		s.logs = map[string]*log{}
	}
	created, updated := c.Created.Round(0).UTC(), cmp.Or(c.Updated, c.Created).Round(0).UTC()
	l := &log{
		about:   store.Conversation{ID: c.ID, Title: c.Title, Created: created, Updated: updated, Stats: listed(c.Stats)},
		entries: tenfold.NewLog(tenfold.WithCounter(uncounted{}), tenfold.WithForeignPayloads()),
	}
	if _, err := l.add(entries); err != nil {
		return err
	}
	s.logs[c.ID] = l
	s.comesFrom(l, c.Origin)
	return nil
}

// reader reads what the store keeps.
func (s *Store) reader() *engine.Reader[*log] {
	r := engine.NewReader(engine.Backend[*log]{List: s.list, Find: s.findLog, Chunk: s.chunk, Hub: &s.hub, Errors: explain})
	return &r
}

func (s *Store) list(ctx context.Context, by engine.Filter, value string) (found []store.Conversation, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	switch by {
	case engine.All:
		for _, l := range s.logs {
			found = append(found, l.about)
		}
	case engine.ByID:
		if l, ok := s.logs[value]; ok {
			found = append(found, l.about)
		}
	case engine.ByOrigin:
		for id := range s.origins[value] {
			found = append(found, s.logs[id].about)
		}
	case engine.ByHandle:
		for id, l := range s.logs {
			if store.Handle(id) == value {
				found = append(found, l.about)
			}
		}
	}
	return found, nil
}

func (s *Store) findLog(ctx context.Context, id string) (*log, int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.find(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	return l, l.about.Version, nil
}

func (s *Store) chunk(_ context.Context, _ *row.Decoder, out []tenfold.Entry, l *log, after, last int64) ([]tenfold.Entry, error) {
	s.mu.RLock()
	for seq := after + 1; seq <= min(last, after+256); seq++ {
		e, _ := l.entries.Entry(seq)
		if x, ok := l.exact[seq]; ok {
			e.Time, e.Tokens = x.time, x.tokens
		}
		out = append(out, e)
	}
	s.mu.RUnlock()
	for i := range out {
		var err error
		if out[i].Payload, err = handedOut(out[i].Payload); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Conversation implements [store.Store].
func (s *Store) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	return s.reader().Conversation(ctx, id)
}

// Conversations implements [store.Store].
func (s *Store) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return s.reader().Conversations(ctx)
}

// Page implements [store.Store].
func (s *Store) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	return s.reader().Page(ctx, after, limit)
}

// WithPrefix implements [store.Store].
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]store.Conversation, error) {
	return s.reader().WithPrefix(ctx, prefix, limit)
}

// WithHandle implements [store.Store].
func (s *Store) WithHandle(ctx context.Context, handle string) ([]store.Conversation, error) {
	return s.reader().WithHandle(ctx, handle)
}

// Imported implements [store.Store].
func (s *Store) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	return s.reader().Imported(ctx, key)
}

// Entries implements [store.Store].
func (s *Store) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.reader().Entries(ctx, id, after)
}

// Watch implements [store.Store].
func (s *Store) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.reader().Watch(ctx, id, after)
}

// Search implements [store.Store].
func (s *Store) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	return s.reader().Search(ctx, q)
}

// listed gives figures with a time as other stores give it back.
func listed(s store.Stats) store.Stats {
	s.Ended = s.Ended.Round(0).UTC()
	return s
}

// comesFrom sets a log's origin, and keeps the index of origins; the lock must
// be held.
func (s *Store) comesFrom(l *log, o store.Origin) {
	if was := l.about.Origin.Key; was != o.Key {
		delete(s.origins[was], l.about.ID)
		if len(s.origins[was]) == 0 {
			delete(s.origins, was)
		}
	}
	l.about.Origin = o
	if o.Key == "" {
		return
	}
	if s.origins == nil {
		s.origins = map[string]map[string]struct{}{}
	}
	if s.origins[o.Key] == nil {
		s.origins[o.Key] = map[string]struct{}{}
	}
	s.origins[o.Key][l.about.ID] = struct{}{}
}

// SetTitle implements [store.Store].
func (s *Store) SetTitle(ctx context.Context, id, title string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.find(ctx, id)
	if err == nil {
		l.about.Title = title
	}
	return explain.ExplainFor("rename", id, err)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string, expected int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.find(ctx, id)
	if err == nil && expected != store.AnyVersion && expected != l.about.Version {
		err = &store.ConflictError{Conversation: id, Expected: expected, Actual: l.about.Version}
	}
	if err == nil {
		s.comesFrom(l, store.Origin{})
		delete(s.logs, id)
		s.hub.Wake(l)
	}
	return explain.ExplainFor("delete", id, err)
}

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, b store.Batch) (int64, error) {
	version, err := s.append(ctx, b)
	return version, explain.ExplainFor("append to", b.Conversation, err)
}

func (s *Store) append(ctx context.Context, b store.Batch) (int64, error) {
	var few [4]tenfold.Entry
	entries, err := s.copied(few[:0], b.Entries)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.find(ctx, b.Conversation)
	if err != nil {
		return 0, err
	}
	if b.Expected != store.AnyVersion && b.Expected != l.about.Version && !l.holds(entries) {
		return 0, &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: l.about.Version} // L8
	}
	added, err := l.add(entries)
	if err != nil {
		return 0, err
	}
	if added > 0 {
		if now := b.Now.Round(0).UTC(); now.After(l.about.Updated) {
			l.about.Updated = now
		}
		if b.Stats != nil {
			l.about.Stats = listed(*b.Stats)
		}
		if b.Origin != nil {
			s.comesFrom(l, *b.Origin)
		}
		s.hub.Wake(l)
	}
	return l.about.Version, nil
}

// holds reports whether all the entries are in the log, so that nothing is
// written (L9).
func (l *log) holds(entries []tenfold.Entry) bool {
	return !slices.ContainsFunc(entries, func(e tenfold.Entry) bool {
		_, known := l.entries.Lookup(e.ID)
		return !known
	})
}

// add puts entries at the end, but those whose ids the log holds (L9).
func (l *log) add(entries []tenfold.Entry) (added int, err error) {
	from := l.about.Version
	if added, err = l.entries.Append(entries...); err != nil {
		return 0, err
	}
	l.about.Version += int64(added)
	for i, seq := 0, from+1; seq <= l.about.Version; i++ {
		// The log has numbered those that it took in the order they came.
		e, _ := l.entries.Entry(seq)
		if e.ID != entries[i].ID {
			continue
		}
		if want := (exact{entries[i].Time, entries[i].Tokens}); e.Tokens != want.tokens || !e.Time.Equal(want.time) {
			if l.exact == nil {
				l.exact = map[int64]exact{}
			}
			l.exact[seq] = want
		}
		seq++
	}
	return added, nil
}

// copied appends entries to out, their payloads as the store keeps them.
func (s *Store) copied(out, in []tenfold.Entry) ([]tenfold.Entry, error) {
	out = slices.Grow(out, len(in))
	for _, e := range in {
		if e.ID == "" || e.Payload == nil {
			return nil, errors.New("an entry has an id and a payload")
		}
		p, err := kept(e.Payload)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		if s.pack {
			p = pack(p)
		}
		e.Payload, e.Time = p, e.Time.Round(0).UTC()
		out = append(out, e)
	}
	return out, nil
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.logs, s.origins = true, nil, nil
	s.hub.WakeAll()
	return nil
}
