package engine

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ContentWriter takes values over from a JSON text, one by one, in a fixed
// order: reading, it notes the places to cut; filling, it puts what the entries
// hold back into the places that were cut. So the two cannot come apart.
type ContentWriter struct {
	Scan *Scanner
	Raw  []byte
	Cuts []Cut
	// Filling says that Fill holds the values to put back, in order; with ASCII,
	// all other characters of texts are written as escapes.
	Filling, ASCII bool
	Fill           []string
}

// Text takes a string over. One that would not come back the same stays in the
// line as well.
func (w *ContentWriter) Text(at Span) string {
	if w.Filling {
		return w.fillText(at)
	}
	t, exact := w.Scan.UnquoteIn(at, w.Raw)
	if exact {
		w.Cuts = append(w.Cuts, Cut{at, CutText})
	}
	return t
}

// Whole takes any value over, verbatim.
func (w *ContentWriter) Whole(at Span) string {
	if w.Filling {
		v := w.Next()
		if string(at.Of(w.Raw)) == CutValue {
			w.Cuts = append(w.Cuts, Cut{at, OneLine(v)})
		}
		return v
	}
	w.Cuts = append(w.Cuts, Cut{at, CutValue})
	return string(at.Of(w.Raw))
}

// Next is the next value to put back.
func (w *ContentWriter) Next() string {
	if len(w.Fill) == 0 {
		return ""
	}
	v := w.Fill[0]
	w.Fill = w.Fill[1:]
	return v
}

// fillText puts a text back, unless the source kept it.
func (w *ContentWriter) fillText(at Span) string {
	v := w.Next()
	if string(at.Of(w.Raw)) != CutText {
		return v
	}
	quoted, err := jsontext.AppendQuote(nil, v)
	if err != nil {
		return v
	}
	if w.ASCII {
		quoted = escapeASCII(quoted)
	}
	w.Cuts = append(w.Cuts, Cut{at, string(quoted)})
	return v
}

// OneLine gives a JSON text on one line.
func OneLine(v string) string {
	if !strings.ContainsAny(v, "\r\n") {
		return v
	}
	return string(AppendCompact(nil, []byte(v)))
}

// escapeASCII writes the characters of a JSON text that are not ASCII as
// escapes, the way many programs do.
func escapeASCII(quoted []byte) []byte {
	const hex = "0123456789abcdef"
	var out []byte
	unit := func(u rune) {
		out = append(out, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	for _, c := range bytes.Runes(quoted) {
		switch {
		case c < 0x80:
			out = append(out, byte(c))
		case c < 0x10000:
			unit(c)
		default:
			c -= 0x10000
			unit(0xD800 + c>>10)
			unit(0xDC00 + c&0x3FF)
		}
	}
	return out
}

func (w *ContentWriter) IsString(at Span) bool { return at.Found() && w.Raw[at.From] == '"' }

// BlockID names the n-th entry of a line.
func BlockID(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}
