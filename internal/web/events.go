package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"tenfold"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
)

// Streams of a conversation share a topic: one watch of its log, one look at what
// changed, each event encoded once. A stream has a place in the log, the seq that
// it told last; what the topic does not keep any more it reads from the session. So
// nobody waits for anybody, and no stream loses or doubles an entry.

// How much a topic keeps of what was told: so many events and bytes.
const (
	keptEvents = 4096
	keptBytes  = 4 << 20
)

// Waiting times of a stream: between signs of life, and for a reader to take what
// is written.
const (
	heartbeat  = 15 * time.Second
	slowReader = 10 * time.Second
)

// topics are the conversations that somebody follows.
type topics struct {
	server *Server
	mu     sync.Mutex
	open   map[string]*topic
}

type topic struct {
	id     string
	users  int // guarded by topics.mu
	cancel context.CancelFunc
	ready  chan struct{} // closed when the topic knows where it begins

	mu      sync.Mutex
	version int64         // of the log: what was told
	events  []told        // the newest, one a seq, up to version
	bytes   int           // of them
	status  []byte        // as an event
	stated  int64         // counts statuses
	news    chan struct{} // closed at the next change
	err     error         // why it ended
}

// told is an event of an entry.
type told struct {
	seq  int64
	data []byte
}

// join gives the topic of a conversation, ready. Leave it.
func (t *topics) join(ctx context.Context, id string) (*topic, error) {
	t.mu.Lock()
	p := t.open[id]
	if p == nil {
		ctx, cancel := context.WithCancel(t.server.alive)
		p = &topic{id: id, cancel: cancel, ready: make(chan struct{}), news: make(chan struct{})}
		t.open[id] = p
		go t.server.follow(ctx, p)
	}
	p.users++
	t.mu.Unlock()
	select {
	case <-p.ready:
	case <-ctx.Done():
		t.leave(p)
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		defer t.leave(p)
		return nil, p.err
	}
	return p, nil
}

func (t *topics) leave(p *topic) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.users--; p.users == 0 {
		p.cancel()
		if t.open[p.id] == p {
			delete(t.open, p.id)
		}
	}
}

// forget has the next stream begin anew.
func (t *topics) forget(p *topic) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[p.id] == p {
		delete(t.open, p.id)
	}
}

// follow keeps a topic up with its conversation until nobody follows it.
func (s *Server) follow(ctx context.Context, p *topic) {
	err := s.keepUp(ctx, p)
	s.topics.forget(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	close(p.news)
	select {
	case <-p.ready:
	default:
		close(p.ready)
	}
}

func (s *Server) keepUp(ctx context.Context, p *topic) error {
	var known looks
	var watching sync.WaitGroup
	live := s.live.Listen(p.id)
	defer live.Leave()
	ctx, cancel := context.WithCancel(ctx)
	defer watching.Wait()
	defer cancel()
	if err := s.sessions.With(ctx, p.id, func(o *held.Conversation) error { return s.publish(ctx, p, o, &known) }); err != nil {
		return err
	}
	close(p.ready)
	failed := make(chan error, 1)
	grown := make(chan int64, 1)
	after := p.version
	watching.Go(func() { failed <- s.watch(ctx, p.id, after, grown) })
	for {
		select {
		case err := <-failed:
			if err == nil {
				err = ctx.Err()
			}
			return err
		case seq := <-grown:
			if seq <= p.version {
				continue
			}
		case <-live.Stated(): // as by an agent of this server, or by time alone
		}
		if err := s.sessions.With(ctx, p.id, func(o *held.Conversation) error { return s.publish(ctx, p, o, &known) }); err != nil {
			return err
		}
	}
}

// watch says how far a log has grown. What is not taken before it grows again is
// not missed: the last word counts.
func (s *Server) watch(ctx context.Context, id string, after int64, grown chan int64) error {
	for e, err := range s.service.Watch(ctx, id, after) {
		if err != nil {
			return err
		}
		select {
		case <-grown:
		default:
		}
		grown <- e.Seq
	}
	return nil
}

// looks are what an outline said of entries last.
type looks struct {
	begun   bool
	created time.Time // of the conversation
	ratio   int
	fate    []int8
	after   []int32
	by      []string
}

// changed takes in how entries look now, and gives the first of those known before
// that looks different; 0 for none.
func (k *looks) changed(o *held.Conversation) (first int64) {
	l, scale := o.Session.Log(), o.Figures()
	if k.ratio != scale.Percent && len(k.fate) > 0 {
		first = 1 // all figures are other ones
	}
	k.ratio = scale.Percent
	look := func(seq int64) {
		if first == 0 || seq < first {
			first = seq
		}
	}
	o.Columns.Read(l)
	o.Columns.EachView(o.Session.Projection(), o.View, 1, func(seq int64, view *tenfold.Projection) {
		i := int(seq - 1)
		fate, by, after := view.Fate(seq)
		if i == len(k.fate) {
			k.fate, k.after, k.by = append(k.fate, int8(fate)), append(k.after, int32(after)), append(k.by, by) //nolint:gosec // counts of one entry
			if call := l.Pair(seq); call > 0 && call < seq {
				look(call) // it has a result now
			}
			return
		}
		if k.fate[i] != int8(fate) || k.after[i] != int32(after) || k.by[i] != by { //nolint:gosec // as above
			k.fate[i], k.after[i], k.by[i] = int8(fate), int32(after), by //nolint:gosec // as above
			look(seq)
		}
	})
	return first
}

// publish takes in what is new of a conversation and wakes its streams.
func (s *Server) publish(ctx context.Context, p *topic, o *held.Conversation, known *looks) error {
	began, first, version := known.begun, int64(0), o.Session.Log().Version()
	if began && !known.created.Equal(o.Row.Created) {
		return replaced()
	}
	known.created = o.Row.Created
	if known.begun = true; version != p.version || !began {
		first = known.changed(o)
	}
	var events []told
	if began {
		scale := o.Figures()
		for e := range o.Session.Log().After(max(p.version, version-keptEvents)) {
			row := o.RowOf(e, scale)
			event := shape.Event{Entry: &row, Version: version}
			if e.Seq == version {
				event.Changed = first
			}
			data, err := event.Encoded(e.Seq)
			if err != nil {
				return err
			}
			events = append(events, told{e.Seq, data})
		}
	}
	now, err := s.status(ctx, o)
	if err != nil {
		return err
	}
	status, err := shape.Event{Status: &now}.Encoded(0)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if version == p.version && bytes.Equal(status, p.status) {
		return nil
	}
	if !bytes.Equal(status, p.status) {
		p.status, p.stated = status, p.stated+1
	}
	p.addEvents(events, version)
	close(p.news)
	p.news = make(chan struct{})
	return nil
}

// addEvents adds what was told and lets go of the oldest.
func (p *topic) addEvents(events []told, version int64) {
	if len(events) > 0 && events[0].seq != p.version+1 {
		p.events, p.bytes = nil, 0 // they have to follow each other
	}
	p.version = version
	for _, e := range events {
		p.events, p.bytes = append(p.events, e), p.bytes+len(e.data)
	}
	drop := 0
	for ; drop < len(p.events) && (len(p.events)-drop > keptEvents || p.bytes > keptBytes); drop++ {
		p.bytes -= len(p.events[drop].data)
		p.events[drop] = told{}
	}
	p.events = p.events[drop:]
}

// since gives what is to be told after a seq: behind tells that the topic does not
// keep all of it any more.
func (p *topic) since(seq int64) (events []told, behind bool) {
	if seq >= p.version {
		return nil, false
	}
	first := p.version - int64(len(p.events)) + 1
	if seq+1 < first {
		return nil, true
	}
	return slices.Clone(p.events[seq+1-first:]), false
}

// stream writes to one reader all that is after a seq, until the reader, the
// conversation or the server is gone.
func (s *Server) stream(ctx context.Context, p *topic, after int64, w io.Writer, flush func() error) error {
	stated, first, caughtUp := int64(0), true, true
	live := s.live.Listen(p.id)
	defer live.Leave()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	// The place is said at once: who reconnects before the first entry comes back to
	// it.
	if _, err := fmt.Fprintf(w, "retry: 1000\nid: %d\n\n", after); err != nil {
		return err
	}
	for {
		p.mu.Lock()
		events, behind := p.since(after)
		status, news, ended := []byte(nil), p.news, p.err
		if p.stated != stated {
			status, stated = p.status, p.stated
		}
		p.mu.Unlock()
		if behind {
			var err error
			if events, err = s.pastEvents(ctx, p.id, after, caughtUp); err != nil {
				return err
			}
		}
		caughtUp = !behind
		for _, e := range events {
			if _, err := w.Write(e.data); err != nil {
				return err
			}
			after = e.seq
		}
		if status != nil {
			if _, err := w.Write(status); err != nil {
				return err
			}
		}
		texts, err := live.Tell(w)
		if err != nil {
			return err
		}
		if len(events) > 0 || status != nil || texts || first {
			first = false
			if err := flush(); err != nil {
				return err
			}
		}
		if behind {
			continue
		}
		if ended != nil {
			return ended
		}
		select {
		case <-news:
		case <-live.Written():
		case <-beat.C:
			if _, err := io.WriteString(w, ": still here\n\n"); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-s.alive.Done():
			return nil
		}
	}
}

// pastRows is how many entries are read at once that a topic does not keep.
const pastRows = 200

// pastEvents gives entries that a topic does not keep, as events. What changed since the
// reader was there last is not known any more: with the first, all may have.
func (s *Server) pastEvents(ctx context.Context, id string, after int64, first bool) (events []told, err error) {
	err = s.sessions.With(ctx, id, func(o *held.Conversation) error {
		version := o.Session.Log().Version()
		for _, row := range o.Rows(after+1, pastRows) {
			event := shape.Event{Entry: &row, Version: version}
			if first && row.Seq == after+1 {
				event.Changed = 1
			}
			data, err := event.Encoded(row.Seq)
			if err != nil {
				return err
			}
			events = append(events, told{row.Seq, data})
		}
		return nil
	})
	return events, err
}
