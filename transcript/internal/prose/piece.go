package prose

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/intake"
)

// Piece is the Source of what was read from a text: a JSON array that tells how
// the text was made. A string in it is text as it stood; null stands for the
// text of the next payload that came from the piece; an object stands for that
// text too, each line of it between "prefix" and "suffix". All pieces of a file
// in order give the file.
type Piece struct{ json []byte }

func (p *Piece) next() {
	if len(p.json) == 0 {
		p.json = append(p.json, '[')
		return
	}
	p.json = append(p.json, ',')
}

// Lit adds text as it stood.
func (p *Piece) Lit(text string) {
	if text == "" {
		return
	}
	p.next()
	p.json, _ = jsontext.AppendQuote(p.json, text)
}

// Hole stands for the text of a payload.
func (p *Piece) Hole() {
	p.next()
	p.json = append(p.json, "null"...)
}

// Lines stands for the text of a payload whose lines were marked.
func (p *Piece) Lines(prefix, suffix string) {
	p.next()
	p.json = append(p.json, `{"prefix":`...)
	p.json, _ = jsontext.AppendQuote(p.json, prefix)
	p.json = append(p.json, `,"suffix":`...)
	p.json, _ = jsontext.AppendQuote(p.json, suffix)
	p.json = append(p.json, '}')
}

// Source closes the piece.
func (p *Piece) Source() string {
	if len(p.json) == 0 {
		return "[]"
	}
	return string(append(p.json, ']'))
}

// Literal is the Source of text that is nobody's payload.
func Literal(text string) string {
	var p Piece
	p.Lit(text)
	return p.Source()
}

// Around is the Source of a payload whose text stands between two others.
func Around(before, after string) string {
	var p Piece
	p.Lit(before)
	p.Hole()
	p.Lit(after)
	return p.Source()
}

// Unmark takes the mark off each line of a block, and says whether marking the
// result gives the block again.
func Unmark(block, prefix, suffix string) (text string, exact bool) {
	block, ended := strings.CutSuffix(block, "\n")
	lines := strings.Split(block, "\n")
	exact = ended
	for i, line := range lines {
		inner, marked := strings.CutPrefix(line, prefix)
		if !marked {
			inner = strings.TrimPrefix(line, strings.TrimSpace(prefix))
		}
		body, closed := strings.CutSuffix(inner, suffix)
		if !closed {
			body = strings.TrimRight(inner, " \r")
		}
		exact = exact && marked && closed
		lines[i] = body
	}
	return strings.Join(lines, "\n"), exact
}

// BlankEdges splits a text in the blank lines around it and what is between.
func BlankEdges(text string) (before, inner, after string) {
	inner = text
	for {
		line, rest, found := strings.Cut(inner, "\n")
		if strings.TrimSpace(line) != "" || (!found && inner == "") {
			break
		}
		if !found {
			return text, "", ""
		}
		inner = rest
	}
	before = text[:len(text)-len(inner)]
	trimmed := strings.TrimRightFunc(inner, unicode.IsSpace)
	return before, trimmed, inner[len(trimmed):]
}

// TextID names a piece after what it says.
func TextID(text string) string { return "text:" + intake.Digest([]byte(text)) }

// Holds is text that waits until it is known what it belongs to.
type Holds struct{ Buf bytes.Buffer }

func (h *Holds) Add(text string) { h.Buf.WriteString(text) }

func (h *Holds) Empty() bool { return h.Buf.Len() == 0 }

func (h *Holds) Take() string {
	t := h.Buf.String()
	h.Buf.Reset()
	if h.Buf.Cap() > intake.LineKeep {
		h.Buf = bytes.Buffer{}
	}
	return t
}
