package eval

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/atom"
)

// What makes a text of a call's arguments a body, with lines of its own.
const (
	bodyBytes = 200
	bodyLines = 3
)

// render gives the lines of what a model sees of an entry, trimmed of white
// space; none of reasoning.
func render(p tenfold.Payload, yield func(line string)) {
	switch p := p.(type) {
	case tenfold.ToolCall:
		renderCall(p, bodiesOf(p), yield)
	case tenfold.UserMessage, tenfold.AssistantMessage, tenfold.ToolResult:
		eachLine(tenfold.SearchText(p), yield)
	case tenfold.ProviderItem:
		eachText(p.Data, func(_ jsontext.Pointer, text string) { eachLine(text, yield) })
	}
}

// renderCall gives the lines of a call whose bodies stand at the given places.
func renderCall(c tenfold.ToolCall, bodies []jsontext.Pointer, yield func(line string)) {
	opening := c.Name
	var below []string
	eachText(c.Arguments, func(at jsontext.Pointer, text string) {
		if slices.Contains(bodies, at) {
			below = append(below, text)
			return
		}
		opening += " " + strings.Join(strings.Fields(text), " ")
	})
	if opening != "" {
		yield(opening)
	}
	for _, body := range below {
		eachLine(body, yield)
	}
}

// bodiesOf tells where a call's bodies stand. In a view they are where they
// are in the raw call, however little is left of them.
func bodiesOf(c tenfold.ToolCall) []jsontext.Pointer {
	var found []jsontext.Pointer
	eachText(c.Arguments, func(at jsontext.Pointer, text string) {
		if len(text) > bodyBytes || strings.Count(strings.TrimRight(text, "\n"), "\n") >= bodyLines {
			found = append(found, at)
		}
	})
	return found
}

// eachLine gives the lines that say anything, without escapes and the numbers
// that file reads print.
func eachLine(text string, yield func(line string)) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(atom.Clean(line)); line != "" && strings.ContainsFunc(line, isWord) {
			yield(line)
		}
	}
}

// eachText gives the texts in a JSON value, in their order, with their places.
// What is no JSON, a call cut off in the middle or one that is free in form, is
// one text.
func eachText(value string, yield func(at jsontext.Pointer, text string)) {
	type place struct {
		at   jsontext.Pointer
		text string
	}
	var texts []place
	dec := jsontext.NewDecoder(strings.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			yield("", value)
			return
		}
		if tok.Kind() != '"' {
			continue
		}
		// In an object every other string is a name.
		if kind, n := dec.StackIndex(dec.StackDepth()); kind == '{' && n%2 == 1 {
			continue
		}
		texts = append(texts, place{dec.StackPointer(), tok.String()})
	}
	for _, one := range texts {
		yield(one.at, one.text)
	}
}
