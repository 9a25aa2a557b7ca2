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
	} {
		if got := shield.Marks(text, '[', "turn #"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
