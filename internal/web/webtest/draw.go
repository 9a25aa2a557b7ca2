package webtest

import (
	"encoding/json"
	"math"
	"strings"
)

// A Draw takes choices from bytes, as a fuzzer gives them. When they are used up, all
// further choices are the first.
type Draw struct{ Bytes []byte }

// Int is at least 0 and less than n.
func (d *Draw) Int(n int) int {
	if len(d.Bytes) == 0 || n < 2 {
		return 0
	}
	b := int(d.Bytes[0])
	d.Bytes = d.Bytes[1:]
	if n > 256 {
		b = b<<8 | d.Int(256)
	}
	return b % n
}

// Text is a piece of the bytes themselves.
func (d *Draw) Text() string {
	n := min(d.Int(64), len(d.Bytes))
	text := string(d.Bytes[:n])
	d.Bytes = d.Bytes[n:]
	return text
}

// Of is one of some.
func Of[T any](d *Draw, all []T) T { return all[d.Int(len(all))] }

// odd are values that programs trip over.
var odd = []string{
	"", " ", "0", "-1", "1", "2", "last", "%", "%00", "\x00", "..", "../..", "/", "a/b", "\xff\xfe", "é", "\u202e", "'", `"`, "';--", "null", "[]", "{}", "true",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "NaN", "0x10", "1_000", "2d", "20k", "10%", "1970-01-01", "9999-12-31T23:59:59Z",
	strings.Repeat("a", 501), strings.Repeat("ä", 3000), "-1:0", "1-", "cmp_1", "job_1",
}

// numbers are where ranges end.
var numbers = []float64{0, 1, -1, 2, 1.5, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1e300}

// Chooser draws the values of requests. Known are values that mean something to the
// server, such as the ids of what it holds; the path names the first of them where
// nothing else is drawn.
func (d *Draw) Chooser(known []string) Chooser {
	return func(name string, s *Schema) (any, bool) {
		if name == "body" {
			switch d.Int(8) {
			case 6:
				return d.Text(), true
			case 7:
				return Of(d, odd), true
			}
			return nil, false
		}
		switch d.Int(9) {
		case 0, 1:
			if name == "id" {
				return known[0], true
			}
			return nil, false
		case 2, 3, 4:
			return d.shaped(Of(d, known), s), true
		case 5:
			return d.shaped(Of(d, odd), s), true
		case 6:
			if len(s.Enum) > 0 {
				return Of(d, s.Enum), true
			}
			return d.shaped(d.Text(), s), true
		case 7:
			return Of(d, numbers), true
		}
		return Of(d, []any{nil, true, "", []any{}, map[string]any{}, []any{nil}, []any{Of(d, known)}, map[string]any{"text": d.Text()}}), true
	}
}

// shaped gives a text the shape that a schema asks for.
func (d *Draw) shaped(text string, s *Schema) any {
	switch {
	case s.Is("array"):
		if s.Items != nil && s.Items.Is("object") {
			return []any{s.Items.fill("", d.Chooser([]string{text}), 1)}
		}
		return []any{text}
	case s.Is("object"):
		return s.fill("", d.Chooser([]string{text}), 0)
	case s.Is("integer"), s.Is("number"):
		var n json.Number
		if json.Unmarshal([]byte(text), &n) == nil && n != "" {
			return n
		}
		return d.Int(1 << 10)
	case s.Is("boolean"):
		return d.Int(2) == 1
	}
	return text
}
