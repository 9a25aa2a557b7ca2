package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenfold"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/store"
)

// create begins a conversation in the store.
func (t *thread) create(ctx context.Context, ex *exchange, head tenfold.ConfigDelta, entries []tenfold.Entry) error {
	svc, err := t.k.sessions(ctx)
	if err != nil {
		return err
	}
	if t.k.Expect.Tool != "" {
		t.k.forgetAhead() // the client began something else
	}
	began := ex.began.UTC()
	if before := ex.unstoredBefore(); len(before) > 0 {
		began = before[0].began.UTC()
	}
	for i := range entries {
		if entries[i].Time.IsZero() { // as beforeLog
			entries[i].Time = began.Add(-time.Nanosecond)
		}
	}
	d, _ := changedConfig(tenfold.Config{}, head)
	all := append([]tenfold.Entry{{Time: began, Payload: d}}, entries...)
	s, err := svc.Create(ctx, session.Create{
		Title: purpose.TitleOf(slices.Values(entries)), Created: began, Entries: all,
		Origin: store.Origin{Key: t.id.origin, Tool: t.id.tool, Directory: t.dir},
	})
	if err != nil {
		return err
	}
	return t.adopt(s)
}

// adopt makes a conversation that of the history.
func (t *thread) adopt(s *session.Session) error {
	t.log.session = s
	t.k.mu.Lock()
	t.born = false // found again after a failure
	t.k.mu.Unlock()
	return t.configure()
}

// configure reads how the conversation is compacted, where its model is another
// one.
func (t *thread) configure() error {
	c := &t.log
	model := c.session.Projection().Config().Model
	t.k.mu.Lock()
	kept := t.kept
	t.k.mu.Unlock()
	if c.control != nil && c.control.Session() == c.session && model == c.model && kept == c.kept {
		return nil
	}
	live, err := t.k.Configure(t.dir, model)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	live.Timeout = cmp.Or(live.Timeout, t.k.Patience)
	live.Lifetime = kept
	c.model, c.kept, c.looked = model, kept, 0
	c.control = c.session.Control(live)
	return nil
}

// copyOf makes the history's conversation a copy of another one up to an entry.
func (t *thread) copyOf(ctx context.Context, s *session.Session, through int64) error {
	c := &t.log
	c.session, c.control = nil, nil
	if !answered(s.Log(), through) {
		c.story = story{}
		t.k.mu.Lock()
		t.frozen, t.epoch, t.shown.ID = nil, "", ""
		t.k.mu.Unlock()
		return nil
	}
	svc, err := t.k.sessions(ctx)
	if err != nil {
		return err
	}
	epoch := t.shownEpoch()
	if e, _ := s.Log().Entry(through); epoch == nil && e.Payload.Kind() == tenfold.KindToolCall {
		epoch = new("") // what was thought before an open call is bound to what was shown then (B2)
	}
	copied, err := svc.Fork(ctx, s, session.Fork{Through: through, Key: t.id.origin, Epoch: epoch})
	if err != nil {
		return err
	}
	t.k.mu.Lock()
	t.unfreeze()
	t.k.mu.Unlock()
	return t.adopt(copied)
}

// shownEpoch gives the epoch that requests of the history show: in a copy of a log that
// others went on with, what they compacted since would only cost the vendor's cache.
// It is nil before the first request: that is shown what the log says.
func (t *thread) shownEpoch() *string {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if !t.sent && t.frozen == nil {
		return nil
	}
	epoch := t.epoch
	return &epoch
}

// answered tells whether the model said something up to an entry.
func answered(l *tenfold.Log, through int64) bool {
	for e := range l.Entries() {
		if e.Seq > through {
			break
		}
		switch e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.ToolCall, tenfold.Reasoning:
			return true
		}
	}
	return false
}

// open finds the conversation that a history is, or leaves it to be made.
func (t *thread) open(ctx context.Context, ex *exchange, upto int) error {
	t.k.mu.Lock()
	born := t.born
	t.k.mu.Unlock()
	if born || beginsConversation(ex) {
		return nil
	}
	if t.after != nil {
		select {
		case <-t.after:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	svc, err := t.k.sessions(ctx)
	if err != nil {
		return err
	}
	known, err := svc.Imported(ctx, t.id.origin)
	if err != nil {
		return err
	}
	if ex.handle != nil { // which may be of a thread that this one was forked from
		if c, err := svc.Find(ctx, ex.handle.Conversation); err == nil {
			known = append([]store.Conversation{c}, known...)
		}
	}
	if err := t.choose(ctx, svc, ex, known[:min(len(known), mostOpened)], upto, false); err != nil || t.log.session != nil {
		return err
	}
	if known, err = t.k.related(ctx, svc, ex, t.id); err != nil {
		return err
	}
	return t.choose(ctx, svc, ex, known[:min(len(known), mostOpened)], upto, true)
}

// related are the conversations of the same client that may begin as a history does in whose name
// nothing is stored: its client copied the session of one of them, and calls the copy otherwise.
// Where no session is named, the beginning is the name.
func (k *keeper) related(ctx context.Context, svc *session.Service, ex *exchange, id identity) (out []store.Conversation, err error) {
	if id.key != id.origin || settled(ex.r.Messages) == 0 {
		return nil, nil
	}
	title := purpose.TitleOf(func(yield func(tenfold.Entry) bool) {
		for i := range ex.r.Messages {
			pieces, _ := ex.in.Protocol.Read(ex.r, i) // what cannot be read is told when it is stored
			for _, p := range pieces {
				if !yield(p.Entry) {
					return
				}
			}
		}
	})
	of := Expected{Tool: id.tool, Directory: ex.in.Dir}
	if name := namedAtFirst(ex.in.Protocol, ex.r); name != "" { // after the client's own compaction
		if c, err := svc.Find(ctx, name); err == nil && of.finds(c) {
			out = append(out, c)
		}
	}
	newest, err := svc.Page(ctx, nil, mostListed)
	looked := 0
	for _, c := range newest {
		if !of.finds(c) {
			continue
		}
		// A person may have given it another title; of one that was never compacted a copy needs nothing.
		if title != "" && c.Title != title && c.Stats.TokensAfter < c.Stats.TokensBefore && looked < mostOpened {
			looked++
			c.Title = firstTitle(ctx, svc, c.ID)
		}
		if c.Title == title {
			out = append(out, c)
		}
	}
	return out, err
}

// firstTitle is the title that a conversation began with; none for one that is gone, or cannot be
// read: it is hardly the original, and nothing else is to wait for it.
func firstTitle(ctx context.Context, svc *session.Service, id string) string {
	return purpose.TitleOf(func(yield func(tenfold.Entry) bool) {
		for e, err := range svc.Entries(ctx, id, 0) {
			if err != nil || !yield(e) {
				return
			}
		}
	})
}

// beginsConversation tells that nothing was said before a request, to us or to another proxy that a
// client's own compaction was answered by.
func beginsConversation(ex *exchange) bool {
	return settled(ex.r.Messages) == 0 && saidAtFirst(ex.in.Protocol, ex.r, hint) == 0
}

// mostOpened is how many conversations of the store are opened to find the one that
// a history is.
const mostOpened = 8

// choose finds the conversation that has most of a history, by the ids of entries:
// they are made of what the messages say and of all before them. One of another session goes on
// in a copy.
func (t *thread) choose(ctx context.Context, svc *session.Service, ex *exchange, known []store.Conversation, upto int, another bool) error {
	var best *session.Session
	var told story
	ends := false // it says nothing more
	for _, c := range known {
		s, err := t.k.open(ctx, svc, c.ID)
		if errors.Is(err, store.ErrNotFound) || another && err != nil && ctx.Err() == nil {
			continue // what may have been copied from one that cannot be read is told anew
		}
		if err != nil {
			return err
		}
		st, err := t.matchLog(ex, s, upto)
		if err != nil {
			return err
		}
		n, whole := len(st.chains), isAtEnd(s.Projection(), st.at)
		if n > len(told.chains) && answered(s.Log(), st.at) || best != nil && n == len(told.chains) && whole && !ends {
			best, told, ends = s, st, whole
		}
		if ends && len(told.chains) == upto {
			break
		}
	}
	if best == nil {
		return nil
	}
	t.log.story = told
	if b := told.base; b != nil {
		t.k.mu.Lock()
		messages, confirmed := t.messages, t.confirmed
		t.setBase(b, ex.r)
		t.messages, t.confirmed = messages, max(confirmed, b.messages)
		t.k.mu.Unlock()
		t.log.epoch = b.epoch // none for a text, which may have been undone since
	}
	if another {
		return t.copyOf(ctx, best, told.at)
	}
	if err := t.adopt(best); err != nil || len(told.chains) == upto || ends {
		return err
	}
	return t.goBack(ctx, ex, upto)
}

// matchLog finds which messages of a request a log has.
func (t *thread) matchLog(ex *exchange, s *session.Session, upto int) (story, error) {
	var st story
	r := *ex.r
	r.Logged = func(id string) tenfold.Payload {
		e, _ := s.Log().Lookup(id)
		return e.Payload
	}
	pieces, err := t.wire(ex).pieces(&r, 0)
	if err != nil {
		return st, fmt.Errorf("message 0: %w", err)
	}
	known, ok := st.follow(s.Projection(), 0, pieces)
	if ok && len(known) == len(pieces) {
		t.wire(ex).readAll(&r, upto)
	} else {
		if st, err = t.baseOf(ex, s); err != nil {
			return st, err
		}
	}
	for i := len(st.chains); i < upto; i++ {
		pieces, err := t.wire(ex).pieces(&r, i)
		if err != nil {
			return st, fmt.Errorf("message %d: %w", i, err)
		}
		known, ok := st.follow(s.Projection(), st.at, pieces)
		if !ok || len(known) < len(pieces) {
			break
		}
		st.chains, st.seqs = append(st.chains, ex.r.Messages[i].Chain), append(st.seqs, known)
		st.at = lastKnown(known, st.at)
	}
	return st, nil
}
