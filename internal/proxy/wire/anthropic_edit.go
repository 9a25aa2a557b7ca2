package wire

import (
	"slices"

	"tenfold"
)

// noOutputText stands in a failed result that says nothing: it is refused
// otherwise.
const noOutputText = "The tool failed without output."

func anthropicText(quoted []byte) []byte {
	return append(append([]byte(`{"type":"text","text":`), quoted...), '}')
}

// Edit implements [Protocol].
func (Anthropic) Edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item) ([]byte, error) {
	if upto < 0 || upto > len(r.Messages) || len(pieces) < upto {
		return nil, errShape
	}
	e := &editor{r: r, d: dialect{member: "content", user: "user", assistant: "assistant", text: anthropicText, strict: true}}
	list, last := fates(pieces[:upto], shown)
	for i := range upto {
		e.anthropic(i, pieces[i], list[i])
	}
	e.add(last...)
	return e.bytes(upto)
}

// anthropic edits one message.
func (e *editor) anthropic(i int, pieces []Piece, fates []fate) {
	m, err := messageOf(e.r, i, "content")
	if err != nil {
		e.err = err
		return
	}
	d, all := &draft{role: m.role, message: i}, 0
	for j := range pieces {
		p, f := &pieces[j], &fates[j]
		if len(f.added) > 0 {
			if all > 0 {
				d.moved = true
				e.put(d)
				d = &draft{role: m.role, message: i, moved: true}
			}
			e.add(f.added...)
		}
		all += len(p.At)
		if f.shown == nil {
			d.moved = d.moved || len(p.At) > 0
			continue
		}
		e.anthropicPiece(d, p, f)
	}
	e.put(d)
}

// anthropicPiece adds what is shown of one piece to a draft.
func (e *editor) anthropicPiece(d *draft, p *Piece, f *fate) {
	if f.changed() {
		switch now := f.shown.Payload.(type) {
		case tenfold.UserMessage:
			e.parts(d, p, now)
			return
		case tenfold.AssistantMessage:
			d.blocks = append(d.blocks, e.texted(p.At[0], now.Text))
			return
		case tenfold.ToolCall:
			if was, _ := p.Entry.Payload.(tenfold.ToolCall); was.Arguments != now.Arguments {
				d.blocks = append(d.blocks, e.member(p.At[0], "input", []byte(now.Arguments)))
				return
			}
		case tenfold.ToolResult:
			d.blocks = append(d.blocks, e.anthropicResult(p, now))
			return
		}
	}
	for _, at := range p.At {
		b := e.kept(at)
		b.thinks = p.Entry.Payload.Kind() == tenfold.KindReasoning
		d.blocks = append(d.blocks, b)
	}
}

// parts adds what is shown of a user's message to a draft.
func (e *editor) parts(d *draft, p *Piece, now tenfold.UserMessage) {
	was, _ := p.Entry.Payload.(tenfold.UserMessage)
	slots := align(was.Parts, now.Parts)
	d.moved = d.moved || len(slots) != len(was.Parts) || slices.ContainsFunc(slots, func(s slot) bool { return s.old < 0 })
	for _, s := range slots {
		d.blocks = append(d.blocks, e.slot(s, p.At))
	}
}

// slot gives the block of a part of what is shown.
func (e *editor) slot(s slot, at []Span) block {
	switch {
	case s.same:
		return e.kept(at[s.old])
	case s.old >= 0:
		return e.texted(at[s.old], s.text)
	}
	return e.fresh(s.text)
}

// kept gives a block as it came, cache marks aside: at most four may stand in a
// request, and the newer messages have the client's own.
func (e *editor) kept(at Span) block {
	return block{raw: patched(e.r.Body, at, marks(e.r.Body, at)), bare: at.isText(e.r.Body)}
}

// texted gives a block of text with another text.
func (e *editor) texted(at Span, text string) block {
	if at.isText(e.r.Body) {
		return block{raw: quote(text), bare: true}
	}
	return e.member(at, "text", quote(text))
}

// member gives a block with another value of a member.
func (e *editor) member(at Span, name string, value []byte) block {
	f, err := object(e.r.Body, at)
	place, ok := f.get(name)
	if err != nil {
		e.err = err
	}
	patches := marks(e.r.Body, at)
	if ok {
		// Marks inside of what is replaced go with it.
		patches = slices.DeleteFunc(patches, func(p patch) bool { return place.From <= p.From && p.To <= place.To })
	} else {
		place, value = Span{at.To - 1, at.To - 1}, append(append([]byte(`,`), quote(name)...), append([]byte{':'}, value...)...)
	}
	patches = append(patches, patch{place, value})
	slices.SortStableFunc(patches, func(a, b patch) int { return a.From - b.From })
	return block{raw: patched(e.r.Body, at, patches)}
}

// anthropicResult gives a result with what is shown of it: a text stays one where
// one is left.
func (e *editor) anthropicResult(p *Piece, now tenfold.ToolResult) block {
	was, _ := p.Entry.Payload.(tenfold.ToolResult)
	f, err := object(e.r.Body, p.At[0])
	if err != nil {
		e.err = err
		return block{}
	}
	slots := align(was.Parts, now.Parts)
	if len(slots) == 0 && was.IsError {
		slots = []slot{{old: -1, text: noOutputText}}
	}
	at, ok := f.get("content")
	if ok && at.isText(e.r.Body) && len(slots) == 1 && slots[0].old <= 0 {
		text := slots[0].text
		if slots[0].same {
			return e.kept(p.At[0])
		}
		return e.member(p.At[0], "content", quote(text))
	}
	var places []Span
	if ok && e.r.Body[at.From] == '[' {
		places, err = array(e.r.Body, at)
	} else if ok && at.isText(e.r.Body) {
		places = []Span{at}
	}
	if err != nil || len(places) != len(was.Parts) {
		e.err = errShape
		return block{}
	}
	list := make([][]byte, len(slots))
	for i, s := range slots {
		b := e.slot(s, places)
		if list[i] = b.raw; b.bare {
			list[i] = e.d.text(b.raw)
		}
	}
	return e.member(p.At[0], "content", append(append([]byte{'['}, joined(list)...), ']'))
}
