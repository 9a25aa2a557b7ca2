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
	"time"

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
	entries, err := copied(nil, entries)
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
	created, updated := c.Created.Round(0).UTC(), cmp.Or(c.Updated, c.Created).Round(0).UTC()
	l := &log{
		about:   store.Conversation{ID: c.ID, Title: c.Title, Created: created, Updated: updated, Stats: c.Stats},
		entries: tenfold.NewLog(tenfold.WithCounter(uncounted{}), tenfold.WithForeignPayloads()),
	}
	if _, err := l.add(entries); err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
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
	var few [4]tenfold.Entry
	entries, err := copied(few[:0], b.Entries)
	if err != nil {
		return 0, fmt.Errorf("append to conversation %s: %w", b.Conversation, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.find(ctx, "append to", b.Conversation)
	if err != nil {
		return 0, err
	}
	if b.Expected != store.AnyVersion && b.Expected != l.about.Version && !l.holds(entries) {
		return 0, &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: l.about.Version} // L8
	}
	added, err := l.add(entries)
	if err != nil {
		return 0, fmt.Errorf("append to conversation %s: %w", b.Conversation, err)
	}
	if added > 0 {
		l.about.Updated = b.Now.Round(0).UTC()
		if b.Stats != nil {
			l.about.Stats = *b.Stats
		}
		if b.Origin != nil {
			s.comesFrom(l, *b.Origin)
		}
		s.hub.Wake(b.Conversation)
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
func copied(out, in []tenfold.Entry) ([]tenfold.Entry, error) {
	out = slices.Grow(out, len(in))
	for _, e := range in {
		if e.ID == "" || e.Payload == nil {
			return nil, errors.New("an entry has an id and a payload")
		}
		p, err := kept(e.Payload)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		e.Payload, e.Time = p, e.Time.Round(0).UTC()
		out = append(out, e)
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
		var last int64
		if err == nil {
			last = l.about.Version
		}
		s.mu.RUnlock()
		if err != nil {
			yield(tenfold.Entry{}, err)
			return
		}
		var some []tenfold.Entry
		for after = max(after, 0); after < last; after += int64(len(some)) {
			some = s.some(l, some[:0], after, last)
			for _, e := range some {
				err := ctx.Err()
				if err == nil {
					e.Payload, err = handedOut(e.Payload)
				}
				if err != nil {
					yield(tenfold.Entry{}, fmt.Errorf("%s conversation %s: %w", op, id, err))
					return
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// some appends a few of the entries after < seq ≤ last to out.
func (s *Store) some(l *log, out []tenfold.Entry, after, last int64) []tenfold.Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for seq := after + 1; seq <= min(last, after+256); seq++ {
		out = append(out, l.entry(seq))
	}
	return out
}

// entry gives an entry, its payload as it is kept.
func (l *log) entry(seq int64) tenfold.Entry {
	e, _ := l.entries.Entry(seq)
	if x, ok := l.exact[seq]; ok {
		e.Time, e.Tokens = x.time, x.tokens
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
		for seq := range logs[id].about.Version {
			e := logs[id].entry(seq + 1)
			words = fulltext.AppendWords(words[:0], searchText(e.Payload))
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
		m.Snippet = query.Snippet(searchText(m.Entry.Payload))
		p, err := handedOut(m.Entry.Payload)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		m.Entry.Payload = p
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
