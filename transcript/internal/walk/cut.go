package walk

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Cut is a value that stands elsewhere: the source holds a placeholder.
type Cut struct {
	Span
	With string
}

// Splice copies raw with the cuts replaced. Where a member stands twice a cut may
// lie in another one, and goes with it.
func Splice(raw []byte, cuts []Cut) string {
	if len(cuts) == 0 {
		return string(raw)
	}
	slices.SortFunc(cuts, func(a, b Cut) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	size := len(raw)
	for _, c := range cuts {
		size += len(c.With) - (c.To - c.From)
	}
	var b strings.Builder
	b.Grow(max(size, 0))
	at := 0
	for _, c := range cuts {
		if c.From < at {
			continue
		}
		b.Write(raw[at:c.From])
		b.WriteString(c.With)
		at = c.To
	}
	b.Write(raw[at:])
	return b.String()
}

// AppendCompact appends valid JSON without the white space between its tokens.
// Strings and numbers stay as they are, byte for byte.
func AppendCompact(dst, value []byte) []byte {
	for len(value) > 0 {
		i := bytes.IndexByte(value, '"')
		if i < 0 {
			i = len(value)
		}
		for _, c := range value[:i] {
			if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				dst = append(dst, c)
			}
		}
		if value = value[i:]; len(value) == 0 {
			break
		}
		end, _ := StringRest(value, 1)
		dst = append(dst, value[:end]...)
		value = value[end:]
	}
	return dst
}

// Placeholders of values that were cut.
const (
	CutText  = `""`
	CutValue = `null`
)

// SpliceIn copies a value in raw with the cuts that were made there replaced.
func SpliceIn(raw []byte, at Span, cuts []Cut) string {
	inner := make([]Cut, len(cuts))
	for i, c := range cuts {
		inner[i] = Cut{Span{c.From - at.From, c.To - at.From}, c.With}
	}
	return Splice(at.Of(raw), inner)
}

// OneLine gives a JSON text on one line.
func OneLine(v string) string {
	if !strings.ContainsAny(v, "\r\n") {
		return v
	}
	return string(AppendCompact(nil, []byte(v)))
}

// StringRest goes on in a string from i to behind its end; open says that it
// does not end here, and next where to go on when there is more. Nothing is
// looked at twice, however many backslashes there are.
func StringRest(b []byte, i int) (next int, open bool) {
	for {
		k := bytes.IndexByte(b[i:], '"')
		open = k < 0
		if k += i; open {
			k = len(b)
		}
		slashes := 0
		for k-slashes > i && b[k-1-slashes] == '\\' {
			slashes++
		}
		switch escaped := slashes%2 == 1; {
		case open && escaped:
			return k - 1, true // what it escapes is still to come
		case open:
			return k, true
		case !escaped:
			return k + 1, false
		}
		i = k + 1
	}
}
