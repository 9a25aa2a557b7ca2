package tenfold_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
)

// The JSON of the shapes that keep chosen lines, byte for byte.
func TestExcerptsInJSON(t *testing.T) {
	for text, want := range map[string]tenfold.Compaction{
		`"tool_calls":{"policy":"selective","recall":true,"calls":{"c":{"policy":"trim","lines":[[1,3],[7,7,10,20]],"body":[[2,2]],"result":"strip",` +
			`"folded":{"calls":14,"from":12,"to":40}}},"rest":"omit","marks":"short"}`: {ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Recall: true,
			Calls: map[string]tenfold.CallPolicy{"c": {
				Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 1, Last: 3}, fragment(7, 10, 20)}, Body: lines(2, 2),
				Result: tenfold.Strip, Folded: &tenfold.Folded{Calls: 14, From: 12, To: 40},
			}},
		}},
		`"tool_calls":{"policy":"selective","calls":{"c":{"policy":"trim","body":[]},"d":{"policy":"keep","folded":{"calls":1,"after":true}}}}`: {
			ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{
				"c": {Action: tenfold.Trim, Body: []tenfold.LineRange{}}, "d": {Action: tenfold.Keep, Folded: &tenfold.Folded{Calls: 1, After: true}},
			}},
		},
		`"texts":{"policy":"selective","rest":"omit","marks":"short","entries":{"12":{"policy":"trim","lines":[[1,3]]},"15":{"policy":"omit"}}}`: {
			Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Rest: tenfold.Omit, Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{
				12: {Action: tenfold.Trim, Lines: lines(1, 3)}, 15: {Action: tenfold.Omit},
			}},
		},
	} {
		text = `{"id":"o","kind":"compaction","from_turn":0,"to_turn":0,` + text + `}`
		e, err := tenfold.ParseEntry([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		same(t, text, e.Payload, tenfold.Payload(want))
		out, err := tenfold.AppendEntry(nil, e)
		if err != nil || len(out) != len(text) {
			t.Errorf("%s\nis written as\n%s, %v", text, out, err)
		}
		again, err := tenfold.ParseEntry(out)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "read again", again.Payload, e.Payload)
	}
}

func TestExcerptsInJSONShortAndOld(t *testing.T) {
	e, err := tenfold.ParseEntry([]byte(`{"id":"o","kind":"compaction","texts":{"policy":"selective","entries":{"3":"omit"}},` +
		`"tool_calls":{"policy":"selective","calls":{"c":{"policy":"trim","lines":[[1,3]]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "short", e.Payload.(tenfold.Compaction).Texts.Entries, map[int64]tenfold.TextTrim{3: {Action: tenfold.Omit}})
	if c := e.Payload.(tenfold.Compaction).ToolCalls.Calls["c"]; c.Body != nil {
		t.Errorf("no body became %v", c.Body)
	}
}

func TestExcerptsInJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		`"texts":"omit"`:                                                                       "unknown policy",
		`"texts":{"policy":"omit"}`:                                                            `policy for texts "omit": it is selective`,
		`"texts":{"policy":"selective","rest":"strip"}`:                                        `for the rest of texts "strip": it is omit or keep`,
		`"texts":{"policy":"selective","entries":{"x":"omit"}}`:                                "entry o",
		`"texts":{"policy":"selective","entries":{"3":"strip"}}`:                               `for a text "strip": it is keep, trim or omit`,
		`"tool_calls":{"policy":"selective","rest":"trim"}`:                                    "it is omit, strip or keep",
		`"tool_calls":{"policy":"selective","calls":{"c":{"policy":"trim","result":"omit"}}}`:  "it is strip or keep",
		`"tool_calls":{"policy":"selective","calls":{"c":{"policy":"trim","lines":[[1]]}}}`:    "it is [first, last]",
		`"tool_calls":{"policy":"selective","calls":{"c":{"policy":"trim","body":[[1,1,2]]}}}`: "it is [first, last]",
	} {
		_, err := tenfold.ParseEntry([]byte(`{"id":"o","kind":"compaction",` + text + `}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want one with %q", text, err, want)
		}
	}
}

// Ranges that are not written as we write them are read all the same.
func TestRangesInJSONAsOthersWriteThem(t *testing.T) {
	for text, want := range map[string][]tenfold.LineRange{
		`null`:                         nil,
		`[]`:                           {},
		`[ ]`:                          {},
		`[[1,3]]`:                      lines(1, 3),
		`[ [1, 3] ,[7,7,10,20]]`:       {{First: 1, Last: 3}, fragment(7, 10, 20)},
		`[[1,3],[7,7,10,20],[8,9]]`:    {{First: 1, Last: 3}, fragment(7, 10, 20), {First: 8, Last: 9}},
		`[null,[1,3]]`:                 {{}, {First: 1, Last: 3}},
		`[[-1,3]]`:                     lines(-1, 3),
		`[[1,3,0,0]]`:                  lines(1, 3),
		`[[1,1234567890]]`:             lines(1, 1234567890),
		"[[1,3]\n]":                    lines(1, 3),
		`[[1,2,3]]`:                    nil,
		`[[1,2,3,4,5]]`:                nil,
		`[[]]`:                         nil,
		`[1]`:                          nil,
		`[[1,"3"]]`:                    nil,
		`[[1,3],[2]]`:                  nil,
		`[[1,99999999999999999999]]`:   nil,
		`[[1,3.5]]`:                    nil,
		`"[[1,3]]"`:                    nil,
		`{"1":3}`:                      nil,
		`[[1,3],[[4,5]]]`:              nil,
		`[[[1,3]]]`:                    nil,
		`[{"first":1,"last":3},[1,2]]`: nil,
	} {
		p, err := tenfold.UnmarshalPayload(tenfold.KindCompaction, []byte(`{"tool_calls":{"policy":"selective","calls":{"c":{"policy":"trim","lines":`+text+`}}}}`))
		if want == nil && text != "null" {
			if err == nil {
				t.Errorf("%s is read as %v", text, p)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		same(t, text, p.(tenfold.Compaction).ToolCalls.Calls["c"].Lines, want)
	}
}

// Writing and reading an overlay does no more for lines than for calls: there are
// many of them for each.
func TestRangesInJSONCostLittle(t *testing.T) {
	cost := func(ranges int) float64 {
		calls := map[string]tenfold.CallPolicy{}
		for i := range 50 {
			c := tenfold.CallPolicy{Action: tenfold.Trim}
			for j := range ranges {
				c.Lines = append(c.Lines, tenfold.LineRange{First: 9 * j, Last: 9*j + 2})
			}
			calls[fmt.Sprint("c", i)] = c
		}
		return testing.AllocsPerRun(5, func() {
			raw, err := tenfold.MarshalPayload(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: calls}})
			if err == nil {
				_, err = tenfold.UnmarshalPayload(tenfold.KindCompaction, raw)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := cost(1), cost(40); many > few+200 {
		t.Errorf("50 calls of 40 ranges each take %v allocations, of one each %v", many, few)
	}
}
