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

func (Anthropic) Edit(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item) ([]byte, error) {
	return edit(r, upto, pieces, shown, dialect{
		member: "content", user: "user", assistant: "assistant", operator: "system", text: anthropicText, strict: true, marks: true,
		call: (*editor).anthropicCall, result: (*editor).anthropicResult,
	})
}

// anthropicCall adds a call with other arguments.
func (e *editor) anthropicCall(d *draft, p *Piece, arguments string) {
	d.add(e.member(p.At[0], "input", []byte(arguments)))
}

// anthropicResult adds a result with what is shown of it.
func (e *editor) anthropicResult(d *draft, p *Piece, was, now tenfold.ToolResult) {
	d.add(e.anthropicShown(p, was, now))
}

// anthropicShown gives a result with what is shown of it: a text stays one where one is
// left.
func (e *editor) anthropicShown(p *Piece, was, now tenfold.ToolResult) block {
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
		return e.replaced(p.At[0], at, quote(text))
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
	content := append(append([]byte{'['}, joined(list)...), ']')
	if ok {
		return e.replaced(p.At[0], at, content)
	}
	return e.member(p.At[0], "content", content)
}
