package wire

import (
	"slices"

	"tenfold"
)

// piece adds what is shown of a piece to a draft, which may be another than the entry.
func (e *editor) piece(d *draft, p *Piece, now tenfold.Payload) {
	switch now := now.(type) {
	case tenfold.UserMessage:
		e.parts(d, p, now)
		return
	case tenfold.AssistantMessage:
		switch {
		case !Bound(p.Entry.Payload):
			d.add(e.withText(p.At[0], now.Text))
			return
		case now.Signature == "":
			d.add(e.fresh(now.Text)) // what came as thinking goes on as words
			return
		}
	case tenfold.ToolCall:
		if was, _ := p.Entry.Payload.(tenfold.ToolCall); was.Arguments != now.Arguments {
			e.d.call(e, d, p, now.Arguments)
			return
		}
	case tenfold.ToolResult:
		was, _ := p.Entry.Payload.(tenfold.ToolResult)
		e.d.result(e, d, p, was, now)
		return
	}
	e.keep(d, p)
}

// parts adds what is shown of a user's message to a draft.
func (e *editor) parts(d *draft, p *Piece, now tenfold.UserMessage) {
	was, _ := p.Entry.Payload.(tenfold.UserMessage)
	slots := align(was.Parts, now.Parts)
	d.moved = d.moved || len(slots) != len(was.Parts) || slices.ContainsFunc(slots, func(s slot) bool { return s.old < 0 })
	for _, s := range slots {
		d.add(e.slot(s, p.At))
	}
}

// keep adds the blocks of a piece as they came.
func (e *editor) keep(d *draft, p *Piece) {
	for _, at := range p.At {
		b := e.kept(at)
		b.thinks = Bound(p.Entry.Payload)
		if m, ok := p.Entry.Payload.(tenfold.AssistantMessage); ok && b.thinks {
			b.words = e.d.text(quote(m.Text))
		}
		d.add(b)
	}
}

// slot gives the block of a part of what is shown.
func (e *editor) slot(s slot, at []Span) block {
	switch {
	case s.same:
		return e.kept(at[s.old])
	case s.old >= 0:
		return e.withText(at[s.old], s.text)
	}
	return e.fresh(s.text)
}

// kept gives a block as it came, cache marks aside: at most four may stand in a
// request, and the newer messages have the client's own.
func (e *editor) kept(at Span) block {
	return block{raw: patched(e.r.Body, at, e.cuts(at)), bare: at.isText(e.r.Body)}
}

// withText gives a block of text with another text.
func (e *editor) withText(at Span, text string) block {
	if at.isText(e.r.Body) {
		return block{raw: quote(text), bare: true}
	}
	return e.member(at, "text", quote(text))
}

// member gives a block with another value of a member.
func (e *editor) member(at Span, name string, value []byte) block {
	f, err := object(e.r.Body, at)
	if err != nil {
		e.err = err
	}
	place, ok := f.get(name)
	if !ok {
		place, value = Span{at.To - 1, at.To - 1}, append(append([]byte(`,`), quote(name)...), append([]byte{':'}, value...)...)
	}
	return e.replaced(at, place, value)
}

// replaced gives a block with another value at a place in it.
func (e *editor) replaced(at, place Span, value []byte) block {
	// Cuts inside of what is replaced go with it.
	cuts := slices.DeleteFunc(e.cuts(at), func(p patch) bool { return place.From < p.To && p.From < place.To })
	return block{raw: patched(e.r.Body, at, ordered(append(cuts, patch{place, value})))}
}

// cuts gives what goes of a block that else stays: cache marks, and a signature that
// is not shown.
func (e *editor) cuts(at Span) []patch {
	var cuts []patch
	if e.d.marks && e.marked {
		cuts = marks(e.r.Body, at)
	}
	if !e.unsigned {
		return cuts
	}
	f, err := object(e.r.Body, at)
	if err != nil {
		e.err = err
	}
	spans := make([]Span, len(f))
	for i := range f {
		spans[i] = f[i].whole
	}
	e.unsigned = false
	return ordered(append(cuts, without(spans, func(i int) bool {
		return f[i].name == "thoughtSignature" || f[i].name == "thought_signature"
	})...))
}

func ordered(patches []patch) []patch {
	slices.SortStableFunc(patches, func(a, b patch) int { return a.From - b.From })
	return patches
}
