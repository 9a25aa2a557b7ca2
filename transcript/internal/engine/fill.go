package engine

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"tenfold/transcript/internal/walk"
)

// Put fills the hole that a text left in a record when it was taken over: what
// the record still has itself stays.
func (f *Finder) Put(at walk.Span, text string) {
	if at.Found() && text != "" && string(at.Of(f.Raw)) == walk.CutText {
		quoted, _ := jsontext.AppendQuote(nil, text)
		if f.ASCII {
			quoted = escapeASCII(quoted)
		}
		f.Cuts = append(f.Cuts, walk.Cut{Span: at, With: string(quoted)})
	}
}

// PutWhole fills the hole that any other value left.
func (f *Finder) PutWhole(at walk.Span, value string) {
	if at.Found() && string(at.Of(f.Raw)) == walk.CutValue && jsontext.Value(value).IsValid(walk.ScanOptions...) {
		f.Cuts = append(f.Cuts, walk.Cut{Span: at, With: walk.OneLine(value)})
	}
}

// Done gives the record with what was cut out of it, or put back.
func (f *Finder) Done() string { return walk.Splice(f.Raw, f.Cuts) }

// Next is the next value to put back.
func (f *Finder) Next() string {
	if len(f.Fill) == 0 {
		return ""
	}
	v := f.Fill[0]
	f.Fill = f.Fill[1:]
	return v
}

// Skip passes over what an entry holds and its record does not, or still has.
func (f *Finder) Skip() {
	if f.Filling {
		f.Next()
	}
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
