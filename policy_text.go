package tenfold

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MarksShort marks each gap in a trimmed text with "…", at the end of the line before it. One
// that the text begins with stands at the start of its first line, or on a line of its own
// before four lines in a row or more. A recall reference stands once, after the last line.
const MarksShort = "short"

// TextPolicy is the policy for what was said: messages of the assistant and
// of the user. Like a selective tool policy it goes entry by entry.
type TextPolicy struct {
	// Action is Selective.
	Action Action `json:"policy"`
	// Recall gives a reference the model can ask back (A9).
	Recall bool `json:"recall,omitzero"`
	// Rest is what happens to messages of the range that Entries does not
	// name: Omit or Keep. Empty leaves them to older overlays; otherwise the
	// overlay applies to its whole range. It omits no message that a person
	// typed, unless Requests is set.
	Rest Action `json:"rest,omitzero"`
	// Requests has Rest omit what a person typed as well: an overlay then names
	// the messages that stay, and not each of those that go.
	Requests bool `json:"requests,omitzero"`
	// Marks is the form of what is said of lines that are gone: "" counts
	// them, [MarksShort] puts "…" for each gap.
	Marks string `json:"marks,omitzero"`
	// Entries are the policies by seq. They speak of messages inside the
	// range alone.
	Entries map[int64]TextTrim `json:"entries,omitzero"`
}

// TextTrim is what a [TextPolicy] does to one message.
type TextTrim struct {
	// Action is Keep, Trim or Omit. Omit hides a message, and so does a Trim of
	// which no line is left, unless a person typed it: that stays verbatim.
	Action Action `json:"policy"`
	// Lines are the lines Trim keeps, in order: lines of the text that
	// [TextLines] gives. Files and attachments stay.
	Lines []LineRange `json:"lines,omitzero"`
	// Folded counts omitted calls beside this message.
	Folded *Folded `json:"folded,omitzero"`
}

// Folded says that so many calls are omitted in one place; the model reads it
// as a line of its own: "[14 earlier calls not shown: Read a.go, b.go; Bash make]".
type Folded struct {
	// Calls is how many there were; none says nothing.
	Calls int `json:"calls"`
	// From and To are the seqs of the first and the last folded entry. The
	// calls among them that the overlay does not keep are named, and with recall
	// on they are its reference (A9); without From there is neither.
	From int64 `json:"from,omitzero"`
	To   int64 `json:"to,omitzero"`
	// After puts the line last instead of first.
	After bool `json:"after,omitzero"`
	// Next is another such line beside the same call or message, as where
	// calls before and after it are folded; nil for none.
	Next *Folded `json:"next,omitzero"`
}

// LineRange is lines First to Last of a text, counted from 1, both inclusive;
// in JSON the array [first, last].
//
// With a To it is a fragment of the one line First, which Last repeats: bytes
// From up to To of it, the line's end left out, widened to whole characters
// and clamped to the line. A fragment is widened to whole sentences, or to whole
// words and then shown between "…" (P5b). In JSON it is [line, line, from, to].
type LineRange struct{ First, Last, From, To int }

// part reports whether the range is a fragment of a line.
func (r LineRange) part() bool { return r.From != 0 || r.To != 0 }

// void reports whether the range is a fragment of nothing.
func (r LineRange) void() bool {
	return r.part() && (r.First != r.Last || r.From < 0 || r.From >= r.To)
}

// MarshalJSONTo implements json.MarshalerTo.
func (r LineRange) MarshalJSONTo(enc *jsontext.Encoder) error {
	numbers := []int{r.First, r.Last, r.From, r.To}
	if !r.part() {
		numbers = numbers[:2]
	}
	err := enc.WriteToken(jsontext.BeginArray)
	for _, n := range numbers {
		err = cmp.Or(err, enc.WriteToken(jsontext.Int(int64(n))))
	}
	return cmp.Or(err, enc.WriteToken(jsontext.EndArray))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (r *LineRange) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	n := make([]int, 0, 4)
	switch raw.Kind() {
	case 'n':
		*r = LineRange{}
		return nil
	case '[':
		for number := range bytes.SplitSeq(raw[1:len(raw)-1], []byte(",")) {
			i, err := strconv.Atoi(string(bytes.TrimSpace(number)))
			if err != nil {
				return fmt.Errorf("a range of lines has %.40q among its numbers", number)
			}
			n = append(n, i)
		}
	}
	switch len(n) {
	case 2:
		*r = LineRange{First: n[0], Last: n[1]}
	case 4:
		*r = LineRange{First: n[0], Last: n[1], From: n[2], To: n[3]}
	default:
		return fmt.Errorf("a range of lines has %d numbers: it is [first, last] or [line, line, from, to]", len(n))
	}
	return nil
}

// lineRanges are written and read in one go: an overlay holds thousands.
type lineRanges []LineRange

// MarshalJSONTo implements json.MarshalerTo.
func (list lineRanges) MarshalJSONTo(enc *jsontext.Encoder) error {
	raw := append(enc.AvailableBuffer(), '[')
	for i, r := range list {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = strconv.AppendInt(append(raw, '['), int64(r.First), 10)
		raw = strconv.AppendInt(append(raw, ','), int64(r.Last), 10)
		if r.part() {
			raw = strconv.AppendInt(append(raw, ','), int64(r.From), 10)
			raw = strconv.AppendInt(append(raw, ','), int64(r.To), 10)
		}
		raw = append(raw, ']')
	}
	return enc.WriteValue(append(raw, ']'))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (list *lineRanges) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if read, ok := plainRanges(raw); ok {
		*list = read
		return nil
	}
	return json.Unmarshal(raw, (*[]LineRange)(list), codecOptions)
}

// plainRanges reads ranges that are written as we do; false for any others.
func plainRanges(raw []byte) (list []LineRange, ok bool) {
	list = make([]LineRange, 0, bytes.Count(raw, []byte("],["))+1)
	for at := 1; at < len(raw) && raw[at] == '['; at++ {
		var n [4]int
		i := 0
		for ; i < len(n) && raw[at] != ']'; i++ {
			digits := at + 1
			for at = digits; at < len(raw) && '0' <= raw[at] && raw[at] <= '9'; at++ {
				n[i] = 10*n[i] + int(raw[at]-'0')
			}
			if at == digits || at-digits > 9 || at == len(raw) || raw[at] != ',' && raw[at] != ']' {
				return nil, false
			}
		}
		if raw[at] != ']' || i != 2 && i != 4 {
			return nil, false
		}
		list = append(list, LineRange{n[0], n[1], n[2], n[3]})
		if at++; raw[at] == ']' {
			return list, at == len(raw)-1
		}
	}
	return list, string(raw) == "[]"
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *TextPolicy) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	in, err := readPolicy(dec, func(Action) (plainTexts, bool) { return plainTexts{}, false })
	if err != nil {
		return err
	}
	*p = TextPolicy(in)
	return cmp.Or(
		oneOf("policy for texts", in.Action, Selective),
		oneOf("policy for the rest of texts", in.Rest, "", Omit, Keep),
		oneOf("marks", in.Marks, "", MarksShort),
	)
}

// textJSON is the object form of a [TextTrim].
type textJSON struct {
	Policy Action     `json:"policy"`
	Lines  lineRanges `json:"lines,omitzero"`
	Folded *Folded    `json:"folded,omitzero"`
}

// MarshalJSONTo implements json.MarshalerTo.
func (t TextTrim) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, &textJSON{t.Action, t.Lines, t.Folded})
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (t *TextTrim) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	in, err := readPolicy(dec, func(a Action) (textJSON, bool) { return textJSON{Policy: a}, isShort(a) })
	if err != nil {
		return err
	}
	*t = TextTrim{Action: in.Policy, Lines: in.Lines, Folded: in.Folded}
	return oneOf("policy for a text", in.Policy, Keep, Trim, Omit)
}
