package digest

import (
	"slices"
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
	longest := make([]*string, len(values))
	for i := range values {
		longest[i] = &values[i]
	}
	slices.SortStableFunc(longest, func(a, b *string) int { return len(*b) - len(*a) })
	for _, value := range longest {
		if left <= 0 || len(*value) < leastValue {
			break
		}
		was := len(*value)
		*value = shortValue(*value)
		left -= was - len(*value)
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
