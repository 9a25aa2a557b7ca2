package engine

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Next is the next value to put back.
func (f *Finder) Next() string {
	if len(f.Fill) == 0 {
		return ""
	}
	v := f.Fill[0]
	f.Fill = f.Fill[1:]
	return v
}

// fillText puts a text back, unless the source kept it.
func (f *Finder) fillText(at Span) string {
	v := f.Next()
	if string(at.Of(f.Raw)) != CutText {
		return v
	}
	quoted, err := jsontext.AppendQuote(nil, v)
	if err != nil {
		return v
	}
	if f.ASCII {
		quoted = escapeASCII(quoted)
	}
	f.Cuts = append(f.Cuts, Cut{at, string(quoted)})
	return v
}

// fillWhole puts any other value back.
func (f *Finder) fillWhole(at Span) string {
	v := f.Next()
	if v != "" && string(at.Of(f.Raw)) == CutValue {
		f.Cuts = append(f.Cuts, Cut{at, OneLine(v)})
	}
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
