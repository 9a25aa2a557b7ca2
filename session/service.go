package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/telemetry"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/token"
)

// A Service works on the conversations of one store.
type Service struct {
	store   store.Store
	counter tenfold.Counter
	now     func() time.Time
	newID   func() string
	given   bool // newID is the caller's, and may repeat itself
	hooks   Hooks
	live    func(*Session) (Live, error) // what is asked at appends; nil for nothing
}

// An Option sets up a service.
type Option func(*Service)

// WithCounter makes the service count tokens with c, which must be safe for
// concurrent use: sessions share it. Nil changes nothing.
func WithCounter(c tenfold.Counter) Option {
	return func(s *Service) {
		if c != nil {
			s.counter = c
		}
	}
}

// Counter is what the service counts tokens with.
func (s *Service) Counter() tenfold.Counter { return s.counter }

// WithClock makes the service read the time from now. Nil changes nothing.
func WithClock(now func() time.Time) Option {
	return func(s *Service) {
		if now != nil {
			s.now = now
		}
	}
}

// WithIDs makes the service take new ids from next, which gives another one each
// time, also after a restart. Nil changes nothing.
func WithIDs(next func() string) Option {
	return func(s *Service) {
		if next != nil {
			s.newID, s.given = next, true
		}
	}
}

// NewService makes a service over a store. Without options it counts o200k
// tokens (T1), reads the system's clock and makes UUIDs of version 7. It panics
// without a store.
func NewService(st store.Store, options ...Option) *Service {
	if st == nil {
		panic("session: NewService was given no store: open one, or make one with memory.New")
	}
	s := &Service{store: st, counter: token.O200k(), now: time.Now, newID: newID}
	for _, o := range options {
		o(s)
	}
	return s
}

// newID makes a UUID of version 7: the time in milliseconds, its fraction in
// 4096ths, and 62 random bits. It allocates the string alone.
func newID() string {
	var id uuid.UUID
	_, _ = rand.Read(id[:]) // which never fails
	now := time.Now()
	ms, fraction := now.UnixMilli(), now.Nanosecond()%1e6*4096/1e6
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i)) //nolint:gosec // the byte at that place is what is wanted
	}
	id[6], id[7] = 0x70|byte(fraction>>8), byte(fraction) //nolint:gosec // twelve bits
	id[8] = 0x80 | id[8]&0x3f
	return id.String()
}

// Create describes a new conversation.
type Create struct {
	// ID is the conversation's id; empty makes one up.
	ID    string
	Title string
	// Created is when it began; zero is now.
	Created time.Time
	// Entries are appended at once, so that a crash leaves no half
	// conversation.
	Entries []tenfold.Entry
	// Origin is what it was imported from; [Service.Locate] fills it in.
	Origin store.Origin
}

// Create makes a conversation and opens it. An id in use is
// [store.ErrExists]; ".", ".." and "/" are refused.
func (s *Service) Create(ctx context.Context, c Create) (*Session, error) {
	if c.ID == "" {
		if c.ID = s.newID(); c.ID == "" {
			return nil, errors.New("create conversation: WithIDs gave an empty id")
		}
	}
	if unreachable(c.ID) {
		return nil, &problem.Error{
			Op: "create conversation", Subject: strconv.Quote(c.ID), Code: "usage", Usage: true, Problem: "no address can name a conversation of this id",
			Hint: `choose another id than ".", ".." and "/", which programs take out of an address`,
		}
	}
	session := s.session(c.ID, c.Title)
	now := s.now()
	entries, err := s.completeEntries(nil, c.Entries, now, nil)
	if err == nil {
		err = session.checkUnusedIDs(entries, func(i int) bool { return c.Entries[i].ID == "" })
	}
	if err == nil {
		_, err = session.log.Append(entries...)
	}
	if err != nil {
		return nil, fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	session.projection.Advance()
	err = s.store.Create(ctx, store.Conversation{
		ID: c.ID, Title: c.Title, Created: cmp.Or(c.Created, now), Updated: now, Stats: stats(session.projection, session.watcher.Scale(session.log)), Origin: c.Origin,
	}, slices.Collect(session.log.Entries())...)
	if err != nil {
		return nil, err
	}
	return session, nil
}

// unreachable tells whether an id is a step in a path, or what ends one: no request can
// name such a one.
func unreachable(id string) bool { return id == "." || id == ".." || id == "/" }

// OpenOrCreate opens the conversation c.ID, and creates it if there is none.
func (s *Service) OpenOrCreate(ctx context.Context, c Create) (*Session, error) {
	session, err := s.Open(ctx, c.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return session, err
	}
	session, err = s.Create(ctx, c)
	if errors.Is(err, store.ErrExists) { // another writer created it meanwhile
		return s.Open(ctx, c.ID)
	}
	return session, err
}

// Open opens a conversation. An unknown one is [store.ErrNotFound].
func (s *Service) Open(ctx context.Context, id string) (*Session, error) {
	ctx, op := telemetry.Begin(ctx, telemetry.Open, id)
	session, err := s.open(ctx, id)
	op.End(ctx, outcomeOf(err))
	return session, err
}

func (s *Service) open(ctx context.Context, id string) (*Session, error) {
	c, err := s.store.Conversation(ctx, id)
	if err != nil {
		return nil, err
	}
	session := s.session(id, c.Title)
	if err := session.Refresh(ctx); err != nil {
		return nil, err
	}
	return session, nil
}

func (s *Service) session(id, title string) *Session {
	l := tenfold.NewLog(tenfold.WithCounter(s.counter))
	return &Session{service: s, id: id, title: title, log: l, projection: tenfold.Project(l)}
}

// List lists the conversations, the one last appended to first.
func (s *Service) List(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return s.store.Conversations(ctx)
}

// Page lists at most limit of the conversations behind a place in that order; nil is
// before the first.
func (s *Service) Page(ctx context.Context, after *store.Place, limit int) ([]store.Conversation, error) {
	return s.store.Page(ctx, after, limit)
}

// Imported lists the conversations whose origin has the key, the one last appended
// to first.
func (s *Service) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	return s.store.Imported(ctx, key)
}

// Version is how many entries the log of a conversation has, as the store says:
// whoever has it open learns cheaply whether to refresh.
func (s *Service) Version(ctx context.Context, id string) (int64, error) {
	c, err := s.store.Conversation(ctx, id)
	return c.Version, err
}

// Entries gives the entries of a conversation after a seq, without opening it.
func (s *Service) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.store.Entries(ctx, id, after)
}

// Watch gives the entries after a seq, and then those that anybody appends,
// as they come, until ctx ends or the conversation is deleted.
func (s *Service) Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return s.store.Watch(ctx, id, after)
}

// manyFound is how many conversations Find looks at to say that there are several.
const manyFound = 100

// Find gives the conversation whose id is or begins with prefix; when none or
// several do, the error says so.
func (s *Service) Find(ctx context.Context, prefix string) (store.Conversation, error) {
	c, err := s.store.Conversation(ctx, prefix)
	if err == nil {
		return c, nil
	}
	var found []store.Conversation
	if prefix != "" {
		if found, err = s.store.WithPrefix(ctx, prefix, manyFound); err != nil {
			return store.Conversation{}, err
		}
	}
	if i := slices.IndexFunc(found, func(c store.Conversation) bool { return c.ID == prefix }); i >= 0 {
		return found[i], nil // it has a fault
	}
	switch len(found) {
	case 0:
		return store.Conversation{}, fmt.Errorf("conversation %q: %w", prefix, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	number := strconv.Itoa(len(found))
	if len(found) == manyFound {
		number = "at least " + number
	}
	return store.Conversation{}, &problem.Error{
		Code: "ambiguous", Subject: "conversation " + strconv.Quote(prefix), Problem: fmt.Sprintf("%v, %s begin with it", ErrAmbiguous, number),
		Hint: "write more of the ID", Err: ErrAmbiguous,
	}
}

// Rename sets a conversation's title.
func (s *Service) Rename(ctx context.Context, id, title string) error {
	return s.store.SetTitle(ctx, id, title)
}

// Delete removes a conversation and its log for good.
func (s *Service) Delete(ctx context.Context, id string) error {
	return s.store.Delete(ctx, id, store.AnyVersion)
}

// Removed proves what [Service.Remove] did.
type Removed struct {
	ID string `json:"removed"`
	// Entries are all of the log, Overlays the compactions among them, and Bytes
	// the length of what the entries say, as the stores' JSON of it.
	Entries  int64 `json:"entries"`
	Overlays int64 `json:"overlays"`
	Bytes    int64 `json:"bytes"`
	// Gone tells that the store was asked afterwards for the conversation and for
	// its log, and has neither.
	Gone bool `json:"gone"`
	// Unread is why the log could not be read to its end; empty where it was. Overlays
	// and Bytes are then of what was read.
	Unread string `json:"unread,omitempty"`
}

// Remove is Delete with a proof: it counts what it removes, and looks afterwards whether
// it is gone. A log that is damaged is removed too.
func (s *Service) Remove(ctx context.Context, id string) (Removed, error) {
	r := Removed{ID: id}
	for {
		if err := r.count(s.store.Entries(ctx, id, r.Entries)); err != nil {
			c, looking := s.Find(ctx, id)
			if looking != nil || c.ID != id || errors.Is(err, store.ErrUnavailable) {
				return r, err
			}
			r.Entries, r.Unread = c.Version, err.Error()
		}
		// What was appended meanwhile is counted too.
		if err := s.store.Delete(ctx, id, r.Entries); !isConflict(err) {
			if err == nil {
				r.Gone, err = s.gone(ctx, id)
			}
			return r, err
		}
	}
}

func (r *Removed) count(entries iter.Seq2[tenfold.Entry, error]) error {
	for e, err := range entries {
		if err != nil {
			return err
		}
		payload, err := tenfold.MarshalPayload(e.Payload)
		if err != nil {
			return err
		}
		if r.Entries, r.Bytes = e.Seq, r.Bytes+int64(len(payload)); e.Payload.Kind() == tenfold.KindCompaction {
			r.Overlays++
		}
	}
	return nil
}

// gone reads what is left of a conversation.
func (s *Service) gone(ctx context.Context, id string) (bool, error) {
	if _, err := s.store.Conversation(ctx, id); !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	for _, err := range s.store.Entries(ctx, id, 0) {
		if !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
	}
	return true, nil
}

// Search finds raw entries, hidden ones included (D4), and where some are damaged it is the
// others with a [*store.UnreadError]. Of an entry that a conversation and
// its forks have it finds one, in whichever of them the store has it first.
func (s *Service) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if q.Conversation != "" {
		return s.store.Search(ctx, q)
	}
	want := cmp.Or(max(q.Limit, 0), store.DefaultLimit)
	most := max(want, mostLooked)
	for q.Limit = want; ; q.Limit = min(4*q.Limit, most) { // in place of copies there may be others
		hits, err := s.store.Search(ctx, q)
		var unread *store.UnreadError
		if err != nil && !errors.As(err, &unread) {
			return nil, err
		}
		all := len(hits) < q.Limit
		found := withoutCopies(hits, func(h store.Hit) copied {
			return copied{h.Entry.ID, h.Entry.Time.UnixNano(), tenfold.SearchText(h.Entry.Payload)}
		})
		if len(found) >= want || all || q.Limit == most {
			return found[:min(len(found), want)], err
		}
	}
}

// mostLooked bounds among how many hits, copies most of them, a search finds what else
// there is: their entries are all in memory.
const mostLooked = 2000

// copied is what a fork has as the original does. Ids alone are of one conversation.
type copied struct {
	id   string
	time int64
	text string
}

// withoutCopies leaves the first of those of one kind.
func withoutCopies[T any, K comparable](all []T, kind func(T) K) []T {
	seen := map[K]bool{}
	return slices.DeleteFunc(all, func(one T) bool {
		k := kind(one)
		was := seen[k]
		seen[k] = true
		return was
	})
}
