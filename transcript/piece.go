package transcript

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// piece is the Source of what was read from a text: a JSON array that tells how
// the text was made. A string in it is text as it stood; null stands for the
// text of the next payload that came from the piece; an object stands for that
// text too, each line of it between "prefix" and "suffix". All pieces of a file
// in order give the file.
type piece struct{ json []byte }

func (p *piece) next() {
	if len(p.json) == 0 {
		p.json = append(p.json, '[')
		return
	}
	p.json = append(p.json, ',')
}

// lit adds text as it stood.
func (p *piece) lit(text string) {
	if text == "" {
		return
	}
	p.next()
	p.json, _ = jsontext.AppendQuote(p.json, text)
}

// hole stands for the text of a payload.
func (p *piece) hole() {
	p.next()
	p.json = append(p.json, "null"...)
}

// lines stands for the text of a payload whose lines were marked.
func (p *piece) lines(prefix, suffix string) {
	p.next()
	p.json = append(p.json, `{"prefix":`...)
	p.json, _ = jsontext.AppendQuote(p.json, prefix)
	p.json = append(p.json, `,"suffix":`...)
	p.json, _ = jsontext.AppendQuote(p.json, suffix)
	p.json = append(p.json, '}')
}

// source closes the piece.
func (p *piece) source() string {
	if len(p.json) == 0 {
		return "[]"
	}
	return string(append(p.json, ']'))
}

// unmark takes the mark off each line of a block, and says whether marking the
// result gives the block again.
func unmark(block, prefix, suffix string) (text string, exact bool) {
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

// blankEdges splits a text in the blank lines around it and what is between.
func blankEdges(text string) (before, inner, after string) {
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

// textID names a piece after what it says.
func textID(text string) string { return "text:" + digest([]byte(text)) }

// holds is text that waits until it is known what it belongs to.
type holds struct{ buf bytes.Buffer }

func (h *holds) add(text string) { h.buf.WriteString(text) }

func (h *holds) empty() bool { return h.buf.Len() == 0 }

func (h *holds) take() string {
	t := h.buf.String()
	h.buf.Reset()
	if h.buf.Cap() > lineKeep {
		h.buf = bytes.Buffer{}
	}
	return t
}
