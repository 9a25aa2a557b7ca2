package keeper

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
	"tenfold/internal/telemetry"
	"tenfold/session"
	"tenfold/summary"
)

// A base says what the first messages of a history stand for, after the client took
// our answer for its own compaction (X4): the log up to an entry, whose view is the
// text. What a client puts around it is its own affair.
type base struct {
	messages int
	seq      int64
	text     string // what the client has of it as a summary
	mark     string // which answer of ours that is
	epoch    string // that it shows
}

// hint is what a summary begins with, for the person who reads it.
const hint = "Tenfold shortened this conversation; undo: tenfold conversation undo "

// mostBase is how many messages at the start of a history may hold the text.
const mostBase = 3

// markOf names a compaction in the answer that it led to. Two histories that differ in
// what neither shows have the same text, and so may two answers of one: the mark tells
// them apart. A copy of the log has the same.
func markOf(c tenfold.Compaction) string { return " (compaction " + hashed(c.Command)[:12] + ")" }

// find tells in how many messages at the start of a request the text stands with its
// mark; 0 where it does not.
func (b *base) find(w wire.Protocol, r *wire.Request) int {
	if saidAtFirst(w, r, b.mark) == 0 {
		return 0
	}
	return saidAtFirst(w, r, b.text)
}

// saidAtFirst tells in how many messages at the start of a request a text stands; 0
// where it does not.
func saidAtFirst(w wire.Protocol, r *wire.Request, text string) (n int) {
	atFirst(w, r, func(i int, said string) bool {
		if strings.Contains(said, text) {
			n = i + 1
		}
		return n > 0
	})
	return n
}

// namedAtFirst is the conversation that an answer of ours at the start of a request names; empty
// where there is none.
func namedAtFirst(w wire.Protocol, r *wire.Request) (id string) {
	atFirst(w, r, func(_ int, said string) bool {
		_, rest, _ := strings.Cut(said, hint)
		id, _, _ = strings.Cut(rest, " ")
		return id != ""
	})
	return id
}

// atFirst gives the texts of the messages at the start of a request, with the message, until
// somebody found what they look for.
func atFirst(w wire.Protocol, r *wire.Request, found func(i int, text string) bool) {
	for i := range min(mostBase, len(r.Messages)) {
		pieces, err := w.Read(r, i)
		if err != nil {
			return
		}
		for _, p := range pieces {
			m, _ := p.Entry.Payload.(tenfold.UserMessage)
			for _, part := range m.Parts {
				if found(i, part.Text) {
					return
				}
			}
		}
	}
}

// notLogged is the seq of a piece of a message that is not an entry of the log: above
// those of all entries.
func notLogged(message, piece int) int64 { return unlogged + int64(message)<<20 + int64(piece) }

const unlogged = 1 << 50

// pieces gives those of a message such seqs.
func (b *base) pieces(i int, list []wire.Piece) []wire.Piece {
	for j := range list {
		list[j].Entry.Seq = notLogged(i, j)
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

// viewUpTo is the view of a conversation up to an entry.
func viewUpTo(p *tenfold.Projection, through int64) (*tenfold.Projection, error) {
	l := tenfold.NewLog()
	for e := range p.Entries() {
		if raw, ok := p.Log().Lookup(strings.TrimPrefix(e.ID, "turn/")); ok && raw.Seq > through {
			break
		}
		if _, err := l.Append(e); err != nil {
			return nil, err
		}
	}
	return tenfold.Project(l), nil
}

// viewText is a view up to an entry as text, in the form that summarisers read (M5).
func viewText(p *tenfold.Projection, through int64) (string, error) {
	p, err := viewUpTo(p, through)
	if err != nil {
		return "", err
	}
	l := p.Log()
	text := summary.Rendering{}.Text(l, slices.Collect(l.Entries()))
	return strings.TrimSpace(emptyLines.ReplaceAllString(tags.Replace(text), "\n\n")), nil
}

// What Claude Code does to a summary is done here, so that it comes back as it is: it
// takes it from between its tags, without more than one empty line in a row.
var (
	emptyLines = regexp.MustCompile(`\n{3,}`)
	tags       = strings.NewReplacer("<summary>", "< summary>", "</summary>", "</ summary>", "<analysis>", "< analysis>", "</analysis>", "</ analysis>")
)

// takeOwn answers a compaction that a client makes by itself (X4): with our view as
// the summary, for which no model is asked. Where that comes to nothing the request
// goes to the vendor like any other.
func (k *keeper) takeOwn(ctx context.Context, ex *exchange, id identity) {
	said, upto := ex.beforeAsking()
	k.mu.Lock()
	t, _ := k.historyOf(said, id)
	// What it says, and what a model may answer, is not part of the conversation.
	ex.t, ex.beside, ex.length = t, true, len(ex.r.Messages)
	said.t, said.beside, said.length, said.before = t, true, len(said.r.Messages), t.newest
	if k.closed || upto == 0 || t.passing != "" || ex.began.Before(t.rest) || k.store.unopened() {
		t.send(ex)
		k.mu.Unlock()
		return
	}
	if len(t.messages) < upto {
		t.messages = said.r.Messages[:upto]
	}
	t.confirmed = max(t.confirmed, upto)
	var own *answer
	done := make(chan struct{})
	t.enqueue(func(ctx context.Context) {
		defer close(done)
		var err error
		if own, err = t.summarise(ctx, said, upto); err != nil {
			own = nil
		}
		t.recordFailure(err)
	})
	k.mu.Unlock()
	waited := t.awaitJob(ctx, done)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !waited || own == nil {
		t.send(ex)
		return
	}
	usage := tenfold.Usage{Model: ex.r.Model, Input: own.tokens}
	a := &proxy.Answer{}
	if own.base == nil { // the history goes on as it was, and is shown shortened
		a.ContentType, a.Body = wire.AnswerHandle(ex.r, own.handle, usage)
	} else { // until the client takes it, the same
		a.ContentType, a.Body = wire.AnswerText(ex.r, "<summary>\n"+hint+own.conversation+own.base.mark+"\n\n"+own.base.text+"\n</summary>", usage)
		t.answered, t.due = own.base, true
	}
	ex.answer = a
}

// beforeAsking gives what a request says before its last message from the person's side, which
// asks for a compaction, and how many messages that is. Claude Code adds that to a message with
// results, and may leave out the model's last answer, which it keeps: there it is taken out.
func (ex *exchange) beforeAsking() (said *exchange, upto int) {
	w, r := ex.in.Protocol, ex.r
	if asksHandle(w, r) {
		return ex, len(r.Messages) - 1
	}
	for i, m := range slices.Backward(r.Messages) {
		pieces, err := w.Read(r, i)
		if err != nil {
			break
		}
		asks := -1
		var rest []tenfold.Item
		for j := range pieces {
			e := &pieces[j].Entry
			e.Seq = int64(j) + 1
			if _, ok := e.Payload.(tenfold.UserMessage); ok && !isHostText(e.Payload) {
				asks = j
			}
			rest = append(rest, tenfold.Item{Seq: e.Seq, ID: e.ID, Payload: e.Payload})
		}
		switch {
		case asks < 0 && m.Model:
			return ex, i + 1
		case asks < 0:
			continue // what its host says behind it
		}
		if p, _ := rest[asks].Payload.(tenfold.UserMessage); len(p.Parts) > 1 {
			p.Parts = p.Parts[:len(p.Parts)-1]
			rest[asks].Payload, rest[asks].Fate = p, tenfold.Trimmed
		} else {
			rest = slices.Delete(rest, asks, asks+1)
		}
		if !slices.ContainsFunc(rest, func(it tenfold.Item) bool { return it.Payload.Kind().Visible() && !isHostText(it.Payload) }) {
			return ex, i
		}
		only := *r
		only.Messages = r.Messages[i : i+1]
		left, err := w.Edit(&only, 1, [][]wire.Piece{pieces}, rest)
		if err != nil {
			break
		}
		before := *ex
		before.in.Body = slices.Concat(r.Body[:m.From], left, r.Body[r.End:])
		if before.r, err = w.Scan(r.Path, before.in.Body, r.Messages); err != nil {
			break
		}
		before.body = before.in.Body
		return &before, i + 1
	}
	return ex, len(r.Messages) - 1
}

// An answer is what a client is told for its own compaction: a text, with what it
// stands for, or a handle.
type answer struct {
	conversation string
	base         *base
	handle       wire.Handle
	tokens       int
}

// summarise compacts because the client wants to, and gives what the client is told;
// nil where there is nothing to tell.
func (t *thread) summarise(ctx context.Context, ex *exchange, upto int) (*answer, error) {
	c := &t.log
	err := t.storeOnly(ctx, ex, upto)
	if err == nil {
		err = t.ready(ctx)
	}
	if err != nil {
		return nil, err
	}
	if !c.control.Fresh() { // else it goes by the usage of an answer from before our compaction
		d, err := c.control.Ask(ctx, session.Wish{By: session.ByClient, Reason: "the client compacts", Idle: true})
		if err == nil {
			d, err = c.control.Run(ctx, d)
		}
		if err != nil || d.Action != session.Compacted {
			return nil, err
		}
	}
	a := &answer{conversation: c.session.ID(), tokens: c.session.Projection().Tokens()}
	seq := c.session.Log().Version()
	if asksHandle(ex.in.Protocol, ex.r) {
		if _, err := t.redraw(ex, false); err != nil {
			return nil, err
		}
		items := ex.r.Body[ex.r.Messages[0].From:ex.r.Messages[upto-1].To]
		a.handle, err = t.k.keep(c.session.ID(), seq, history{t.id.origin, t.id.tool, t.dir, items})
		return a, err
	}
	a.base = &base{epoch: c.control.Epoch().ID, seq: seq}
	for by := seq; by > 0 && a.base.mark == ""; by-- {
		if made, ok := compactionAt(c.session.Log(), by); ok {
			a.base.mark = markOf(made)
		}
	}
	a.base.text, err = viewText(c.session.Projection(), seq)
	return a, err
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
		t.releaseAnswered(t.newest)
		t.newest, t.due, t.epoch = nil, false, b.epoch
		t.shown.Epochs++
		telemetry.EpochBegan()
		t.setBase(&b, ex.r)
		r := ex.r
		t.enqueue(func(context.Context) { t.log.story, t.log.epoch = b.story(r), b.epoch })
		return t
	}
	return nil
}

// setBase has the history begin with a base from now on. The caller holds the lock.
func (t *thread) setBase(b *base, r *wire.Request) {
	t.answered, t.frozen = nil, nil
	t.messages, t.confirmed = r.Messages[:b.messages], b.messages
	t.used, t.usedAt = 0, 0
}

// story is that of a history which begins with the base.
func (b *base) story(r *wire.Request) story {
	s := story{at: b.seq, base: b, seqs: make([][]int64, b.messages)}
	for _, m := range r.Messages[:b.messages] {
		s.chains = append(s.chains, m.Chain)
	}
	return s
}

// mostBases is how many compactions that a history names may be what it begins with.
const mostBases = 8

// baseOf finds the base of a history in the store: the view of one of the compactions
// that it names.
func (t *thread) baseOf(ex *exchange, s *session.Session) (story, error) {
	l := s.Log()
	if saidAtFirst(ex.in.Protocol, ex.r, hint) == 0 {
		return story{}, nil
	}
	for seq, left := l.Version(), mostBases; seq > 0 && left > 0; seq-- {
		made, ok := compactionAt(l, seq)
		if !ok {
			continue
		}
		b := &base{seq: seq, mark: markOf(made)}
		if saidAtFirst(ex.in.Protocol, ex.r, b.mark) == 0 {
			continue
		}
		left--
		var err error
		if b.text, err = viewText(tenfold.Project(l.At(seq)), seq); err != nil {
			return story{}, err
		}
		if b.messages = b.find(ex.in.Protocol, ex.r); b.messages > 0 {
			return b.story(ex.r), nil
		}
	}
	return story{}, nil
}

// compactionAt gives the entry that is a compaction, whoever asked for it; false where it is none.
func compactionAt(l *tenfold.Log, seq int64) (c tenfold.Compaction, ok bool) {
	e, _ := l.Entry(seq)
	c, ok = e.Payload.(tenfold.Compaction)
	return c, ok && c.Command != ""
}

// asksText tells whether a request asks for a compaction that is answered by a text. Where no
// session is named, that would not tell after a restart whose it is.
func asksText(w wire.Protocol, id identity) bool {
	_, ok := w.(wire.Anthropic)
	return ok && id.class == classCompaction && id.key == id.origin
}

// asksHandle tells whether a request asks for a compaction that is answered by a
// handle.
func asksHandle(w wire.Protocol, r *wire.Request) bool {
	_, ok := w.(wire.OpenAIResponses)
	return ok && wire.Triggered(r)
}
