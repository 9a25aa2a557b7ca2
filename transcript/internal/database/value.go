package database

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// AsText reads a value as a text, with its bad bytes replaced.
func AsText(v any) string {
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

// AsJSON writes a value of a row as JSON.
func AsJSON(v any) []byte {
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
		return QuoteJSON(string(v))
	case string:
		return QuoteJSON(v)
	case time.Time:
		return QuoteJSON(v.UTC().Format(time.RFC3339Nano))
	}
	return []byte("null")
}

func QuoteJSON(text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return []byte(`""`)
	}
	return quoted
}

// RowObject writes members of a JSON object.
type RowObject struct{ Raw []byte }

func (o *RowObject) Add(name string, value []byte) {
	if len(o.Raw) == 0 {
		o.Raw = append(o.Raw, '{')
	} else {
		o.Raw = append(o.Raw, ',')
	}
	o.Raw = append(append(append(o.Raw, QuoteJSON(name)...), ':'), value...)
}

func (o *RowObject) Done() []byte {
	if len(o.Raw) == 0 {
		return []byte("{}")
	}
	return append(o.Raw, '}')
}

// Embedded gives the JSON that a value holds as a text, on one line; nil when
// it holds none of the kind.
func Embedded(v any, kind jsontext.Kind) []byte {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	}
	value := jsontext.Value(bytes.TrimSpace(text))
	if len(value) == 0 || (kind != 0 && value.Kind() != kind) || !utf8.Valid(value) || !value.IsValid(walk.ScanOptions...) {
		return nil
	}
	return walk.AppendCompact(nil, value)
}
