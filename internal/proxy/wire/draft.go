package wire

import (
	"cmp"
	"slices"

	"tenfold"
	"tenfold/internal/pair"
)

// draft is a message on its way out: one of the request's, or of what stands in
// for others.
type draft struct {
	role string
	// message is its index in the request, and from what stands there; -1 where the
	// projection put it in.
	message int
	from    message
	blocks  []block
	// moved tells that blocks are gone, or others stand among them: the list is put
	// together anew. Else each stands where it stood.
	moved bool
	// effort tells of an operator's message that sets the effort, beside what it says or alone.
	effort bool
}

// block is one of a draft. Bare is a string that stands for a block of text.
type block struct {
	raw                []byte
	bare, thinks, call bool
	// words is the block of text that stands for thinking which was said to the user, where
	// thinking may not stand; else nil.
	words []byte
}

func (d *draft) add(b block) { d.blocks = append(d.blocks, b) }

func (d *draft) thinksAt(i int) bool { return 0 <= i && i < len(d.blocks) && d.blocks[i].thinks }

// dialect is what the messages of one protocol differ in.
type dialect struct {
	member    string // that holds the blocks
	user      string
	assistant string
	// operator is the role of those whose words need a place of their own, "" for none.
	operator string
	// text makes a block of a text as JSON has it.
	text func(quoted []byte) []byte
	// strict tells that thinking begins the message it stands in, and never ends it.
	strict bool
	// marks tells that blocks may carry marks for the vendor's cache.
	marks bool
	// call adds a call with other arguments to a draft, result a result that is shown
	// otherwise. On tells, where not nil, that a piece stands on the block of the one
	// after it; ends finishes a changed draft, where not nil.
	call   func(e *editor, d *draft, p *Piece, arguments string)
	result func(e *editor, d *draft, p *Piece, was, now tenfold.ToolResult)
	on     func(p, next *Piece) bool
	// doubles tells that blocks may have no piece: they stay where all of a message
	// does.
	doubles bool
	ends    func(e *editor, d *draft)
}

// Words between messages that would not be taken one after the other.
const (
	continueText = "[The work goes on]"
	openingText  = "[Conversation continues]"
)

// editor puts messages together.
type editor struct {
	r *Request
	d dialect
	// made is what the messages come to, each for itself, drafts what stands of that side
	// by side; what an operator said is held until it has a place.
	made, drafts, held []*draft

	err    error
	marked bool // the message under way has marks
	// unsigned tells that the signature of the next block is not shown.
	unsigned bool
}

// edit is [Protocol.Edit] for messages of one dialect.
func edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item, d dialect) ([]byte, error) {
	if upto < 0 || upto > len(r.Messages) || len(pieces) < upto {
		return nil, errShape
	}
	list, last := fates(pieces[:upto], shown)
	made := func(from, to int) *editor {
		e := &editor{r: r, d: d}
		for i := from; i < to; i++ {
			e.message(i, pieces[i], list[i])
		}
		return e
	}
	var e, rest *editor
	half := upto
	if upto > 0 && r.Messages[upto-1].To-r.First >= sideBySide {
		half = upto / 2
	}
	pair.Run(func() { e = made(0, half) }, func() { rest = made(half, upto) })
	e.err = cmp.Or(e.err, rest.err)
	rest.add(last...)
	e.made = append(e.made, rest.made...)
	if upto > 0 && d.operator != "" && r.Messages[0].Model {
		e.beginWithModel()
	}
	for _, d := range e.made {
		e.put(d)
	}
	return e.bytes(upto)
}

// beginWithModel puts what was added at the beginning behind what the model says there: that is a
// vendor's own compaction, which nothing may stand before
// (https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand).
func (e *editor) beginWithModel() {
	first := slices.IndexFunc(e.made, func(d *draft) bool { return d.message >= 0 })
	if first > 0 && e.made[first].message == 0 && len(e.made[first].blocks) > 0 {
		d := e.made[first]
		copy(e.made[1:], e.made[:first])
		e.made[0] = d
	}
}

// leaves reports whether nothing of a message is left, and nothing stands among it.
func (e *editor) leaves(pieces []Piece, fates []fate) bool {
	gone := e.d.on == nil && !e.d.doubles && slices.ContainsFunc(pieces, func(p Piece) bool { return len(p.At) > 0 })
	return gone && !slices.ContainsFunc(pieces, e.operators) && !slices.ContainsFunc(fates, func(f fate) bool { return f.shown != nil || len(f.added) > 0 })
}

// operators tells of a piece of an operator's message, which may do more than speak.
func (e *editor) operators(p Piece) bool {
	words, ok := p.Entry.Payload.(tenfold.UserMessage)
	return p.stays() || ok && words.Role != "" && words.Role == e.d.operator
}

// stays tells of a piece that is sent whatever the projection shows.
func (p Piece) stays() bool {
	item, ok := p.Entry.Payload.(tenfold.ProviderItem)
	return ok && item.Role == "system"
}

// message makes the drafts of one message.
func (e *editor) message(i int, pieces []Piece, fates []fate) {
	if e.leaves(pieces, fates) {
		return // nor is it looked at: most of a long request goes
	}
	m, err := messageOf(e.r, i, e.d.member)
	if err != nil {
		e.err = err
		return
	}
	e.marked = e.r.Messages[i].Marked
	d, all, signed, changed := &draft{role: m.role, message: i, from: m}, 0, false, false
	if d.role == "" || d.role == "function" { // Gemini's names for the user's
		d.role = e.d.user
	}
	role := d.role
	for j := range pieces {
		p, f := &pieces[j], &fates[j]
		changed = changed || f.shown != nil && f.changed()
		if len(f.added) > 0 {
			if all > 0 {
				d.moved = true
				e.made = append(e.made, d)
				d = &draft{role: role, message: i, from: m, moved: true}
			}
			e.add(f.added...)
		}
		if e.d.on != nil && j+1 < len(pieces) && e.d.on(p, &pieces[j+1]) {
			e.unsigned = f.shown == nil
			signed = signed || e.unsigned
			continue
		}
		all += len(p.At)
		switch n := len(d.blocks); {
		case f.shown == nil && !p.stays():
			d.moved = d.moved || len(p.At) > 0
		case f.shown != nil && f.changed():
			e.piece(d, p, f.shown.Payload)
			fallthrough
		default:
			if f.shown == nil || !f.changed() {
				e.keep(d, p)
			}
			for k := n; k < len(d.blocks); k++ {
				d.blocks[k].call = p.Entry.Payload.Kind() == tenfold.KindToolCall
			}
		}
		e.unsigned = false
	}
	if places := m.places(); e.d.doubles && !d.moved && len(d.blocks) < len(places) {
		if d.moved = changed; !changed {
			d.blocks = nil
			for _, at := range places {
				d.add(e.kept(at))
			}
		}
	}
	if (d.moved || signed) && e.d.ends != nil {
		e.d.ends(e, d)
	}
	e.made = append(e.made, d)
}

// put adds a draft, or joins it to the one before where their roles are the same
// and something between them is gone.
func (e *editor) put(d *draft) {
	operators := d.role == e.d.operator && d.role != ""
	d.effort = operators && e.setsEffort(d)
	if len(d.blocks) == 0 && d.moved && !d.effort {
		return
	}
	if operators {
		e.held = append(e.held, d)
		return
	}
	if len(e.held) > 0 {
		e.endNewest()
		e.release(d)
	}
	model := d.role == e.d.assistant
	if last := e.last(); !model || last.role != d.role {
		e.endNewest()
	}
	last := e.last()
	switch {
	case last.role == "" && d.role != e.d.user && d.message != 0: // a client may begin so itself
		e.put(e.asUser(openingText))
	case model && last.role != d.role && e.joins(d):
		e.drafts = append(e.drafts, e.asUser(continueText))
	case last.message >= 0 && d.message == last.message+1 && !last.moved && !d.moved: // as they came
	case model && last.role == d.role && e.d.strict && d.thinksAt(0) && !last.thinksAt(len(last.blocks)-1):
		e.endNewest()
		e.drafts = append(e.drafts, e.asUser(continueText))
	case last.role == d.role && (model || d.role == e.d.user):
		last.blocks, last.moved = append(last.blocks, d.blocks...), true
		return
	}
	e.drafts = append(e.drafts, d)
}

// last gives the newest draft; one without a role where there is none.
func (e *editor) last() *draft {
	if n := len(e.drafts); n > 0 {
		return e.drafts[n-1]
	}
	return &draft{message: -1}
}

// joins reports whether the model would speak twice with only the system's words
// between, and the client did not send it so.
func (e *editor) joins(d *draft) bool {
	next, beside := d.message, true
	for _, before := range slices.Backward(e.drafts) {
		beside = beside && before.message >= 0 && before.message == next-1
		if next = before.message; before.role == e.d.user || before.role == e.d.assistant {
			return before.role == d.role && !beside
		}
	}
	return false
}

// endNewest ends the newest draft: thinking may not end a message. What an operator said before
// one that was nothing else has no place then.
func (e *editor) endNewest() {
	last := e.last()
	for last.moved && e.d.strict && last.thinksAt(len(last.blocks)-1) {
		if at := len(last.blocks) - 1; last.blocks[at].words != nil {
			last.blocks[at] = block{raw: last.blocks[at].words}
			return
		}
		if last.blocks = last.blocks[:len(last.blocks)-1]; len(last.blocks) == 0 {
			e.drafts = e.drafts[:len(e.drafts)-1]
			e.held = append(e.unplaced(), e.held...)
		}
	}
}

// asUser makes a message of the user's that the request does not have.
func (e *editor) asUser(text string) *draft {
	return &draft{role: e.d.user, message: -1, blocks: []block{e.fresh(text)}, moved: true}
}

// fresh makes a block of a text that the request does not have.
func (e *editor) fresh(text string) block { return block{raw: e.d.text(quote(text))} }

// add makes drafts of what the projection added.
func (e *editor) add(added ...tenfold.Payload) {
	for _, payload := range added {
		d := &draft{role: e.d.user, message: -1, moved: true}
		switch payload := payload.(type) {
		case tenfold.UserMessage:
			for _, p := range payload.Parts {
				if p.File == nil && !tenfold.Blank(p.Text) {
					d.blocks = append(d.blocks, e.fresh(p.Text))
				}
			}
		case tenfold.AssistantMessage:
			if d.role = e.d.assistant; !tenfold.Blank(payload.Text) {
				d.blocks = append(d.blocks, e.fresh(payload.Text))
			}
		}
		e.made = append(e.made, d)
	}
}

// bytes gives what goes out before the message that follows, of that role.
func (e *editor) bytes(upto int) ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	e.meet(upto)
	n := 0
	for _, d := range e.drafts {
		n += len(`{"role":"assistant","content":[]},`)
		for _, b := range d.blocks {
			n += len(b.raw) + 1
		}
	}
	out := make([]byte, 0, n) // about
	for i, d := range e.drafts {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = e.append(out, d); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// meet makes the last draft fit what follows as it came: no vendor takes a request
// in which the model speaks first, twice in a row, or nobody. Behind all that the
// client says the answer follows, in the next request.
func (e *editor) meet(upto int) {
	follows, first, words := e.follows(upto)
	e.settle(upto, follows)
	e.endNewest()
	n, ends := len(e.drafts), upto == len(e.r.Messages)
	next := words || follows == e.d.assistant && (!ends || upto == 0 || !e.r.Messages[upto-1].Model)
	switch {
	case n == 0 && upto > 0 && (next || ends || first):
		e.put(e.asUser(openingText))
	case n > 0 && next && e.drafts[n-1].role == e.d.assistant && (e.drafts[n-1].moved || e.drafts[n-1].message != upto-1):
		e.put(e.asUser(continueText))
	}
}

// append writes a draft behind others.
func (e *editor) append(out []byte, d *draft) ([]byte, error) {
	m, body := d.from, e.r.Body
	switch places := m.places(); {
	case d.message < 0:
		return append(e.appendBlocks(append(out, `{"role":"`+d.role+`","`+e.d.member+`":`...), d), '}'), nil
	case d.moved:
		out = e.appendBlocks(append(out, body[m.at.From:m.content.From]...), d)
		return append(out, body[m.content.To:m.at.To]...), nil
	case len(places) != len(d.blocks):
		return nil, errShape
	default:
		patches := make([]patch, len(places))
		for i, at := range places {
			patches[i] = patch{at, d.blocks[i].raw}
		}
		return appendPatched(out, body, m.at, patches), nil
	}
}

// appendBlocks writes the blocks of a draft as a list.
func (e *editor) appendBlocks(out []byte, d *draft) []byte {
	out = append(out, '[')
	for i, b := range d.blocks {
		if i > 0 {
			out = append(out, ',')
		}
		raw := b.raw
		if b.bare {
			raw = e.d.text(raw)
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}
