package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/record"
	"tenfold/store"
	"tenfold/token"
	"tenfold/trigger"
)

// A Session is a conversation opened.
type Session struct {
	service    *Service
	id, title  string
	log        *tenfold.Log
	projection *tenfold.Projection
	watcher    trigger.Watcher
	index      *excerpt.Index                 // of what the root sees; nil until it is asked for
	readsAlong bool                           // it reads what is appended at once
	along      func(view *tenfold.Projection) // is shown what changes the view while the store writes it
	foreseen   *Prepared                      // for a cold cache; nil for nothing
	canonical  *tenfold.ToolPolicy            // of a plan: it comes back from a store as it is
	batch      []tenfold.Entry                // room for the entries of one append
	stats      store.Stats                    // after it
	texts      []searchable                   // of the version searched; nil until a lookup
	searched   int64
	dueness    dueness
}

// ErrAmbiguous says that several conversations fit a shortened id.
var ErrAmbiguous = errors.New("not one conversation")

// ErrNothingToUndo says that no compaction is in effect.
var ErrNothingToUndo = errors.New("no compaction to undo")

// ErrNothingToRedo says that no compaction was undone.
var ErrNothingToRedo = errors.New("no compaction to redo")

// ErrReplaced says that the store has another log than the one that a session read: a
// backup was restored, a standby took over that had not heard all, or the conversation
// was deleted and made again. Open it anew.
var ErrReplaced = errors.New("the store has another log of this conversation than before")

// ErrNoEntry says that the log has no such entry.
var ErrNoEntry = errors.New("no such entry")

func (s *Session) noEntry(tried string, seq int64) error {
	return fmt.Errorf("%sentry %d: %w: the conversation has entries 1..%d", tried, seq, ErrNoEntry, s.log.Version())
}

// ID is the conversation's id.
func (s *Session) ID() string { return s.id }

// Title is the conversation's title, as of when it was opened.
func (s *Session) Title() string { return s.title }

// Log is the conversation's log, for reading.
func (s *Session) Log() *tenfold.Log { return s.log }

// Projection is what a model sees of the conversation, for reading.
func (s *Session) Projection() *tenfold.Projection { return s.projection }

// Refresh takes in what others appended since. Where that ends with an error,
// the session has read so much of it. [ErrReplaced] is one that stays.
func (s *Session) Refresh(ctx context.Context) error {
	defer s.projection.Advance()
	read := s.log.Version()
	for e, err := range s.service.store.Entries(ctx, s.id, read) {
		if err == nil && read > 0 {
			err, read = s.checkUnchanged(ctx, read), 0
		}
		if err != nil {
			return err
		}
		if _, err := s.log.Append(e); err != nil {
			return fmt.Errorf("read conversation %s, entry %d: %w", s.id, e.Seq, err)
		}
		s.dueness.appended(e)
	}
	return nil
}

// checkUnchanged is an error unless the store's log is still the one that was read, up to seq.
func (s *Session) checkUnchanged(ctx context.Context, seq int64) error {
	known, _ := s.log.Entry(seq)
	for e, err := range s.service.store.Entries(ctx, s.id, seq-1) {
		if err != nil {
			return err
		}
		if e.ID == known.ID && e.Seq == seq {
			return nil
		}
		break
	}
	return fmt.Errorf("read conversation %s: %w", s.id, ErrReplaced)
}

// errStoredBefore says that all of a batch was in the store already, from an
// earlier attempt, among entries of others that the session has not read (L9).
var errStoredBefore = errors.New("stored by an earlier attempt")

// Append adds entries at the version the session has read. Entries without id
// or time get them here. Entries whose id is in the log already are left out
// (L9). When another writer came first the error is a [*store.ConflictError],
// and nothing is written (L8). On any error the session is as it was.
func (s *Session) Append(ctx context.Context, entries ...tenfold.Entry) error {
	return s.append(ctx, nil, entries)
}

// AppendLatest appends entries after whatever other writers appended: on a
// conflict it reads what is new and tries again.
func (s *Session) AppendLatest(ctx context.Context, entries ...tenfold.Entry) error {
	return s.appendLatest(ctx, func() []tenfold.Entry { return entries })
}

// appendLatest asks for the entries anew after each conflict.
func (s *Session) appendLatest(ctx context.Context, entries func() []tenfold.Entry) error {
	return s.Rewrite(ctx, func() error { return s.Append(ctx, entries()...) })
}

// Rewrite runs f, which writes to the session. If another writer came first, it reads
// what is new and runs f again.
func (s *Session) Rewrite(ctx context.Context, f func() error) error {
	lost := false
	return Retried(ctx, func() error {
		if lost {
			if err := s.Refresh(ctx); err != nil {
				return err
			}
		}
		err := f()
		lost = isConflict(err)
		return err
	})
}

// Retried runs f again while it gives a [*store.ConflictError], because another writer
// came first: up to 50 times, after random delays that grow.
func Retried(ctx context.Context, f func() error) error {
	for attempt := 1; ; attempt++ {
		err := f()
		if !isConflict(err) || attempt == maxAttempts {
			return err
		}
		if err := backOff(ctx, attempt); err != nil {
			return err
		}
	}
}

// appendNow also changes what the conversation was imported from, if that is set.
func (s *Session) appendNow(ctx context.Context, origin *store.Origin, entries []tenfold.Entry) error {
	now, expected := s.service.now(), s.log.Version()
	batch, err := s.service.completeEntries(s.batch[:0], entries, now, s.canonical)
	if err == nil {
		err = s.checkUnusedIDs(batch, func(i int) bool { return entries[i].ID == "" })
	}
	if err != nil {
		return fmt.Errorf("append to conversation %s: %w", s.id, err)
	}
	s.batch = nil     // until it is known that the store is done with it
	var refused error // by the store, which says what was tried
	var due *store.Work
	before, scale := s.outlook(), s.watcher.Scale(s.log)
	counted := slices.ContainsFunc(batch, func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindUsage })
	err = s.projection.AppendIf(func(with *tenfold.Projection) error {
		if counted {
			scale = s.watcher.Next(with.Log())
		}
		s.stats = stats(with, scale)
		due = before.workDue(with, batch, scale)
		var version int64
		s.besideStoring(with, batch, func() bool {
			version, refused = s.service.store.Append(ctx, store.Batch{
				Conversation: s.id, Expected: expected, Entries: batch, Stats: &s.stats, Origin: origin, Now: now, Due: due,
			})
			return refused == nil && version == with.Version()
		})
		if refused == nil && version != with.Version() {
			return errStoredBefore
		}
		return refused
	}, batch...)
	switch {
	case errors.Is(err, errStoredBefore):
		return s.Refresh(ctx)
	case refused != nil:
		return refused
	case err != nil:
		return fmt.Errorf("append to conversation %s: %w", s.id, err)
	}
	if due != nil {
		s.dueness.told = *due
	}
	for _, e := range batch {
		s.dueness.appended(e)
	}
	if clear(batch); cap(batch) <= 64 {
		s.batch = batch
	}
	return nil
}

// checkUnusedIDs rejects an id that was made here for an entry and that another entry has: the
// entry would be left out as one that is stored already (L9).
func (s *Session) checkUnusedIDs(entries []tenfold.Entry, made func(i int) bool) error {
	if !s.service.given {
		return nil
	}
	ids := map[string]bool{"": true}
	for i, e := range entries {
		if _, known := s.log.Lookup(e.ID); made(i) && (known || ids[e.ID]) {
			return fmt.Errorf("WithIDs gave entry %d of %d the id %q, which is empty or another entry's: an id is to be new each time, also after a restart",
				i+1, len(entries), e.ID)
		}
		ids[e.ID] = true
	}
	return nil
}

// appendMade is [Session.Append] of entries whose ids were made here.
func (s *Session) appendMade(ctx context.Context, entries []tenfold.Entry) error {
	if err := s.checkUnusedIDs(entries, func(int) bool { return true }); err != nil {
		return fmt.Errorf("append to conversation %s: %w", s.id, err)
	}
	return s.Append(ctx, entries...)
}

// completeEntries gives entries what the log needs of them: id, time and tokens. It
// appends them to out. Entries that tell no time are of the time of those they came
// with, as the state that a transcript begins with; else of now. A policy that was made
// canonical before, which is most of a compaction, is not made so again.
func (s *Service) completeEntries(out, entries []tenfold.Entry, now time.Time, canonical *tenfold.ToolPolicy) ([]tenfold.Entry, error) {
	out = append(out, entries...)
	if i := slices.IndexFunc(out, func(e tenfold.Entry) bool { return !e.Time.IsZero() }); i > 0 && out[i].Time.Before(now) {
		now = out[i].Time
	}
	for i := range out {
		e := &out[i]
		var err error
		if e.Payload, err = canonicalPayload(e.Payload, canonical); err != nil {
			return nil, fmt.Errorf("entry %d of %d, id %q: %w", i+1, len(out), e.ID, err)
		}
		if e.ID == "" {
			e.ID = s.newID()
		}
		if e.Time.IsZero() {
			e.Time = now.UTC()
		}
		if e.Tokens == 0 {
			e.Tokens = tenfold.CountPayload(s.counter, e.Payload)
		}
	}
	return out, nil
}

// canonicalPayload is [record.Canonical] for a payload that may have a policy which is
// canonical already.
func canonicalPayload(p tenfold.Payload, canonical *tenfold.ToolPolicy) (tenfold.Payload, error) {
	c, ok := p.(tenfold.Compaction)
	if !ok || canonical == nil || c.ToolCalls != canonical {
		return record.Canonical(p)
	}
	c.ToolCalls = nil
	p, err := record.Canonical(c)
	if c, ok = p.(tenfold.Compaction); ok {
		c.ToolCalls = canonical
		return c, err
	}
	return p, err
}

// Stats are the figures that listings show of a projection. It reads the whole log.
func Stats(p *tenfold.Projection) store.Stats { return stats(p, token.Calibrate(p.Log())) }

func stats(p *tenfold.Projection, scale token.Scale) store.Stats {
	all := p.Totals().All()
	return store.Stats{
		Turns: p.Log().Turns(), TokensBefore: all.Before, TokensAfter: all.After, Percent: scale.Percent, Ended: ended(p.Log()),
	}
}

// mostAfter is how many entries that no model sees are passed over to find the
// last one that a model may see. Appending must not cost more as a log grows.
const mostAfter = 1000

// ended is the time of the last entry that a model may see.
func ended(l *tenfold.Log) time.Time {
	for seq := l.Version(); seq > 0 && seq > l.Version()-mostAfter; seq-- {
		if e, _ := l.Entry(seq); e.Payload.Kind().Visible() {
			return e.Time.Round(0).UTC()
		}
	}
	return time.Time{}
}

// Pin makes entries, named by seq, exempt from all overlays (P8). Without any it
// writes nothing, as a pin begins another [Epoch].
func (s *Session) Pin(ctx context.Context, seqs ...int64) error {
	ids, err := s.entryIDs(seqs)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.Append(ctx, tenfold.Entry{Payload: tenfold.Pin{Entries: ids}})
}

// Unpin takes pins back.
func (s *Session) Unpin(ctx context.Context, seqs ...int64) error {
	ids, err := s.entryIDs(seqs)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.Append(ctx, tenfold.Entry{Payload: tenfold.Unpin{Entries: ids}})
}

func (s *Session) entryIDs(seqs []int64) ([]string, error) {
	ids := make([]string, len(seqs))
	for i, seq := range seqs {
		e, ok := s.log.Entry(seq)
		if !ok {
			return nil, s.noEntry("", seq)
		}
		ids[i] = e.ID
	}
	return ids, nil
}

// Undo takes back what the newest compacting command did, and tells which
// overlays that changes: those that it made are not live any more, those that it
// put them in the place of are again. Overlays of no known command are undone one
// by one. Without any it is ErrNothingToUndo (C7).
func (s *Session) Undo(ctx context.Context) ([]tenfold.Overlay, error) {
	return s.applyChanges(ctx, s.projection.Undo(), ErrNothingToUndo)
}

// UndoOne takes back the newest live compaction alone.
func (s *Session) UndoOne(ctx context.Context) ([]tenfold.Overlay, error) {
	return s.applyChanges(ctx, s.projection.UndoOne(), ErrNothingToUndo)
}

// UndoAll revokes all live compactions, the newest first, in one step. Each
// compacting command is redone by itself.
func (s *Session) UndoAll(ctx context.Context) ([]tenfold.Overlay, error) {
	var undone []tenfold.Overlay
	for o := range s.projection.Overlays() {
		if o.Live && !o.Compaction.AtBirth() && !o.Compaction.Rewinds() {
			o.Live = false
			undone = append(undone, o)
		}
	}
	if len(undone) == 0 {
		return nil, ErrNothingToUndo
	}
	slices.Reverse(undone)
	var entries []tenfold.Entry
	for p := s.projection; ; {
		changes := p.Undo()
		if len(changes) == 0 {
			return undone, s.appendMade(ctx, entries)
		}
		one := s.service.revocations(changes)
		p, entries = p.Preview(one...), append(entries, one...)
	}
}

// Redo gives back what the last undo took that is still undone, and tells which
// overlays that changes; without any it is ErrNothingToRedo (C7).
func (s *Session) Redo(ctx context.Context) ([]tenfold.Overlay, error) {
	return s.applyChanges(ctx, s.projection.Redo(), ErrNothingToRedo)
}

// RedoOne gives back the compaction undone last alone.
func (s *Session) RedoOne(ctx context.Context) ([]tenfold.Overlay, error) {
	return s.applyChanges(ctx, s.projection.RedoOne(), ErrNothingToRedo)
}

func (s *Session) applyChanges(ctx context.Context, changes []tenfold.Change, nothing error) ([]tenfold.Overlay, error) {
	if len(changes) == 0 {
		return nil, nothing
	}
	changed := make([]tenfold.Overlay, len(changes))
	for i, c := range changes {
		changed[i] = c.Overlay
	}
	return changed, s.appendMade(ctx, s.service.revocations(changes))
}

// revocations gives changes as entries of one command.
func (s *Service) revocations(changes []tenfold.Change) []tenfold.Entry {
	command := s.NewCommand()
	entries := make([]tenfold.Entry, len(changes))
	for i, c := range changes {
		entries[i] = tenfold.Entry{ID: "rev_" + s.newID(), Payload: tenfold.CompactionRevoked{Target: c.Target, Command: command}}
	}
	return entries
}

// NewCommand names what one command does to a log: it is undone together (C7).
func (s *Service) NewCommand() string { return "cmd_" + s.newID() }
