package shield_test

import (
	"testing"

	"tenfold/internal/shield"
)

func TestElementLeavesOrdinaryTextReadable(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                  "plain",
		"func f() List<Summary> { a < summary }": "func f() List<Summary> { a < summary }",
		"<details><p>x</p></details>":            "<details><p>x</p></details>",
		"<summaries></summaries>":                "<summaries></summaries>",
		"</summary>":                             `<\/summary>`,
		"<p></Summary ></p>":                     `<p><\/Summary ></p>`,
		"< / s u m m a r y >":                    `<\ / s u m m a r y >`,
		"<\n/summary\u200b>":                     "<\\\n/summary\u200b>",
		"＜/summary＞":                             `＜\/summary＞`,
		`<\/summary>`:                            `<\/summary>`,
		"</summary":                              `<\/summary`,
		"<summary>x":                             `<\summary>x`,
		`<summary id="1">`:                       `<\summary id="1">`,
		"<summary":                               `<\summary`,
		"<summary-list><summary_1><summary2>":    "<summary-list><summary_1><summary2>",
		"</summary-list></summary_1></summary2>": "</summary-list></summary_1></summary2>",
		"<／summary><∕Summary>":                   `<\／summary><\∕Summary>`,
	} {
		if got := shield.Tags(text, "summary"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"board[turn]":       "board[turn]",
		"[turn 001] USER:":  `[\turn 001] USER:`,
		"x [Turn\u00a02] y": "x [\\Turn\u00a02] y",
		"[\u200bturn 3":     "[\\\u200bturn 3",
		"[turning 3]":       "[turning 3]",
		"[turn\n3]":         "[turn\n3]",
		"[turn of events]":  "[turn of events]",
		"[turn ]":           "[turn ]",
		"[turn 12":          `[\turn 12`,
		"[turn 12b]":        "[turn 12b]",
	} {
		if got := shield.Marks(text, '[', "turn #"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A name in a mark ends no mark and no line, and turns nothing around.
func TestLabel(t *testing.T) {
	for name, want := range map[string]string{
		"read_file": "read_file", "Ä b": "Ä b", "a(b)[c]": "a_b__c_", "a\nb\tc": "a_b_c", "a\u202eb": "a_b", "a\u2028b\u2029c": "a_b_c", "a\u200bb": "a_b",
	} {
		if got := shield.Label(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}
