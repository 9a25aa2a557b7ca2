package transcript

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// asText reads a value as a text, with its bad bytes replaced.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	case []byte:
		return strings.ToValidUTF8(string(v), "\uFFFD")
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// asJSON writes a value of a row as JSON.
func asJSON(v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case float64:
		if v-v != 0 { // infinite
			return []byte("null")
		}
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(nil, v)
	case []byte:
		if !utf8.Valid(v) {
			return []byte(`{"base64":"` + base64.StdEncoding.EncodeToString(v) + `"}`)
		}
		return quoteJSON(string(v))
	case string:
		return quoteJSON(v)
	case time.Time:
		return quoteJSON(v.UTC().Format(time.RFC3339Nano))
	}
	return []byte("null")
}

func quoteJSON(text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return []byte(`""`)
	}
	return quoted
}

// rowObject writes members of a JSON object.
type rowObject struct{ raw []byte }

func (o *rowObject) add(name string, value []byte) {
	if len(o.raw) == 0 {
		o.raw = append(o.raw, '{')
	} else {
		o.raw = append(o.raw, ',')
	}
	o.raw = append(append(append(o.raw, quoteJSON(name)...), ':'), value...)
}

func (o *rowObject) done() []byte {
	if len(o.raw) == 0 {
		return []byte("{}")
	}
	return append(o.raw, '}')
}

// embedded gives the JSON that a value holds as a text, on one line; nil when
// it holds none of the kind.
func embedded(v any, kind jsontext.Kind) []byte {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	}
	value := jsontext.Value(bytes.TrimSpace(text))
	if len(value) == 0 || (kind != 0 && value.Kind() != kind) || !utf8.Valid(value) || !value.IsValid(scanOptions...) {
		return nil
	}
	return appendCompact(nil, value)
}
