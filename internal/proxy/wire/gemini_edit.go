package wire

import (
	"tenfold"
	"tenfold/body"
)

func (Gemini) Edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item) ([]byte, error) {
	return edit(r, upto, pieces, shown, dialect{
		member: "parts", user: "user", assistant: "model", text: geminiText,
		call: (*editor).geminiCall, result: (*editor).geminiResult, on: isSignature, doubles: true, ends: (*editor).signFirst,
	})
}

// isSignature reports whether a piece is the signature of the one after it.
func isSignature(p, next *Piece) bool {
	return p.Entry.Payload.Kind() == tenfold.KindReasoning && len(p.At) == 1 && len(next.At) == 1 && p.At[0] == next.At[0]
}

// geminiCall adds a call with other arguments.
func (e *editor) geminiCall(d *draft, p *Piece, arguments string) {
	part, err := geminiPartAt(e.r.Body, p.At[0])
	args, ok := part.call.get("args")
	if err != nil || !ok {
		e.keep(d, p) // it had none
		return
	}
	d.add(e.replaced(p.At[0], args, []byte(arguments)))
}

// geminiResult adds what is shown of a result. A text stays where it stood; any other
// JSON becomes one.
func (e *editor) geminiResult(d *draft, p *Piece, was, now tenfold.ToolResult) {
	text := ""
	for i, slot := range align(was.Parts, now.Parts) {
		if i > 0 {
			text += "\n"
		}
		if text += slot.text; slot.same {
			text += was.Parts[slot.old].Text
		}
	}
	part, err := geminiPartAt(e.r.Body, p.At[0])
	if err != nil {
		e.err = err
		return
	}
	before, failed, at, err := geminiOutput(e.r.Body, part.result)
	switch {
	case err != nil:
		e.err = err
	case at.To == 0 || before == text:
		e.keep(d, p)
	case at.isText(e.r.Body):
		d.add(e.replaced(p.At[0], at, quote(text)))
	default:
		key := `{"output":`
		if failed {
			key = `{"error":`
		}
		d.add(e.replaced(p.At[0], at, append(append([]byte(key), quote(text)...), '}')))
	}
}

// signFirst gives the first call of a changed message the word that stands for a
// signature, where its own is gone and the model asks for one (B3).
func (e *editor) signFirst(d *draft) {
	word := body.UnsignedCall(e.r.Model)
	for i := range d.blocks {
		b := &d.blocks[i]
		if !b.call {
			continue
		}
		f, err := object(b.raw, Span{0, len(b.raw)})
		if _, signed := f.first("thoughtSignature", "thought_signature"); err == nil && !signed && word != "" {
			b.raw = append(append(b.raw[:len(b.raw)-1:len(b.raw)-1], `,"thoughtSignature":`...), append(quote(word), '}')...)
		}
		return
	}
}
