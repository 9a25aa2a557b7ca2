package eval

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
)

// textOf is what a model reads of a payload: the text of a message, a result or
// reasoning, the values in a call's arguments.
func textOf(p tenfold.Payload) string {
	switch p := p.(type) {
	case tenfold.ToolCall:
		return valuesOf(p.Arguments)
	case tenfold.ProviderItem:
		return valuesOf(p.Data)
	}
	return tenfold.SearchText(p)
}

// valuesOf joins the values in a JSON value, a line or more each.
func valuesOf(value string) string {
	var values []string
	eachValue(value, func(_, text string) { values = append(values, text) })
	return strings.Join(values, "\n")
}

// eachValue gives the texts, numbers and constants in a JSON value in order,
// with the name of the field where one is a field of an object. What is not
// JSON, a call cut off in the middle or one that is free in form, is one text.
func eachValue(value string, yield func(name, text string)) {
	var found [][2]string
	name := ""
	dec := jsontext.NewDecoder(strings.NewReader(value), rawjson.Lenient)
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			yield("", value)
			return
		}
		kind := tok.Kind()
		if kind == '{' || kind == '}' || kind == '[' || kind == ']' {
			continue
		}
		of := ""
		// In an object every other string is a name.
		if in, n := dec.StackIndex(dec.StackDepth()); in == '{' {
			if n%2 == 1 {
				name = tok.String()
				continue
			}
			of = name
		}
		found = append(found, [2]string{of, tok.String()})
	}
	for _, one := range found {
		yield(one[0], one[1])
	}
}

// plain is a text as edits are compared: without the line numbers that file
// reads print, and without blanks at the ends of lines.
func plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i <= len(text); {
		i += gutter(text[i:])
		end := strings.IndexByte(text[i:], '\n')
		if end < 0 {
			b.WriteString(strings.TrimRightFunc(text[i:], unicode.IsSpace))
			break
		}
		b.WriteString(strings.TrimRightFunc(text[i:i+end], unicode.IsSpace))
		b.WriteByte('\n')
		i += end + 1
	}
	return b.String()
}

// gutter is how long the line number is that begins a text, with the blanks,
// blank lines among them, before it; 0 for none.
func gutter(s string) int {
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	bare := strings.TrimLeftFunc(rest, unicode.IsDigit)
	if len(bare) == len(rest) {
		return 0
	}
	for _, mark := range []string{"→", "\t", ": ", "| ", "|", "│ ", "│"} {
		if after, ok := strings.CutPrefix(bare, mark); ok {
			return len(s) - len(after)
		}
	}
	return 0
}
