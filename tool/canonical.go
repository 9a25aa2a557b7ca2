package tool

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
