package tenfold

import (
	"iter"
	"slices"
	"strconv"
)

// An Item is one thing a model sees: an entry as the projection shows it, or
// something the projection put in.
type Item struct {
	// Seq and ID name the entry; Seq is 0 and ID is made up for what the
	// projection put in.
	Seq       int64
	ID        string
	Branch    string
	MessageID string
	// Turn and Step are raw numbers, whatever is hidden before.
	Turn, Step int
	Fate       Fate
	// Added is set on what the projection put in.
	Added Addition
	// Noted is set on the first item where the note of the view is its first part
	// (P5a).
	Noted bool
	// By is the id of the overlay that shortened the entry, or whose summary
	// this is.
	By      string
	Tokens  int
	Payload Payload
}

// Addition says why the projection put something in; zero for an entry of the
// log.
type Addition uint8

// The additions.
const (
	AddedSummary Addition = iota + 1
	AddedPlaceholder
	AddedOpening
	// AddedNote is the note of P5a. It is a part of the first item, which has
	// Noted set, and no item of its own.
	AddedNote
)

// String gives the word for the addition; empty for zero.
func (a Addition) String() string {
	switch a {
	case AddedSummary:
		return "summary"
	case AddedPlaceholder:
		return "placeholder"
	case AddedOpening:
		return "opening"
	case AddedNote:
		return "note"
	}
	return ""
}

// Items gives what the model sees, in order. A call's result stands right
// after the calls it was made with, in the order of the calls, whenever it
// arrived.
func (p *Projection) Items() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		p.arrange()
		w := walker{p: p, yield: yield, note: p.layout.note}
		if !p.layout.opening || w.opening() {
			w.walk(1, p.version+1, p.layout.hidden)
		}
	}
}

// List gives the same as [Projection.Items], in a slice of the right size.
func (p *Projection) List() []Item {
	p.arrange()
	w := walker{p: p, list: make([]Item, 0, p.shown()), note: p.layout.note}
	if p.layout.opening {
		w.opening()
	}
	w.walk(1, p.version+1, p.layout.hidden)
	return w.list
}

// Item gives one entry as [Projection.Items] shows it; false where it does not. The
// note of the view is left out.
func (p *Projection) Item(seq int64) (Item, bool) {
	if !p.Reads(seq) {
		return Item{}, false
	}
	at := int32(seq)
	n, s := p.log.node(at), p.state(at)
	if !n.visible() || n.is(flagVoid) || !s.shown() {
		return Item{}, false
	}
	w := walker{p: p}
	w.put(at, n, s)
	return w.list[0], true
}

// shown is about how many items there are, and no fewer.
func (p *Projection) shown() int {
	t := p.Totals()
	n := t.Added.Entries + p.moved[Kept].Entries + p.moved[Stripped].Entries + p.moved[Trimmed].Entries
	for at := range p.pieces {
		n += int(p.log.blocks.at(int32(at + 1)).entries)
	}
	for _, b := range p.reading {
		if b > 0 && int(b) < len(p.log.steppers) {
			n += p.log.steppers[b].all.Entries
		}
	}
	return n
}

// walk gives what shows of the entries from seq on and before end, opening
// message aside, minding the given hidden stretches.
func (p *Projection) walk(seq, end int32, h []hidden) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		w := walker{p: p, yield: yield}
		w.walk(seq, end, h)
	}
}

// walker emits entries; it holds results back until all calls of their group
// are out: the calls one response makes in a row.
type walker struct {
	p      *Projection
	yield  func(Item) bool // nil to list them
	list   []Item
	item   Item    // under way to yield
	raw    bool    // payloads are the log's
	note   string  // to begin with
	calls  []int32 // of the group under way
	closed bool    // a result of the group came: no call joins it any more
	turn   int32
	step   int32
	branch int32
}

// next is an empty item to be filled.
func (w *walker) next() *Item {
	if w.yield != nil {
		w.item = Item{}
		return &w.item
	}
	if len(w.list) == cap(w.list) {
		w.list = slices.Grow(w.list, 1)
	}
	w.list = w.list[:len(w.list)+1]
	return &w.list[len(w.list)-1]
}

// emit gives an item away; false when the reader of the walk has had enough.
func (w *walker) emit(it Item) bool {
	w.noted(&it)
	*w.next() = it
	return w.yield == nil || w.yield(it)
}

// opening emits the message that the view needs before its first.
func (w *walker) opening() bool {
	turn := 0
	for item := range w.p.walk(1, w.p.version+1, w.p.layout.hidden) {
		turn = item.Turn
		break
	}
	return w.emit(w.p.addition(AddedOpening, "opening", turn, nobody, insertion{true, openingText}))
}

func (w *walker) walk(seq, end int32, h []hidden) {
	for seq < end {
		if len(h) > 0 && seq == h[0].lo {
			if !w.hidden(&h[0]) {
				return
			}
			seq = h[0].hi + 1
			h = h[1:]
			continue
		}
		if !w.entry(seq) {
			return
		}
		seq++
	}
	w.flush()
}

// entry emits one entry if it shows. It returns false when the reader of the
// walk has had enough.
func (w *walker) entry(seq int32) bool {
	n := w.p.log.node(seq)
	if !n.visible() || !w.p.reads(n) {
		return true
	}
	s := w.p.state(seq)
	shown := s.shown() && !n.is(flagVoid)
	if !shown && (n.kind == codeCall || n.kind == codeResult) {
		return true
	}
	switch n.kind {
	case codeResult:
		if len(w.calls) > 0 && n.pair >= w.calls[0] {
			w.closed = true
		}
		return true // with its call
	case codeCall:
		if w.closed || n.turn != w.turn || n.step != w.step || n.branch != w.branch {
			if !w.flush() {
				return false
			}
			w.turn, w.step, w.branch = n.turn, n.step, n.branch
		}
		w.calls = append(w.calls, seq)
	default:
		// What stands between calls parts them, shown or not: reasoning that
		// goes when its loop closes must not move results (P11a).
		if !w.flush() {
			return false
		}
	}
	return !shown || w.put(seq, n, s)
}

// flush emits the results of the group under way, or their placeholders (P10).
// A placeholder gives way to the result when it comes, which is one of the two
// exceptions that P11a names; and it stands behind all calls of its group, so
// that it moves when the response under way makes another call.
func (w *walker) flush() bool {
	w.closed = false
	calls := w.calls
	w.calls = w.calls[:0]
	for _, call := range calls {
		n := w.p.log.node(call)
		if w.p.answered(n) {
			if !w.put(n.pair, w.p.log.node(n.pair), w.p.state(n.pair)) {
				return false
			}
			continue
		}
		if !w.emit(Item{
			ID: w.p.log.ids.at(call) + "/interrupted", Added: AddedPlaceholder, Branch: w.p.log.branches.list[n.branch],
			Turn: int(n.turn), Step: int(n.step), Tokens: w.p.layout.placeholder,
			Payload: ToolResult{CallID: payloadOf[ToolCall](w.p.log, call).CallID, Parts: Text(interruptedText), IsError: true},
		}) {
			return false
		}
	}
	return true
}

// hidden emits what shows of a hidden stretch.
func (w *walker) hidden(h *hidden) bool {
	if !w.flush() {
		return false
	}
	turn := int(w.p.log.node(h.lo).turn)
	for _, text := range h.before {
		if !w.emit(w.p.addition(AddedSummary, "heading", turn, h.summary, insertion{true, text})) {
			return false
		}
	}
	for _, seq := range h.shielded {
		if !w.entry(seq) {
			return false
		}
	}
	if !w.flush() {
		return false
	}
	for i, s := range h.after {
		if !w.emit(w.p.addition(AddedSummary, strconv.Itoa(int(h.lo))+"."+strconv.Itoa(i), turn, h.summary, s)) {
			return false
		}
	}
	return true
}

// put emits an entry.
func (w *walker) put(seq int32, n *node, s state) bool {
	p := w.p
	it := w.next()
	it.Seq, it.ID = int64(seq), p.log.ids.at(seq)
	it.Turn, it.Step = int(n.turn), int(n.step)
	it.Fate, it.Tokens = s.fate(), int(n.tokens-s.saved)
	if n.branch != 0 {
		it.Branch = p.log.branches.list[n.branch]
	}
	if n.message != 0 {
		it.MessageID = p.log.messageID(n)
	}
	by := s.by()
	if by >= 0 {
		it.By = p.overlays[by].id
	}
	if w.raw {
		it.Payload = p.log.payload(seq)
	} else {
		it.Payload = p.payloadAs(seq, s)
	}
	w.noted(it)
	return w.yield == nil || w.yield(*it)
}

func (p *Projection) addition(why Addition, suffix string, turn int, by int32, s insertion) Item {
	it := Item{ID: why.String() + "/" + suffix, Added: why, Turn: turn, Tokens: p.log.counter.Count(s.text)}
	if by != nobody {
		it.By = p.overlays[by].id
		it.ID = it.By + "/" + suffix
	}
	if s.user {
		it.Payload = UserMessage{Parts: Text(s.text), Synthetic: true}
	} else {
		it.Payload = AssistantMessage{Text: s.text}
	}
	return it
}

// Entries gives the projection as entries of a log of its own: what the items
// say, with turns where the raw ones were, under the configuration in effect.
// Projecting that log changes nothing (P12).
func (p *Projection) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		c := p.Config()
		delta := ConfigDelta{Model: c.Model}
		if c.System != "" {
			delta.System = &c.System
		}
		if c.Tools != nil {
			delta.Tools = &c.Tools
		}
		if c.Model != "" || c.System != "" || c.Tools != nil {
			if !yield(Entry{ID: "config", Payload: delta}) {
				return
			}
		}
		for i, extra := range p.config.extras {
			if !yield(Entry{ID: "config/" + strconv.Itoa(i), Payload: ConfigDelta{Extra: extra}}) {
				return
			}
		}
		turn := -1
		for it := range p.Items() {
			e := Entry{ID: it.ID, Branch: it.Branch, MessageID: it.MessageID, Tokens: it.Tokens, Payload: it.Payload}
			if it.Seq > 0 {
				raw := p.log.entry(int32(it.Seq))
				e.Time, e.Source = raw.Time, raw.Source
			}
			if it.Turn != turn && it.Branch == "" {
				turn = it.Turn
				if !yield(Entry{ID: "turn/" + it.ID, Time: e.Time, Payload: TurnStart{}}) {
					return
				}
			}
			if !yield(e) {
				return
			}
		}
	}
}

// A Call is a tool call and its result, as a projection has them.
type Call struct {
	// Seq and Result name the entries; Result is 0 while the call is open.
	Seq, Result int64
	Tool        string
	// Request and Response are what became of the two.
	Request, Response Fate
}

// Calls gives the calls among the entries first to last that the reader has,
// in order, without looking at what they say.
func (p *Projection) Calls(first, last int64) iter.Seq[Call] {
	return func(yield func(Call) bool) {
		end := int32(min(last, int64(p.version)))
		for seq := int32(max(first, 1)); seq <= end; {
			nodes := p.log.nodes.from(seq)
			for i := range nodes[:min(len(nodes), int(end-seq)+1)] {
				n := &nodes[i]
				if n.kind == codeCall && p.reads(n) && !yield(p.call(seq+int32(i), n)) {
					return
				}
			}
			seq += int32(len(nodes))
		}
	}
}

func (p *Projection) call(seq int32, n *node) Call {
	c := Call{Seq: int64(seq), Tool: p.log.tools.list[n.tool], Request: p.state(seq).fate()}
	if p.answered(n) {
		c.Result, c.Response = int64(n.pair), p.state(n.pair).fate()
	}
	return c
}

// Shared is how many tokens, counted from the start, two projections of one log
// show alike: what a provider that has read p's view need not read again of
// q's. The system prompt and the tool definitions come first; where those differ
// nothing is shared. q is a later state of p: its log holds all that p's does,
// and its overlays begin with p's, as with what [Projection.With] and
// [Projection.Preview] give.
func (p *Projection) Shared(q *Projection) int {
	a, b := p.Config(), q.Config()
	if a.System != b.System || !slices.Equal(a.Tools, b.Tools) {
		return 0
	}
	sum := q.layout.config.After
	if text := q.continuation(); text != "" {
		sum += q.log.counter.Count(text)
	}
	next, stop := iter.Pull(iter.Seq[outlined](p.outline()))
	defer stop()
	for g := range q.outline() {
		if mine, ok := next(); !ok || !p.alike(q, mine, g) {
			break
		}
		sum += g.tokens
	}
	return sum
}

// outlined is an item without what it says, unless the projection says it.
type outlined struct {
	seq    int32
	tokens int
	text   Payload
}

// outline gives what the model sees, in order, without making the texts of
// entries that overlays shorten.
func (p *Projection) outline() func(yield func(outlined) bool) {
	return func(yield func(outlined) bool) {
		note := p.layout.note
		if p.layout.opening {
			if !yield(outlined{tokens: p.log.counter.Count(openingText) + p.layout.noteTokens}) {
				return
			}
			note = ""
		}
		see := func(it Item) bool {
			g := outlined{seq: int32(it.Seq), tokens: it.Tokens}
			if it.Seq == 0 {
				g.text = it.Payload
			}
			return yield(g)
		}
		w := walker{p: p, yield: see, raw: true, note: note}
		w.walk(1, p.version+1, p.layout.hidden)
	}
}

// alike reports whether an item of p and one of q say the same.
func (p *Projection) alike(q *Projection, a, b outlined) bool {
	if a.seq != b.seq || a.tokens != b.tokens {
		return false
	}
	if a.seq == 0 {
		return samePayload(a.text, b.text)
	}
	s, t := p.state(a.seq), q.state(a.seq)
	if s.by() == t.by() {
		return s.fate() == t.fate()
	}
	return samePayload(p.payloadAs(a.seq, s), q.payloadAs(a.seq, t))
}

// payloadAs is what an entry says in a state: a later overlay may say again what an
// earlier one did.
func (p *Projection) payloadAs(seq int32, s state) Payload {
	switch {
	case s.by() != nobody:
		return p.shorten(seq, p.log.node(seq), s.by())
	case s.reason() == ReasonUnsigned:
		return withoutSignature(p.log.payload(seq))
	}
	return p.log.payload(seq)
}

// withoutSignature gives words of the model's as words alone.
func withoutSignature(p Payload) Payload {
	v, _ := Value(p)
	if m, ok := v.(AssistantMessage); ok {
		m.Signature = ""
		return m
	}
	return p
}

func samePayload(a, b Payload) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, errX := MarshalPayload(a)
	y, errY := MarshalPayload(b)
	return a.Kind() == b.Kind() && errX == nil && errY == nil && string(x) == string(y)
}
