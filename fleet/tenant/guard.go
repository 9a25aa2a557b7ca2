package tenant

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/postgres"
)

// Guard puts a tenant's store behind its gate: each method asks for its scope,
// appends stay within the limits, and what changes views or removes something is
// recorded. Closing it closes the store.
func Guard(st store.Store, g *Gate) store.Store { return &guarded{st, g} }

type guarded struct {
	store.Store
	gate *Gate
}

// transactional is a store that does something more in the transaction of what it
// writes, as *postgres.Store.
type transactional interface {
	CreateIn(ctx context.Context, c store.Conversation, more postgres.More, entries ...tenfold.Entry) error
	AppendIn(ctx context.Context, b store.Batch, more postgres.More) (int64, error)
	DeleteIn(ctx context.Context, id string, expected int64, also func(ctx context.Context, tx pgx.Tx) error) error
}

func (s *guarded) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	if err := s.mayAppend(ctx, "create", c.ID, entries); err != nil {
		return err
	}
	if err := short("create", c.ID, c.Title, c.Origin); err != nil {
		return err
	}
	done, err := s.gate.Add(ctx, max(len(entries), 1), func() int64 { return size(entries) })
	if full(err) {
		if _, none := s.Store.Conversation(ctx, c.ID); none == nil {
			return fmt.Errorf("create conversation %s: %w", c.ID, store.ErrExists)
		}
	}
	if err != nil {
		return err
	}
	action := overlays(entries)
	in, ok := s.Store.(transactional)
	if action != "" && ok {
		err = in.CreateIn(ctx, c, s.recording(ctx, action, c.ID), entries...)
	} else {
		err = s.Store.Create(ctx, c, entries...)
	}
	done(err == nil)
	if errors.Is(err, postgres.ErrNoTenant) {
		return denied("token_unknown", "the tenant of the token is erased", "ask whoever gave it to you for another")
	}
	if err == nil && action != "" && !ok {
		err = s.gate.Record(ctx, action, c.ID, Done)
	}
	return err
}

// longestField is how long a text may be that is stored beside entries, in bytes: no limit
// of a tenant counts it.
const longestField = 16 << 10

// short refuses what is too long for a place that is not counted.
func short(op, id, title string, o store.Origin) error {
	for what, text := range map[string]string{"id": id, "title": title, "origin": o.Key, "mark": o.Mark, "tool": o.Tool, "directory": o.Directory} {
		if len(text) > longestField {
			return &problem.Error{
				Op: op, Code: "too_long", Usage: true, Problem: "the " + what + " is longer than " + strconv.Itoa(longestField>>10) + " KB", Hint: "shorten it",
			}
		}
	}
	return nil
}

// recording is what records an action in the transaction of what it writes.
func (s *guarded) recording(ctx context.Context, action, id string) postgres.More {
	event := Event{Actor: From(ctx).Actor(), Action: action, Subject: id}
	return postgres.More{Statements: []postgres.Statement{recording(s.gate.tenant, event)}}
}

// noVersion is that of no log.
const noVersion = math.MaxInt64

// full reports whether a limit of what a tenant stores is reached.
func full(err error) bool { return errors.As(err, new(*LimitError)) }

// mayAppend asks for the scopes of what is appended: overlays need one, what was
// said another.
func (s *guarded) mayAppend(ctx context.Context, action, id string, entries []tenfold.Entry) error {
	said, changed := kinds(entries)
	if said || !changed {
		if err := s.gate.Allow(ctx, Append, action, id); err != nil {
			return err
		}
	}
	if changed {
		return s.gate.Allow(ctx, Compact, action+" overlays", id)
	}
	return nil
}

// kinds reports whether entries hold what was said, and whether they hold what
// changes the view.
func kinds(entries []tenfold.Entry) (said, changed bool) {
	for _, e := range entries {
		if e.Payload == nil {
			continue // which the store refuses
		}
		changes := ScopeOf(e.Payload.Kind()) == Compact
		said, changed = said || !changes, changed || changes
	}
	return said, changed
}

// overlays says what entries do to the view, for the audit log; empty for nothing
// that is recorded.
func overlays(entries []tenfold.Entry) (action string) {
	for _, e := range entries {
		if e.Payload == nil {
			continue
		}
		switch e.Payload.Kind() {
		case tenfold.KindCompaction:
			return "compact"
		case tenfold.KindCompactionRevoked:
			action = "undo"
		}
	}
	return action
}

// size is in bytes, about as the store counts them.
func size(entries []tenfold.Entry) (n int64) {
	for _, e := range entries {
		text, err := tenfold.MarshalPayload(e.Payload)
		if err == nil { // else the store refuses it
			n += int64(len(text) + len(e.ID))
		}
	}
	return n
}

func (s *guarded) Append(ctx context.Context, b store.Batch) (version int64, err error) {
	if err := s.mayAppend(ctx, "append", b.Conversation, b.Entries); err != nil {
		return 0, err
	}
	if b.Origin != nil {
		if err := short("append", "", "", *b.Origin); err != nil {
			return 0, err
		}
	}
	done, err := s.gate.Add(ctx, len(b.Entries), func() int64 { return size(b.Entries) })
	if full(err) {
		// What is in the log already, such as that of a request whose answer was lost,
		// is not refused: it writes nothing, and so meets no other version (L9).
		known := store.Batch{Conversation: b.Conversation, Expected: noVersion, Entries: b.Entries}
		if version, fresh := s.Store.Append(ctx, known); fresh == nil {
			return version, nil
		}
	}
	if err != nil {
		return 0, err
	}
	defer func() { done(err == nil) }()
	action := overlays(b.Entries)
	in, ok := s.Store.(transactional)
	if action == "" || !ok {
		version, err = s.Store.Append(ctx, b)
		if err == nil && action != "" {
			err = s.gate.Record(ctx, action, b.Conversation, Done)
		}
		return version, err
	}
	return in.AppendIn(ctx, b, s.recording(ctx, action, b.Conversation))
}

func (s *guarded) SetTitle(ctx context.Context, id, title string) error {
	if err := s.gate.Allow(ctx, Append, "rename", id); err != nil {
		return err
	}
	if err := short("rename", "", title, store.Origin{}); err != nil {
		return err
	}
	return s.Store.SetTitle(ctx, id, title)
}

func (s *guarded) Delete(ctx context.Context, id string, expected int64) error {
	if err := s.gate.Allow(ctx, Admin, "delete", id); err != nil {
		return err
	}
	if in, ok := s.Store.(transactional); ok {
		event := Event{Actor: From(ctx).Actor(), Action: "delete", Subject: id}
		return in.DeleteIn(ctx, id, expected, func(ctx context.Context, tx pgx.Tx) error { return record(ctx, tx, s.gate.tenant, event) })
	}
	if err := s.Store.Delete(ctx, id, expected); err != nil {
		return err
	}
	return s.gate.Record(ctx, "delete", id, Done)
}

func (s *guarded) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	if err := s.mayLook(ctx, "look up", id); err != nil {
		return store.Conversation{}, err
	}
	return s.Store.Conversation(ctx, id)
}

func (s *guarded) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	if err := s.mayLook(ctx, "list", ""); err != nil {
		return failing[store.Conversation](err)
	}
	return s.Store.Conversations(ctx)
}

func (s *guarded) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	if err := s.mayLook(ctx, "list", ""); err != nil {
		return nil, err
	}
	return s.Store.Page(ctx, after, limit)
}

func (s *guarded) WithPrefix(ctx context.Context, prefix string, limit int) ([]store.Conversation, error) {
	if err := s.mayLook(ctx, "list", ""); err != nil {
		return nil, err
	}
	return s.Store.WithPrefix(ctx, prefix, limit)
}

func (s *guarded) WithHandle(ctx context.Context, handle string) ([]store.Conversation, error) {
	if err := s.mayLook(ctx, "list", ""); err != nil {
		return nil, err
	}
	return s.Store.WithHandle(ctx, handle)
}

func (s *guarded) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	if err := s.mayLook(ctx, "list", ""); err != nil {
		return nil, err
	}
	return s.Store.Imported(ctx, key)
}

func (s *guarded) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if err := s.mayLook(ctx, "read", id); err != nil {
		return failing[tenfold.Entry](err)
	}
	return s.Store.Entries(ctx, id, after)
}

func (s *guarded) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if err := s.mayLook(ctx, "watch", id); err != nil {
		return failing[tenfold.Entry](err)
	}
	return s.Store.Watch(ctx, id, after)
}

func (s *guarded) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if err := s.mayLook(ctx, "search", q.Conversation); err != nil {
		return nil, err
	}
	return s.Store.Search(ctx, q)
}

// mayLook asks whether the identity may see what is read. An operation that was
// allowed may read what it works on: it answers for what it shows.
func (s *guarded) mayLook(ctx context.Context, action, id string) error {
	if operating(ctx) {
		return nil
	}
	return s.gate.Allow(ctx, Read, action, id)
}

func failing[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}
