package wire

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is a JSON value where it stands in a text that was found valid. It is
// read as it is asked, for most of a request is only passed by; the zero value
// is none.
type value struct {
	text []byte
	Span
}

// valueAt gives the value that begins at the first place from a place on that is
// not a blank, none where the text ends before it does.
func valueAt(text []byte, from int) value {
	from = blanks(text, from)
	if end := skip(text, from); end > 0 {
		return value{text, Span{from, end}}
	}
	return value{}
}

func (v value) found() bool { return v.To > v.From }

// kind is the value's first byte: one of {["tfn-0123456789, or 0 for none.
func (v value) kind() byte {
	if !v.found() {
		return 0
	}
	return v.text[v.From]
}

// raw is the value as it stands.
func (v value) raw() []byte { return v.text[v.From:v.To] }

// isText reports whether the value is a string.
func (v value) isText() bool { return v.kind() == '"' }

// string is the text of a string; empty for anything else.
func (v value) string() string {
	if !v.isText() {
		return ""
	}
	raw := v.raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	out, _ := jsontext.AppendUnquote(nil, raw)
	return string(out)
}

// is reports whether the value is the string.
func (v value) is(text string) bool {
	if !v.isText() {
		return false
	}
	raw := v.raw()
	return string(raw[1:len(raw)-1]) == text || (bytes.IndexByte(raw, '\\') >= 0 && v.string() == text)
}

// number is a count; 0 for anything else.
func (v value) number() int {
	f, err := strconv.ParseFloat(string(v.raw()), 64)
	if err != nil || !(f >= 0 && f < 1<<40) {
		return 0
	}
	return int(f)
}

// compact is the value on one line.
func (v value) compact() string {
	out := jsontext.Value(bytes.Clone(v.raw()))
	if out.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)) != nil {
		return string(v.raw())
	}
	return string(out)
}

// members gives the names and values of an object.
func (v value) members() iter.Seq2[value, value] {
	return func(yield func(value, value) bool) {
		if v.kind() != '{' {
			return
		}
		for i := v.From + 1; ; {
			name := valueAt(v.text, i)
			if !name.isText() || name.To >= v.To {
				return
			}
			member := valueAt(v.text, blanks(v.text, name.To)+1) // the colon
			if !member.found() || !yield(name, member) {
				return
			}
			i = blanks(v.text, member.To) + 1 // the comma, or the end
		}
	}
}

// items gives the values of an array; none of anything else.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		if v.kind() != '[' {
			return
		}
		for i := v.From + 1; ; {
			item := valueAt(v.text, i)
			if !item.found() || !yield(item) {
				return
			}
			i = blanks(v.text, item.To) + 1
		}
	}
}

// get gives the member of a name.
func (v value) get(name string) value {
	for n, member := range v.members() {
		if n.is(name) {
			return member
		}
	}
	return value{}
}

func blanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// skip gives where the value ends that begins at i, 0 where there is none. Of a
// text that is not JSON it may give any place in it.
func skip(text []byte, i int) int {
	if i >= len(text) {
		return 0
	}
	switch text[i] {
	case '"':
		return skipText(text, i)
	case '{', '[':
	case ',', ':', '}', ']':
		return 0
	default:
		for i < len(text) && !delimits(text[i]) {
			i++
		}
		return i
	}
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			if i = skipText(text, i); i == 0 {
				return 0
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return 0
}

// delimits reports whether a number or a word ends before c.
func delimits(c byte) bool {
	switch c {
	case ',', ':', '}', ']', '{', '[', '"', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

func skipText(text []byte, i int) int {
	for i++; i < len(text); {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return 0
		}
		i += n + 1
		back := i - 2
		for text[back] == '\\' {
			back--
		}
		if (i-2-back)%2 == 0 {
			return i
		}
	}
	return 0
}
