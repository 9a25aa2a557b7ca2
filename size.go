package tenfold

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/problem"
)

// Size is a number of bytes of decoded content (P6). As text it takes binary
// units: "800", "2KB", "1MB".
type Size int64

var sizeUnits = []struct {
	name  string
	bytes Size
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}}

// ParseSize reads a size such as "800", "2KB" or "1.5 MB".
func ParseSize(text string) (Size, error) {
	s := strings.ToUpper(strings.TrimSpace(text))
	unit := Size(1)
	for _, u := range sizeUnits {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = strings.TrimSpace(number), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0 && n*float64(unit) <= 1<<53) { // not so for NaN
		return 0, &problem.Error{Problem: "invalid size " + strconv.Quote(text), Hint: "write bytes, as in 800, 2KB or 1MB"}
	}
	return Size(n * float64(unit)), nil
}

// String gives the shortest exact form.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if u.bytes > 1 && s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalJSONTo implements json.MarshalerTo.
func (s Size) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.String(s.String()))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom: text, or a number of bytes.
func (s *Size) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*s, err = ParseSize(tok.String())
	return err
}
