package tenfold

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/shield"
)

// noArguments is what is left of arguments of which nothing stays.
const noArguments = "{}"

// What stays of the arguments of a stripped call (P5), in bytes of the values as
// a tool reads them; lists and objects by their JSON.
const (
	maxShort     = 120 // of a value
	maxPrimary   = 300 // of the first primary one
	maxArguments = 600 // of all of them
)

// Arguments says how much a strip leaves of a call's arguments. The zero value is
// the rule of P5: short values, and what the call is about.
type Arguments string

// The other ways.
const (
	// ArgumentsPrimary leaves what [ToolPolicy.Primary] names.
	ArgumentsPrimary Arguments = "primary"
	// ArgumentsNone leaves nothing: {}.
	ArgumentsNone Arguments = "none"
)

// AnyTool is the name under which [ToolPolicy.Primary] speaks of every tool, and
// EveryArgument stands there for all arguments of a tool.
const (
	AnyTool       = "*"
	EveryArgument = "*"
)

// primaryOf gives the names of the arguments that say what a call of the tool is
// about, the most telling first.
func (p *ToolPolicy) primaryOf(tool string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range [][]string{p.Primary[tool], p.Primary[AnyTool]} {
			for _, name := range list {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// reduceArguments gives what a strip leaves of a call's arguments: whole values,
// so that no mark stands in them, which a model would imitate in its own calls
// (P5). False where all of them stay.
func (p *ToolPolicy) reduceArguments(c ToolCall) (string, bool) {
	switch {
	case p.Arguments == ArgumentsNone:
		return noArguments, c.Arguments != noArguments
	case p.Arguments == "" && len(c.Arguments) <= maxShort:
		return c.Arguments, false
	}
	all, ok := members(c.Arguments)
	if !ok {
		return noArguments, true
	}
	keep := make([]bool, len(all))
	room, kept, most := maxArguments, 0, maxPrimary
	take := func(i, most int) {
		if size := all[i].size(c.Arguments, most); !keep[i] && size <= min(most, room) {
			keep[i], room, kept = true, room-size, kept+1
		}
	}
	for name := range p.primaryOf(c.Name) {
		for i := range all {
			switch {
			case name == EveryArgument:
				take(i, maxShort)
			case all[i].name == name:
				take(i, most)
				most = maxShort
			}
		}
	}
	if p.Arguments == "" || kept == 0 {
		for i := range all {
			take(i, maxShort)
			if p.Arguments == ArgumentsPrimary && kept > 0 {
				break // nothing says what calls of the tool are about
			}
		}
	}
	if kept == len(all) {
		return c.Arguments, false
	}
	out := []byte{'{'}
	for i, m := range all {
		if keep[i] {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, c.Arguments[m.at:m.colon]...), ':'), c.Arguments[m.lo:m.hi]...)
		}
	}
	return string(append(out, '}')), true
}

// member is a member of a JSON object, by where it stands in the text.
type member struct {
	name      string
	at, colon int // the name in its quotes
	lo, hi    int // the value
}

// size is how many bytes the value has for the tool; of one far larger than most,
// something larger.
func (m member) size(text string, most int) int {
	value := text[m.lo:m.hi]
	if value[0] != '"' {
		return len(value)
	}
	if len(value)-2 <= most || len(value) > 6*most+2 {
		return len(value) - 2
	}
	return len(unquoted(value))
}

// members gives the members of a JSON object in order; false for any other text.
func members(text string) (all []member, ok bool) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") || !jsontext.Value(text).IsValid(codecOptions) {
		return nil, false
	}
	const blanks = " \t\r\n:,"
	i := strings.IndexByte(text, '{') + 1
	for {
		for strings.IndexByte(blanks, text[i]) >= 0 {
			i++
		}
		if text[i] == '}' {
			return all, true
		}
		m := member{at: i, colon: endOfValue(text, i)}
		m.name = unquoted(text[m.at:m.colon])
		for i = m.colon; strings.IndexByte(blanks, text[i]) >= 0; {
			i++
		}
		m.lo, m.hi = i, endOfValue(text, i)
		all = append(all, m)
		i = m.hi
	}
}

// endOfValue is where the value ends that begins at i in valid JSON.
func endOfValue(text string, i int) int {
	switch text[i] {
	case '"':
		return endOfString(text, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch text[i] {
			case '"':
				i = endOfString(text, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	return i + strings.IndexAny(text[i:]+",", " \t\r\n,}]")
}

func endOfString(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// unquoted decodes a JSON string. An error tells of bytes that are no UTF-8,
// which are replaced.
func unquoted(quoted string) string {
	if bare := quoted[1 : len(quoted)-1]; strings.IndexByte(bare, '\\') < 0 && utf8.ValidString(bare) {
		return bare
	}
	decoded, _ := jsontext.AppendUnquote(nil, quoted)
	return string(decoded)
}

// Strings in arguments larger than maxValue bytes or of more than
// maxValueLines lines are bodies, of which lines can be chosen.
const (
	maxValue      = 200
	maxValueLines = 3
)

// An ArgumentText is a string in a call's arguments, decoded.
type ArgumentText struct {
	Text string
	// Name is the member whose value it is, or is inside of.
	Name string
	// Body is set on the strings that are larger than 200 bytes or have more
	// than three lines. A [CallPolicy]'s Body numbers the lines of all of them
	// through from 1; each begins a new line.
	Body bool
}

// ArgumentTexts gives the strings in a call's arguments, decoded, in document
// order; names of members are none. None where the arguments are not valid
// JSON.
func ArgumentTexts(arguments string) []ArgumentText {
	if !jsontext.Value(arguments).IsValid(codecOptions) {
		return nil
	}
	var out []ArgumentText
	name := ""
	for i := 0; i < len(arguments); i++ {
		if arguments[i] != '"' {
			continue
		}
		lo := i
		hi := endOfString(arguments, i)
		i = hi - 1
		text := unquoted(arguments[lo:hi])
		if strings.HasPrefix(strings.TrimLeft(arguments[hi:], " \t\r\n"), ":") {
			name = text
			continue
		}
		out = append(out, ArgumentText{Text: text, Name: name, Body: len(text) > maxValue || countLines(text) > maxValueLines})
	}
	return out
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// bodyLines gives the chosen lines of the bodies in a call's arguments, each body
// under the name of its argument. It stands with the result: what is left of the
// arguments is whole (P5). Bodies that stay in the arguments are left out.
func (p *ToolPolicy) bodyLines(c ToolCall, lines []LineRange) string {
	var b strings.Builder
	pick := chosen{lines: lines}
	left, reduced := p.reduceArguments(c)
	var stays []ArgumentText
	for _, body := range ArgumentTexts(c.Arguments) {
		if !body.Body {
			continue
		}
		text, kept := pick.cut(body.Text, true)
		if !kept || !reduced {
			continue
		}
		if stays == nil {
			stays = append(ArgumentTexts(left), ArgumentText{})
		}
		if slices.ContainsFunc(stays, func(s ArgumentText) bool { return s.Name == body.Name && s.Text == body.Text }) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		heading := strings.TrimSuffix(argumentMark+shield.Label(body.Name), " ") + "]" // one that is all there is has no name
		b.WriteString(headed(heading, text))
	}
	return b.String()
}
