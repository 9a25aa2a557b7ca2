package engine

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Refill puts the values that payloads hold back into a record that an importer
// took them out of: the counterpart of [ContentWriter]. What the record still
// has itself stays.
type Refill struct {
	Raw   []byte
	ASCII bool // write other characters than ASCII as escapes
	cuts  []Cut
}

// Text fills the hole that a text left.
func (r *Refill) Text(at Span, text string) {
	if at.Found() && text != "" && string(at.Of(r.Raw)) == CutText {
		quoted, _ := jsontext.AppendQuote(nil, text)
		if r.ASCII {
			quoted = escapeASCII(quoted)
		}
		r.cuts = append(r.cuts, Cut{at, string(quoted)})
	}
}

// Whole fills the hole that any other value left.
func (r *Refill) Whole(at Span, value string) {
	if at.Found() && string(at.Of(r.Raw)) == CutValue && jsontext.Value(value).IsValid(ScanOptions...) {
		r.cuts = append(r.cuts, Cut{at, OneLine(value)})
	}
}

// Done gives the record.
func (r *Refill) Done() string { return Splice(r.Raw, r.cuts) }

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
	r := Refill{Raw: f.Raw, ASCII: f.ASCII, cuts: f.Cuts}
	r.Text(at, v)
	f.Cuts = r.cuts
	return v
}

// fillWhole puts any other value back.
func (f *Finder) fillWhole(at Span) string {
	v := f.Next()
	r := Refill{Raw: f.Raw, cuts: f.Cuts}
	r.Whole(at, v)
	f.Cuts = r.cuts
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
			out = append(out, byte(c)) //nolint:gosec // an ASCII character
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
