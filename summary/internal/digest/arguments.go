package digest

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// Of an argument that is shortened so many characters stay, of a list or an object none;
// one with fewer bytes than leastValue stays whole.
const (
	valueLength = 40
	leastValue  = 24
)

// shortArguments shortens the arguments of a call to so many bytes, the longest first, as far
// as that is possible: which account was paid from may stand behind a long list.
func shortArguments(arguments string, most int) string {
	left := len(arguments) - most
	if left <= 0 {
		return arguments
	}
	d := jsontext.NewDecoder(strings.NewReader(arguments))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return arguments
	}
	var names, values []string
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return arguments
		}
		names = append(names, string(name))
		value, err := d.ReadValue()
		if err != nil {
			return arguments
		}
		values = append(values, string(value))
	}
	short := map[int]bool{}
	for left > 0 {
		at := -1
		for i, v := range values {
			if !short[i] && len(v) >= leastValue && (at < 0 || len(v) > len(values[at])) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		was := values[at]
		short[at], values[at] = true, shortValue(was)
		left -= len(was) - len(values[at])
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + ":" + values[i])
	}
	return "{" + b.String() + "}"
}

func shortValue(value string) string {
	switch value[0] {
	case '[':
		return "[…]"
	case '{':
		return "{…}"
	case '"':
		return string(rawjson.Quote(clip(rawjson.Text(jsontext.Value(value)), valueLength)))
	}
	return value
}
