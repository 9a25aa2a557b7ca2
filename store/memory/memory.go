// Package memory keeps logs in memory: for tests, for trying things out, and
// for agents whose conversations may be forgotten.
package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/fulltext"
	"tenfold/store/internal/watch"
)

// Store is a store in memory. Its zero value is empty and ready.
type Store struct {
	mu   sync.RWMutex
	logs map[string]*log
	// origins are the ids of the conversations that have a key as origin.
	origins map[string]map[string]struct{}
	closed  bool
	hub     watch.Hub[string]
}

var _ store.Store = (*Store)(nil)

type log struct {
	about   store.Conversation
	entries []tenfold.Entry // only ever appended to
	ids     map[string]struct{}
}

// New gives an empty store.
func New() *Store { return &Store{} }

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the store is closed")

// ready reports why the store cannot be used, if it cannot.
func (s *Store) ready(ctx context.Context) error {
	if s.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// find gives a log; the lock must be held.
func (s *Store) find(ctx context.Context, op, id string) (*log, error) {
	if err := s.ready(ctx); err != nil {
		return nil, fmt.Errorf("%s conversation %s: %w", op, id, err)
	}
	l, ok := s.logs[id]
	if !ok {
		return nil, fmt.Errorf("%s conversation %s: %w", op, id, store.ErrNotFound)
	}
	return l, nil
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	entries, err := copied(entries)
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.ready(ctx)
	if _, ok := s.logs[c.ID]; ok && err == nil {
		err = store.ErrExists
	}
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	if s.logs == nil {
		s.logs = map[string]*log{}
	}
	created := c.Created.Round(0).UTC()
	l := &log{
		about: store.Conversation{ID: c.ID, Title: c.Title, Created: created, Updated: created, Stats: c.Stats},
		ids:   map[string]struct{}{},
	}
	l.add(l.fresh(entries))
	s.logs[c.ID] = l
	s.comesFrom(l, c.Origin)
	return nil
}

// Conversation implements [store.Store].
func (s *Store) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.find(ctx, "look up", id)
	if err != nil {
		return store.Conversation{}, err
	}
	return l.about, nil
}

// Conversations implements [store.Store].
func (s *Store) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return func(yield func(store.Conversation, error) bool) {
		s.mu.RLock()
		err := s.ready(ctx)
		all := make([]store.Conversation, 0, len(s.logs))
		for _, l := range s.logs {
			all = append(all, l.about)
		}
		s.mu.RUnlock()
		if err != nil {
			yield(store.Conversation{}, fmt.Errorf("list conversations: %w", err))
			return
		}
		newestFirst(all)
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// newestFirst sorts a listing.
func newestFirst(all []store.Conversation) {
	slices.SortFunc(all, func(a, b store.Conversation) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
}

// Imported implements [store.Store].
func (s *Store) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.ready(ctx); err != nil {
		return nil, fmt.Errorf("list imported conversations: %w", err)
	}
	var found []store.Conversation
	for id := range s.origins[key] {
		found = append(found, s.logs[id].about)
	}
	newestFirst(found)
	return found, nil
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
	l, err := s.find(ctx, "rename", id)
	if err == nil {
		l.about.Title = title
	}
	return err
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.find(ctx, "delete", id)
	if err == nil {
		s.comesFrom(l, store.Origin{})
		delete(s.logs, id)
		s.hub.Wake(id)
	}
	return err
}

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, b store.Batch) (int64, error) {
	entries, err := copied(b.Entries)
	if err != nil {
		return 0, fmt.Errorf("append to conversation %s: %w", b.Conversation, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.find(ctx, "append to", b.Conversation)
	if err != nil {
		return 0, err
	}
	fresh := l.fresh(entries)
	if len(fresh) == 0 {
		return l.about.Version, nil // L9
	}
	if b.Expected != store.AnyVersion && b.Expected != l.about.Version {
		return 0, &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: l.about.Version} // L8
	}
	l.add(fresh)
	l.about.Updated = b.Now.Round(0).UTC()
	if b.Stats != nil {
		l.about.Stats = *b.Stats
	}
	if b.Origin != nil {
		s.comesFrom(l, *b.Origin)
	}
	s.hub.Wake(b.Conversation)
	return l.about.Version, nil
}

// fresh leaves out the entries whose ids the log holds, or the batch twice (L9).
func (l *log) fresh(entries []tenfold.Entry) []tenfold.Entry {
	fresh := entries[:0]
	batch := map[string]struct{}{}
	for _, e := range entries {
		_, known := l.ids[e.ID]
		_, twice := batch[e.ID]
		if batch[e.ID] = struct{}{}; !known && !twice {
			fresh = append(fresh, e)
		}
	}
	return fresh
}

// add numbers entries and puts them at the end.
func (l *log) add(entries []tenfold.Entry) {
	for _, e := range entries {
		l.about.Version++
		e.Seq = l.about.Version
		l.entries = append(l.entries, e)
		l.ids[e.ID] = struct{}{}
	}
}

// copied takes entries by way of their records, as a store on disk would:
// what is kept shares no slice with the caller's.
func copied(in []tenfold.Entry) ([]tenfold.Entry, error) {
	out := slices.Clone(in)
	for i, e := range in {
		if e.ID == "" || e.Payload == nil {
			return nil, errors.New("an entry has an id and a payload")
		}
		r, err := tenfold.NewRecord(e.Payload)
		if err == nil {
			out[i].Payload, err = r.Payload()
		}
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		out[i].Time = e.Time.Round(0).UTC()
	}
	return out, nil
}

// Entries implements [store.Store].
func (s *Store) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.read(ctx, "read", id, nil, after)
}

// Watch implements [store.Store].
func (s *Store) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		s.mu.RLock()
		l, err := s.find(ctx, "watch", id)
		s.mu.RUnlock()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			yield(tenfold.Entry{}, err)
			return
		}
		s.hub.Follow(ctx, id, after, 0, func(after int64) iter.Seq2[tenfold.Entry, error] {
			return s.read(ctx, "watch", id, l, after)
		})(yield)
	}
}

// read gives the entries of a log; if only is set, of that log and not of a
// later one with the same id.
func (s *Store) read(ctx context.Context, op, id string, only *log, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		s.mu.RLock()
		l, err := s.find(ctx, op, id)
		if err == nil && only != nil && l != only {
			err = fmt.Errorf("%s conversation %s: %w", op, id, store.ErrNotFound)
		}
		var entries []tenfold.Entry
		if err == nil {
			entries = l.entries[min(max(after, 0), l.about.Version):]
		}
		s.mu.RUnlock()
		if err != nil {
			yield(tenfold.Entry{}, err)
			return
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				yield(tenfold.Entry{}, fmt.Errorf("%s conversation %s: %w", op, id, err))
				return
			}
			if !yield(handedOut(e), nil) {
				return
			}
		}
	}
}

// handedOut gives an entry whose slices belong to the caller. The payloads
// made of strings alone need no copy.
func handedOut(e tenfold.Entry) tenfold.Entry {
	switch e.Payload.(type) {
	case tenfold.TurnStart, tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem,
		tenfold.Approval, tenfold.CompactionRevoked, tenfold.CompactionFailed, tenfold.Unknown:
		return e
	}
	if r, err := tenfold.NewRecord(e.Payload); err == nil {
		if p, err := r.Payload(); err == nil {
			e.Payload = p
		}
	}
	return e
}

// Search implements [store.Store].
func (s *Store) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	logs := s.logs
	if q.Conversation != "" {
		l, err := s.find(ctx, "search", q.Conversation)
		if err != nil {
			return nil, err
		}
		logs = map[string]*log{q.Conversation: l}
	} else if err := s.ready(ctx); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	query := fulltext.Parse(q.Text)
	type match struct {
		store.Hit
		score float64
	}
	var found []match
	var words []byte
	for _, id := range slices.Sorted(maps.Keys(logs)) {
		for _, e := range logs[id].entries {
			words = fulltext.AppendWords(words[:0], tenfold.SearchText(e.Payload))
			if score, ok := query.Match(words); ok {
				found = append(found, match{store.Hit{Conversation: id, Entry: e}, score})
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Entry.Time.Compare(a.Entry.Time), cmp.Compare(b.Entry.Seq, a.Entry.Seq))
	})
	limit := q.Limit
	if limit <= 0 {
		limit = store.DefaultLimit
	}
	var hits []store.Hit
	for _, m := range found[:min(len(found), limit)] {
		m.Entry = handedOut(m.Entry)
		m.Snippet = query.Snippet(tenfold.SearchText(m.Entry.Payload))
		hits = append(hits, m.Hit)
	}
	return hits, nil
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.logs, s.origins = true, nil, nil
	s.hub.WakeAll()
	return nil
}
