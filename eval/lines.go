package eval

import (
	"io"
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
		renderCall(p, yield)
	case tenfold.UserMessage, tenfold.AssistantMessage, tenfold.ToolResult:
		eachLine(tenfold.SearchText(p), yield)
	case tenfold.ProviderItem:
		eachText(p.Data, func(text string) { eachLine(text, yield) })
	}
}

func renderCall(c tenfold.ToolCall, yield func(line string)) {
	opening := c.Name
	var bodies []string
	eachText(c.Arguments, func(text string) {
		if isBody(text) {
			bodies = append(bodies, text)
			return
		}
		opening += " " + strings.Join(strings.Fields(text), " ")
	})
	if opening != "" {
		yield(opening)
	}
	for _, body := range bodies {
		eachLine(body, yield)
	}
}

func isBody(text string) bool {
	return len(text) > bodyBytes || strings.Count(strings.TrimRight(text, "\n"), "\n") >= bodyLines
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

// eachText gives the texts in a JSON value, in their order. What is no JSON, a
// call cut off in the middle or one that is free in form, is one text.
func eachText(value string, yield func(text string)) {
	var texts []string
	dec := jsontext.NewDecoder(strings.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			yield(value)
			return
		}
		if tok.Kind() != '"' {
			continue
		}
		// In an object every other string is a name.
		if kind, n := dec.StackIndex(dec.StackDepth()); kind == '{' && n%2 == 1 {
			continue
		}
		texts = append(texts, tok.String())
	}
	for _, text := range texts {
		yield(text)
	}
}
