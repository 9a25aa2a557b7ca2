package jp

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// decode reads a string that JP stored as base64, in either alphabet and with
// or without padding. What is not base64 of a text is taken as it stands. exact
// says whether encoding the text again, in the standard alphabet, gives the
// very string: if not, the event keeps it.
func (j *jp) decode(at walk.Span, raw []byte) (text string, exact bool) {
	if in := at.Of(raw); len(in) > 1 && bytes.IndexByte(in, '\\') < 0 {
		// The usual case, without a copy of what is stored.
		in = in[1 : len(in)-1]
		j.plain = slices.Grow(j.plain[:0], base64.StdEncoding.DecodedLen(len(in)))
		n, err := base64.StdEncoding.Strict().Decode(j.plain[:cap(j.plain)], in)
		if plain := j.plain[:n]; err == nil && utf8.Valid(plain) {
			return string(plain), true
		}
	}
	stored, clean := j.scan.UnquoteIn(at, raw)
	text, standard, ok := fromBase64(stored)
	if !ok {
		return stored, false
	}
	return text, clean && standard
}

// fromBase64 decodes a text; standard says whether it had the one form that
// encoding gives.
func fromBase64(s string) (text string, standard, ok bool) {
	if strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		return "", false, false // the decoder would skip them
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if standard = err == nil; !standard {
		if strings.ContainsAny(s, "-_") {
			s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
		}
		b, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	}
	if err != nil || !utf8.Valid(b) {
		return "", false, false
	}
	return string(b), standard, true
}

// decodeAll decodes every string of a value, the names of members aside, and
// keeps their order. exact says whether all of them were in the standard form.
func (j *jp) decodeAll(value []byte) (text string, exact bool) {
	var s walk.Scanner
	s.Reset(value)
	exact = true
	out := mapStrings(&s, make([]byte, 0, len(value)), func(out []byte, at walk.Span) []byte {
		t, same := j.decode(at, s.Raw)
		exact = exact && same && !strings.Contains(t, "\uFFFD")
		out, _ = jsontext.AppendQuote(out, t)
		return out
	})
	if s.Err != nil {
		return string(value), false
	}
	return string(out), exact
}

// mapStrings appends a value without blanks, with what change appends in place of each
// string that is no name of a member.
func mapStrings(s *walk.Scanner, out []byte, change func(out []byte, at walk.Span) []byte) []byte {
	kind := s.Kind()
	if kind != '{' && kind != '[' {
		at := s.Value()
		switch {
		case s.Err != nil:
			return out
		case kind == '"':
			return change(out, at)
		}
		return append(out, bytes.TrimSpace(at.Of(s.Raw))...)
	}
	s.Token()
	out = append(out, byte(kind))
	for first := true; s.More(); first = false {
		if !first {
			out = append(out, ',')
		}
		if kind == '{' {
			out = append(append(out, s.Name()...), ':')
		}
		out = mapStrings(s, out, change)
	}
	s.Token()
	return append(out, byte(kind)+2) // the closing one, in ASCII
}

// Peel takes off layers of base64 as long as what is inside is base64 itself.
// A signature is base64 of binary data, so the innermost text is the
// signature. JP adds a layer each time some versions save a conversation.
func Peel(s string) string { return string(peelBytes([]byte(s))) }

func peelBytes(in []byte) []byte {
	var buffers [2][]byte
	for n := range 64 {
		// The start tells most of what is not base64 twice over.
		var start [48]byte
		if k, _ := base64.StdEncoding.Decode(start[:], in[:min(len(in), 64)]); !allBase64(start[:k]) {
			return in
		}
		if buffers[n%2] == nil {
			buffers[n%2] = make([]byte, base64.StdEncoding.DecodedLen(len(in)))
		}
		out := buffers[n%2]
		k, err := base64.StdEncoding.Decode(out, in)
		if err != nil || k == 0 || !allBase64(out[:k]) {
			return in
		}
		in = out[:k]
	}
	return in
}

func allBase64(b []byte) bool {
	for _, c := range b {
		if !base64Bytes[c] {
			return false
		}
	}
	return true
}

// base64Bytes are the bytes of both alphabets, and the padding.
var base64Bytes = func() (in [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=" {
		in[c] = true
	}
	return in
}()
