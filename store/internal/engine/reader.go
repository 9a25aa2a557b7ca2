// Package engine is what all stores do the same way: they list, read, follow
// and search logs, say of an error what was tried, and keep callers out of a
// store that is closed.
package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/fulltext"
	"tenfold/store/internal/row"
	"tenfold/store/internal/watch"
)

// A Backend is what differs between stores. K is a log's key, which no later
// log has: who reads a log that is deleted cannot come upon another's entries.
type Backend[K comparable] struct {
	// List gives the conversations that a filter selects, in any order.
	List func(ctx context.Context, by Filter, value string) ([]store.Conversation, error)
	// Find gives the key and the version of a log, or store.ErrNotFound.
	Find func(ctx context.Context, id string) (key K, version int64, err error)
	// Chunk appends some of a log's entries with after < seq ≤ last to dst, in
	// order and without gaps: none only where they are missing. With an error, it
	// gives those that it read before.
	Chunk func(ctx context.Context, d *row.Decoder, dst []tenfold.Entry, key K, after, last int64) ([]tenfold.Entry, error)
	// LookUp offers the entries that an index finds, of one log or of all, and tells of
	// those that cannot be read. It
	// reports false when there is no index to ask; every entry is then read.
	// It may be nil.
	LookUp func(ctx context.Context, log *K, r *Ranking) (bool, error)

	Hub *watch.Hub[K]
	// Poll, if not 0, is how often a watch looks for itself.
	Poll time.Duration
	// Companion, if set, runs while anybody watches: see watch.Companion.
	Companion func() (leave func())
	Errors    Errors
}

// A Filter selects conversations.
type Filter int

// The filters: all conversations, the one with an id, those with the key of
// an origin, those with a handle.
const (
	All Filter = iota
	ByID
	ByOrigin
	ByHandle
)

// ErrGap says that entries of a log are not where they should be.
var ErrGap = errors.New("entries are missing")

// A Reader implements the methods of [store.Store] that read.
type Reader[K comparable] struct{ b Backend[K] }

// NewReader gives a reader of what b keeps.
func NewReader[K comparable](b Backend[K]) Reader[K] { return Reader[K]{b} }

func (r *Reader[K]) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	found, err := r.b.List(ctx, ByID, id)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Conversation{}, r.b.Errors.ExplainFor("look up", id, err)
	}
	return found[0], nil
}

func (r *Reader[K]) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return func(yield func(store.Conversation, error) bool) {
		all, err := r.list(ctx, All, "")
		if err != nil {
			yield(store.Conversation{}, r.b.Errors.Explain("list conversations", err))
			return
		}
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// Page implements [store.Store], for stores whose list costs little.
func (r *Reader[K]) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	all, err := r.list(ctx, All, "")
	if after != nil {
		all = slices.DeleteFunc(all, func(c store.Conversation) bool { return c.Place().Compare(after) <= 0 })
	}
	return all[:max(0, min(limit, len(all)))], r.b.Errors.Explain("list conversations", err)
}

// WithPrefix implements [store.Store], for the same.
func (r *Reader[K]) WithPrefix(ctx context.Context, prefix string, limit int) ([]store.Conversation, error) {
	all, err := r.list(ctx, All, "")
	all = slices.DeleteFunc(all, func(c store.Conversation) bool { return !strings.HasPrefix(c.ID, prefix) })
	return all[:max(0, min(limit, len(all)))], r.b.Errors.Explain("list conversations", err)
}

// AfterPrefix is the first text after those that begin with a prefix; nil where there
// is none.
func AfterPrefix(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			next := bytes.Clone(prefix[:i+1])
			next[i]++
			return next
		}
	}
	return nil
}

func (r *Reader[K]) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	if key == "" {
		return nil, ctx.Err()
	}
	found, err := r.list(ctx, ByOrigin, key)
	return found, r.b.Errors.Explain("list imported conversations", err)
}

func (r *Reader[K]) WithHandle(ctx context.Context, handle string) ([]store.Conversation, error) {
	if _, ok := store.ParseHandle(handle); !ok {
		return nil, ctx.Err()
	}
	found, err := r.list(ctx, ByHandle, handle)
	return found, r.b.Errors.Explain("list conversations", err)
}

// list gives conversations, the one last appended to first.
func (r *Reader[K]) list(ctx context.Context, by Filter, value string) ([]store.Conversation, error) {
	found, err := r.b.List(ctx, by, value)
	slices.SortFunc(found, func(a, b store.Conversation) int {
		return a.Place().Compare(b.Place())
	})
	return found, err
}

func (r *Reader[K]) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return r.entries(ctx, "read", id, nil, after)
}

func (r *Reader[K]) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		key, _, err := r.b.Find(ctx, id)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			yield(tenfold.Entry{}, r.b.Errors.ExplainFor("watch", id, err))
			return
		}
		if r.b.Companion != nil {
			defer r.b.Companion()()
		}
		r.b.Hub.Follow(ctx, key, after, r.b.Poll, func(after int64) iter.Seq2[tenfold.Entry, error] {
			return r.entries(ctx, "watch", id, &key, after)
		})(yield)
	}
}

// entries reads a log, in chunks, so that nothing is held while the caller
// has an entry. With only set it reads the log with that key, and no later one
// with the same id.
func (r *Reader[K]) entries(ctx context.Context, op, id string, only *K, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		fail := func(err error) { yield(tenfold.Entry{}, r.b.Errors.ExplainFor(op, id, err)) }
		key, version, err := r.b.Find(ctx, id)
		if err == nil && only != nil && key != *only {
			err = store.ErrNotFound
		}
		if err != nil {
			fail(err)
			return
		}
		var d row.Decoder
		var chunk []tenfold.Entry
		for seq := max(after, 0); seq < version; seq += int64(len(chunk)) {
			var failed error
			chunk, failed = r.b.Chunk(ctx, &d, chunk[:0], key, seq, version)
			if len(chunk) == 0 && failed == nil {
				err := fmt.Errorf("%w after the first %d of %d", ErrGap, seq, version)
				if now, _, e := r.b.Find(ctx, id); e != nil || now != key {
					err = store.ErrNotFound // it was deleted meanwhile
				}
				fail(err)
				return
			}
			for _, e := range chunk {
				if err := ctx.Err(); err != nil {
					fail(err)
					return
				}
				if !yield(e, nil) {
					return
				}
			}
			if failed != nil {
				fail(failed)
				return
			}
		}
	}
}

func (r *Reader[K]) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	hits, err := r.search(ctx, q)
	if q.Conversation != "" {
		return hits, r.b.Errors.ExplainFor("search", q.Conversation, err)
	}
	return hits, r.b.Errors.Explain("search", err)
}

func (r *Reader[K]) search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	ranking := &Ranking{Query: fulltext.Parse(q.Text), Limit: q.Limit}
	if ranking.Limit <= 0 {
		ranking.Limit = store.DefaultLimit
	}
	var log *K
	if q.Conversation != "" {
		key, _, err := r.b.Find(ctx, q.Conversation)
		if err != nil {
			return nil, err
		}
		log = &key
	}
	if ranking.Query.Empty() {
		return nil, ctx.Err()
	}
	if r.b.LookUp != nil {
		if known, err := r.b.LookUp(ctx, log, ranking); known || err != nil {
			return ranking.found(err)
		}
	}
	return ranking.found(r.scan(ctx, q.Conversation, log, ranking))
}

// scan offers every entry of a log, or of all.
func (r *Reader[K]) scan(ctx context.Context, id string, log *K, ranking *Ranking) error {
	by := ByID
	if log == nil {
		by = All
	}
	found, err := r.b.List(ctx, by, id)
	if err != nil {
		return err
	}
	for _, c := range found {
		if err := r.scanLog(ctx, c.ID, log, ranking); err != nil && (log != nil || !errors.Is(err, store.ErrNotFound)) { // deleted meanwhile
			return err
		}
	}
	return nil
}

// scanLog passes over entries that cannot be read.
func (r *Reader[K]) scanLog(ctx context.Context, id string, log *K, ranking *Ranking) error {
	for after, passed := int64(0), true; passed; {
		passed = false
		for e, err := range r.entries(ctx, "search", id, log, after) {
			var damage *EntryError
			switch {
			case err == nil:
				ranking.Offer(id, e)
			case errors.As(err, &damage) && damage.Seq > after:
				after, passed = damage.Seq, true
				ranking.Skip(id, damage)
			case errors.Is(err, ErrGap): // so is what follows
				ranking.Skip(id, err)
			default:
				return err
			}
		}
	}
	return nil
}

// A Ranking takes the entries that may match a query, and keeps the best.
type Ranking struct {
	Query fulltext.Query
	Limit int
	best  []match
	words []byte
	// unread is nil where every entry that it was to be offered could be read.
	unread *store.UnreadError
}

type match struct {
	store.Hit
	score float64
}

// Reset forgets what was offered.
func (r *Ranking) Reset() { r.best, r.unread = r.best[:0], nil }

// Skip says of an entry that it cannot be offered, as it cannot be read.
func (r *Ranking) Skip(conversation string, err error) {
	if r.unread == nil {
		r.unread = &store.UnreadError{First: fmt.Errorf("conversation %s, %w", conversation, err)}
	}
	r.unread.Entries++
}

// Full reports whether there are as many matches as are wanted.
func (r *Ranking) Full() bool { return len(r.best) >= r.Limit }

// Offer holds an entry against the query.
func (r *Ranking) Offer(conversation string, e tenfold.Entry) {
	r.words = fulltext.AppendWords(r.words[:0], tenfold.SearchText(e.Payload))
	if score, ok := r.Query.Match(r.words); ok {
		r.Add(conversation, e, score)
	}
}

// Add takes an entry that matches; the highest score is the best.
func (r *Ranking) Add(conversation string, e tenfold.Entry, score float64) {
	r.best = append(r.best, match{store.Hit{Conversation: conversation, Entry: e}, score})
	if (len(r.best)-1000)/2 >= r.Limit { // a common word must not fill the memory
		r.trim()
	}
}

// trim sorts the matches and keeps the first of them.
func (r *Ranking) trim() {
	slices.SortFunc(r.best, func(a, b match) int {
		return cmp.Or(
			cmp.Compare(b.score, a.score),
			b.Entry.Time.Compare(a.Entry.Time),
			cmp.Compare(b.Entry.Seq, a.Entry.Seq),
			cmp.Compare(a.Conversation, b.Conversation),
		)
	})
	first := min(len(r.best), r.Limit)
	clear(r.best[first:])
	r.best = r.best[:first]
}

// found gives what was kept, the best first, unless the search failed.
func (r *Ranking) found(err error) ([]store.Hit, error) {
	if err != nil {
		return nil, err
	}
	r.trim()
	hits := make([]store.Hit, len(r.best))
	for i, m := range r.best {
		hits[i] = m.Hit
		hits[i].Snippet = r.Query.Snippet(tenfold.SearchText(m.Entry.Payload))
	}
	if r.unread != nil {
		return hits, r.unread
	}
	return hits, nil
}
