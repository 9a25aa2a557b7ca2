package wire

import (
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
	return edit(r, upto, pieces, shown, dialect{
		member: "content", user: "user", assistant: "assistant", text: anthropicText, strict: true, marks: true,
		piece: (*editor).anthropicPiece,
	})
}

// anthropicPiece adds what is shown of one piece to a draft.
func (e *editor) anthropicPiece(d *draft, p *Piece, now tenfold.Payload) {
	switch now := now.(type) {
	case tenfold.UserMessage:
		e.parts(d, p, now)
	case tenfold.AssistantMessage:
		d.add(e.texted(p.At[0], now.Text))
	case tenfold.ToolCall:
		if was, _ := p.Entry.Payload.(tenfold.ToolCall); was.Arguments == now.Arguments {
			e.keep(d, p)
			return
		}
		d.add(e.member(p.At[0], "input", []byte(now.Arguments)))
	case tenfold.ToolResult:
		d.add(e.anthropicResult(p, now))
	default:
		e.keep(d, p)
	}
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
