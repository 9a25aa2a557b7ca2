package keeper

import (
	"context"
	"strings"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/transcript"
)

// A base says what the first messages of a history stand for, after the client took
// our answer for its own compaction (X4): the log up to an entry, whose view is the
// text. What a client puts around it is its own affair.
type base struct {
	messages int
	seq      int64
	text     string
}

// mostBase is how many messages at the start of a history may hold the text.
const mostBase = 3

// find tells in how many messages at the start of a request the text stands; 0 where
// it does not.
func (b *base) find(w wire.Protocol, r *wire.Request) int {
	for i := range min(mostBase, len(r.Messages)) {
		pieces, err := w.Read(r, i)
		if err != nil {
			return 0
		}
		for _, p := range pieces {
			if m, ok := p.Entry.Payload.(tenfold.UserMessage); ok {
				for _, part := range m.Parts {
					if strings.Contains(part.Text, b.text) {
						return i + 1
					}
				}
			}
		}
	}
	return 0
}

// ofBase is above the seqs of all entries.
const ofBase = 1 << 40

// pieces gives those of a message seqs that no entry of the log has.
func (b *base) pieces(i int, list []wire.Piece) []wire.Piece {
	for j := range list {
		list[j].Entry.Seq = ofBase + int64(i<<16+j+1)
	}
	return list
}

// item shows a piece of the first messages: as it came, but for the text of ours,
// where the view is another one by now.
func (b *base) item(e tenfold.Entry, now string) tenfold.Item {
	it := tenfold.Item{Seq: e.Seq, ID: e.ID, Tokens: e.Tokens, Payload: e.Payload}
	m, ok := e.Payload.(tenfold.UserMessage)
	if !ok || now == b.text {
		return it
	}
	parts := make([]tenfold.Part, len(m.Parts))
	for i, p := range m.Parts {
		if strings.Contains(p.Text, b.text) {
			p.Text = strings.Replace(p.Text, b.text, now, 1)
			it.Fate = tenfold.Trimmed
		}
		parts[i] = p
	}
	m.Parts = parts
	it.Payload = m
	return it
}

// viewText is the view of a conversation up to an entry, as text.
func viewText(s *session.Session, through int64) (string, error) {
	p := s.Projection()
	l := tenfold.NewLog()
	for e := range p.Entries() {
		if raw, ok := p.Log().Lookup(strings.TrimPrefix(e.ID, "turn/")); ok && raw.Seq > through {
			break
		}
		if _, err := l.Append(e); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	text.WriteString("Tenfold shortened this conversation; undo: tenfold conversation undo " + s.ID() + "\n\n")
	c := transcript.Conversation{ID: s.ID(), Title: s.Title()}
	_, err := transcript.Export(&text, transcript.Markdown, transcript.View{Conversation: c, Projection: tenfold.Project(l)})
	return strings.TrimSpace(text.String()), err
}

// takeOwn answers a compaction that a client makes by itself (X4): with our view as
// the summary, for which no model is asked. Where that comes to nothing the request
// goes to the vendor like any other.
func (k *keeper) takeOwn(ctx context.Context, ex *exchange, id identity) {
	upto := len(ex.r.Messages) - 1 // the last one asks for it
	k.mu.Lock()
	t, _ := k.continued(ex, id)
	// What it says, and what a model may answer, is no part of the conversation.
	ex.t, ex.beside, ex.length, ex.before = t, true, len(ex.r.Messages), t.newest
	if k.closed || upto == 0 || t.passing != "" || ex.began.Before(t.rest) {
		t.send(ex)
		k.mu.Unlock()
		return
	}
	if len(t.messages) < upto {
		t.messages = ex.r.Messages[:upto]
	}
	t.confirmed = max(t.confirmed, upto)
	var text string
	done := make(chan struct{})
	t.later(func(ctx context.Context) {
		defer close(done)
		var err error
		text, err = t.summarise(ctx, ex, upto)
		t.noted(err)
	})
	k.mu.Unlock()
	waited := t.await(ctx, done)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !waited || text == "" {
		t.send(ex)
		return
	}
	mime, body := ex.in.Protocol.Answer(ex.r, "<summary>\n"+text+"\n</summary>", tenfold.Usage{Model: ex.r.Model})
	ex.answer = &proxy.Answer{ContentType: mime, Body: body}
}

// summarise compacts because the client wants to, and gives the view as text; it is
// empty where there is nothing to give.
func (t *thread) summarise(ctx context.Context, ex *exchange, upto int) (string, error) {
	c := &t.log
	err := t.store(ctx, ex, upto)
	if err == nil {
		err = t.ready(ctx)
	}
	if err != nil {
		return "", err
	}
	d, err := c.control.Ask(ctx, session.Wish{By: session.ByClient, Reason: "the client compacts", Idle: true})
	if err == nil {
		d, err = c.control.Run(ctx, d)
	}
	if err != nil || d.Action != session.Compacted {
		return "", err
	}
	b := &base{seq: c.session.Log().Version()}
	if b.text, err = viewText(c.session, b.seq); err != nil {
		return "", err
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	// Until the client takes it the history is what it was, and is shown shortened.
	t.answered, t.due = b, true
	t.version = b.seq
	return b.text, nil
}

// rebase finds the history that goes on behind the text of our answer, nil for none.
// The caller holds the lock.
func (k *keeper) rebase(ex *exchange, id identity) *thread {
	for _, t := range k.threads[id.key] {
		if t.answered == nil {
			continue
		}
		b := *t.answered
		if b.messages = b.find(ex.in.Protocol, ex.r); b.messages == 0 {
			continue
		}
		t.answered, t.frozen, t.newest, t.due = nil, nil, nil, false
		t.messages, t.confirmed = ex.r.Messages[:b.messages], b.messages
		t.used, t.usedAt = 0, 0
		t.shown.Epochs++
		r := ex.r
		t.later(func(context.Context) {
			t.log.story = b.story(r)
			if t.log.control != nil {
				t.log.epoch = t.log.control.Epoch().ID
				t.k.mu.Lock()
				t.epoch = t.log.epoch
				t.k.mu.Unlock()
			}
		})
		return t
	}
	return nil
}

// story is that of a history which begins with the base.
func (b *base) story(r *wire.Request) story {
	s := story{at: b.seq, base: b, seqs: make([][]int64, b.messages)}
	for _, m := range r.Messages[:b.messages] {
		s.chains = append(s.chains, m.Chain)
	}
	return s
}

// baseOf finds the base of a history in the store: the view of one of the newest
// compactions that a client asked for.
func baseOf(ex *exchange, s *session.Session) story {
	l := s.Log()
	for seq, left := l.Version(), 2; seq > 0 && left > 0; seq-- {
		e, _ := l.Entry(seq)
		if _, ok := e.Payload.(tenfold.Compaction); !ok {
			continue
		}
		left--
		text, err := viewText(s, seq)
		if err != nil {
			break
		}
		b := &base{seq: seq, text: text}
		if b.messages = b.find(ex.in.Protocol, ex.r); b.messages > 0 {
			return b.story(ex.r)
		}
	}
	return story{}
}

// asksHandle tells whether a request asks for a compaction that is answered by a
// handle (X4).
func asksHandle(*wire.Request) bool { return false }
