package tool

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
)

// ArgumentsText writes the members of a call's arguments as NAME: VALUE, with the
// line breaks of texts, so that a file that was written reads as it was. What is not
// an object with members stays as it is.
func ArgumentsText(arguments string) string {
	dec := jsontext.NewDecoder(strings.NewReader(arguments), rawjson.Lenient)
	var b strings.Builder
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return arguments
	}
	for dec.PeekKind() == '"' {
		name, _ := dec.ReadToken()
		text := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return arguments
		}
		shown := string(value)
		if value.Kind() == '"' {
			unquoted, err := jsontext.AppendUnquote(nil, value)
			if err != nil {
				return arguments
			}
			shown = string(unquoted)
		}
		if strings.Contains(shown, "\n") {
			shown = "\n" + strings.TrimSuffix(shown, "\n")
		} else {
			shown = " " + shown
		}
		b.WriteString(text + ":" + shown + "\n")
	}
	if _, err := dec.ReadToken(); err != nil || b.Len() == 0 {
		return arguments
	}
	return b.String()
}

// ResultText joins the texts of what a tool gave, a line or more each.
func ResultText(parts []tenfold.Part) string {
	if len(parts) == 1 {
		return parts[0].Text
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
