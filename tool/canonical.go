package tool

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/set"
)

// Canonical is a form of a call's arguments that is equal for two calls exactly
// where their JSON is: whatever the order of members, white space, escapes and
// the spelling of numbers (S-3). Numbers are compared as decimals, not as
// floats: 9007199254740993 and …992 are two. What is not a valid JSON equals only
// itself, byte for byte; no arguments are an empty object.
func Canonical(arguments string) string {
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	d := jsontext.NewDecoder(strings.NewReader(arguments))
	out, err := appendCanonical(make([]byte, 0, len(arguments)), d)
	if err == nil {
		_, err = d.ReadToken()
	}
	if !errors.Is(err, io.EOF) {
		return "!" + arguments // no JSON value begins so
	}
	return string(out)
}

// Amends reports whether a call's arguments are those of another with one of them, of three or
// more, put right: all others are equal. Another id, name or path is of another thing, which
// puts nothing right.
func Amends(was, is string) bool {
	var a, b map[string]jsontext.Value
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil || max(len(a), len(b)) < 3 {
		return false
	}
	equal, names := 0, len(b)
	for name, value := range a {
		other, there := b[name]
		switch {
		case !there:
			names++
		case Canonical(string(value)) == Canonical(string(other)):
			equal++
		case identifies(name):
			return false
		}
	}
	return equal == names-1
}

// identifies reports whether an argument says by its name which thing or things a call is about,
// or whom it is for.
func identifies(name string) bool {
	last := strings.ToLower(lastWord.FindString(strings.TrimRight(name, "0123456789")))
	return identifying[strings.TrimSuffix(last, "s")]
}

var (
	lastWord    = regexp.MustCompile(`(?:[A-Z]?[a-z]+|[A-Z]+s?)$`)
	identifying = set.Words("id number key path url uri name file filename to recipient email user username channel")
)

type member struct{ name, value []byte }

func appendCanonical(out []byte, d *jsontext.Decoder) ([]byte, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '"':
		return jsontext.AppendQuote(out, t.String())
	case '0':
		return appendNumber(out, t.String()), nil
	case '[':
		out = append(out, '[')
		for d.PeekKind() != ']' {
			if out, err = appendCanonical(out, d); err != nil {
				return nil, err
			}
			out = append(out, ',')
		}
		_, err = d.ReadToken()
		return append(out, ']'), err
	case '{':
		var members []member
		for d.PeekKind() != '}' {
			var m member
			if m.name, err = appendCanonical(nil, d); err != nil {
				return nil, err
			}
			if m.value, err = appendCanonical(nil, d); err != nil {
				return nil, err
			}
			members = append(members, m)
		}
		if _, err = d.ReadToken(); err != nil {
			return nil, err
		}
		slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
		out = append(out, '{')
		for _, m := range members {
			out = append(append(append(append(out, m.name...), ':'), m.value...), ',')
		}
		return append(out, '}'), nil
	default:
		return append(out, t.String()...), nil
	}
}

// appendNumber writes a number as its significant digits and a power of ten.
func appendNumber(out []byte, text string) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power := 0
	if exponent != "" {
		var err error
		if power, err = strconv.Atoi(exponent); err != nil || power > 1<<30 || power < -1<<30 {
			return append(out, text...) // beyond all use: as it is written
		}
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	power += len(digits) - len(trimmed)
	if trimmed == "" {
		return append(out, '0')
	}
	if negative {
		out = append(out, '-')
	}
	return strconv.AppendInt(append(append(out, trimmed...), 'e'), int64(power), 10)
}
