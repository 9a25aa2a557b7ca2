package wire

import (
	"bytes"
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// What is wrong with a body. None of it holds text of the body.
var (
	errSyntax = errors.New("the body is not JSON")
	errTwice  = errors.New("a member of the body comes twice")
	errShape  = errors.New("the body is not a request of this protocol")
)

// mostDepth bounds how deep values stand in one another: no client comes near.
const mostDepth = 1000

// scanner walks over JSON once. It knows where values begin and end; that every
// number and escape is well formed is for whoever reads them. Errors stick.
type scanner struct {
	raw   []byte
	at    int
	name  int // where the name of the last member begins
	depth int
	err   error
	// keep is set to write what is walked over to out in its canonical form:
	// without spacing, and without marks for the vendor's cache (V1).
	keep bool
	out  []byte
	// loose tells that some of it is not in that form, marked that there was a mark.
	loose, marked bool
}

func (s *scanner) fail(err error) {
	s.err = cmp.Or(s.err, err)
	s.at = len(s.raw)
}

func (s *scanner) space() {
	for s.at < len(s.raw) {
		switch s.raw[s.at] {
		case ' ', '\n', '\t', '\r':
			s.at++
			s.loose = true
		default:
			return
		}
	}
}

// peek gives the next byte that is not space; 0 at the end.
func (s *scanner) peek() byte {
	if s.space(); s.at < len(s.raw) {
		return s.raw[s.at]
	}
	return 0
}

// expect passes over one byte that has to come.
func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.fail(errSyntax)
		return
	}
	s.at++
	s.put(c)
}

func (s *scanner) put(c byte) {
	if s.keep {
		s.out = append(s.out, c)
	}
}

// write puts something else than what is walked over.
func (s *scanner) write(text string) {
	if s.loose = true; s.keep {
		s.out = append(s.out, text...)
	}
}

// value passes over a value. Marks tells that objects here may carry marks for the
// cache: blocks of a message may, the arguments of a call may not.
func (s *scanner) value(marks bool) Span {
	c := s.peek()
	from := s.at
	switch c {
	case '{':
		s.members(marks, func(name []byte) { s.value(marks && string(name) == `"content"`) })
	case '[':
		s.items(func() { s.value(marks) })
	case '"':
		s.text()
	default:
		for s.at < len(s.raw) && isWord(s.raw[s.at]) {
			s.at++
		}
		if w := s.raw[from:s.at]; len(w) == 0 || (c != '-' && (c < '0' || c > '9') && string(w) != "true" && string(w) != "false" && string(w) != "null") {
			s.fail(errSyntax)
		} else if s.keep {
			s.out = append(s.out, w...)
		}
	}
	return Span{from, s.at}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// text passes over a string and gives it as it is written.
func (s *scanner) text() []byte {
	if s.peek() != '"' {
		s.fail(errSyntax)
		return nil
	}
	from, end := s.at, s.at
	for escaped := true; escaped; {
		i := bytes.IndexByte(s.raw[end+1:], '"')
		if i < 0 {
			s.fail(errSyntax)
			return nil
		}
		end += i + 1
		slash := end
		for slash > from+1 && s.raw[slash-1] == '\\' {
			slash--
		}
		escaped = (end-slash)%2 == 1 // of two backslashes the second is no escape
	}
	s.at = end + 1
	text := s.raw[from:s.at]
	if s.keep {
		s.out = append(s.out, text...)
	}
	return text
}

// members walks over an object; each gets a name as it is written and passes over
// the value. What it does with a mark's value is not in the canonical form.
func (s *scanner) members(marks bool, each func(name []byte)) {
	first := true
	s.list('{', '}', func() {
		mark := len(s.out)
		if !first {
			s.put(',')
		}
		s.peek()
		s.name = s.at
		name := s.text()
		s.expect(':')
		each(name)
		if marks && string(name) == `"cache_control"` {
			s.out, s.loose, s.marked = s.out[:min(mark, len(s.out))], true, true
		} else {
			first = false
		}
	})
}

// items walks over an array.
func (s *scanner) items(each func()) {
	first := true
	s.list('[', ']', func() {
		if !first {
			s.put(',')
		}
		first = false
		each()
	})
}

// list walks over what stands between two brackets, commas aside.
func (s *scanner) list(open, end byte, each func()) {
	s.expect(open)
	if s.depth++; s.depth > mostDepth {
		s.fail(errShape)
	}
	if s.peek() != end {
		for s.err == nil {
			each()
			if s.peek() != ',' {
				break
			}
			s.at++
		}
	}
	s.expect(end)
	s.depth--
}

// a field is a member of an object.
type field struct {
	name string
	// whole is from the name to the end of the value.
	whole, value Span
}

type fields []field

// get gives the place of a member's value; ok is false where there is none.
func (f fields) get(name string) (at Span, ok bool) {
	for i := range f {
		if f[i].name == name {
			return f[i].value, true
		}
	}
	return Span{}, false
}

// object gives the members of the object at a place. Names that come twice are an
// error: who reads it may take either.
func object(raw []byte, at Span) (fields, error) {
	s := scanner{raw: raw[:at.To], at: at.From}
	list := make(fields, 0, 4) // as most blocks have at most
	s.members(false, func(name []byte) {
		f := field{name: unquote(name), whole: Span{From: s.name}}
		f.value = s.value(false)
		f.whole.To = s.at
		if _, twice := list.get(f.name); twice {
			s.fail(errTwice)
		}
		list = append(list, f)
	})
	return list, s.err
}

// array gives the places of the items of the array at a place.
func array(raw []byte, at Span) ([]Span, error) {
	s := scanner{raw: raw[:at.To], at: at.From}
	var list []Span
	s.items(func() { list = append(list, s.value(false)) })
	return list, s.err
}

// unquote gives the text of a string as it is written.
func unquote(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	if len(quoted) <= longestWord {
		if word, ok := words[string(quoted[1:len(quoted)-1])]; ok {
			return word
		}
	}
	if text, ok := unescape(quoted[1 : len(quoted)-1]); ok {
		return text
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // what is not UTF-8 is replaced
	return string(text)
}

// words are what most short strings of a long request are: each is there once, and not a
// thousand times.
var words = func() map[string]string {
	all := map[string]string{}
	for _, word := range []string{
		"", "arguments", "args", "assistant", "auto", "cache_control", "call_id", "content", "ephemeral", "function", "functionCall", "functionResponse",
		"function_call", "function_call_output", "id", "input", "input_text", "is_error", "message", "model", "name", "output", "output_text", "parts",
		"reasoning", "response", "role", "signature", "status", "summary", "text", "thinking", "tool", "tool_call_id", "tool_calls", "tool_result",
		"tool_use", "tool_use_id", "type", "user",
	} {
		all[word] = word
	}
	return all
}()

// longestWord is how long they are at most, quotes included.
const longestWord = 24

// escapes are those of one letter, by what they stand for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape gives the text between quotes where it is UTF-8 and has none but escapes of one
// letter: most of what a first request has to be read for are such texts.
func unescape(raw []byte) (text string, ok bool) {
	var b strings.Builder
	b.Grow(len(raw))
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			break
		}
		if i+1 == len(raw) || escapes[raw[i+1]] == 0 {
			return "", false
		}
		_, _ = b.Write(raw[:i]) // which never fails
		_ = b.WriteByte(escapes[raw[i+1]])
		raw = raw[i+2:]
	}
	_, _ = b.Write(raw)
	return b.String(), utf8.ValidString(b.String())
}

// quote writes a string.
func quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(make([]byte, 0, len(text)+len(text)/16+2), text)
	return quoted
}

func (at Span) of(raw []byte) []byte { return raw[at.From:at.To] }

// isText reports whether a string stands at a place.
func (at Span) isText(raw []byte) bool { return at.To > at.From && raw[at.From] == '"' }

// text gives the string at a place; empty for anything else.
func (at Span) text(raw []byte) string {
	if !at.isText(raw) {
		return ""
	}
	return unquote(at.of(raw))
}

// canonical gives the value at a place without spacing and without cache marks.
func canonical(raw []byte, at Span) string {
	s := scanner{raw: raw[:at.To], at: at.From, keep: true}
	s.value(true)
	return string(s.out)
}

// index finds a string as it is written, -1 where it is not: by its quote, of which a long
// text has few, as within one they are escaped, or at least rarer than any letter.
func index(raw []byte, quoted string) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(raw[at:], '"')
		if i < 0 {
			return -1
		}
		if at += i; len(raw)-at >= len(quoted) && string(raw[at:at+len(quoted)]) == quoted {
			return at
		}
	}
}

// Holds tells whether some member of a name stands in a range of a body with a string as its
// value, both without escapes. In a text the words would have their quotes escaped.
func (at Span) Holds(raw []byte, name, value string) bool {
	name, value = `"`+name+`"`, `"`+value+`"`
	s := scanner{raw: raw[:at.To], at: at.From}
	for {
		i := index(s.raw[s.at:], name)
		if i < 0 {
			return false
		}
		s.at += i + len(name)
		if s.peek() != ':' {
			continue
		}
		s.at++
		if s.space(); string(s.raw[s.at:min(s.at+len(value), at.To)]) == value {
			return true
		}
	}
}

// marks gives the places of the cache marks of the block at a place, and of the
// blocks in its content.
func marks(raw []byte, at Span) (list []patch) {
	if index(at.of(raw), `"cache_control"`) < 0 {
		return nil
	}
	f, err := object(raw, at)
	if err != nil {
		return nil
	}
	spans := make([]Span, len(f))
	for i := range f {
		spans[i] = f[i].whole
		if f[i].name != "content" || raw[f[i].value.From] != '[' {
			continue
		}
		items, _ := array(raw, f[i].value)
		for _, item := range items {
			if raw[item.From] == '{' {
				list = append(list, marks(raw, item)...)
			}
		}
	}
	return ordered(append(list, without(spans, func(i int) bool { return f[i].name == "cache_control" })...))
}
