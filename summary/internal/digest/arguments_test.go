package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/summary/internal/digest"
)

// M4a: of a call with long arguments each short one is told: what pays stands behind what is
// booked. What is no object is cut at its end.
func TestM4aShortArgumentsStandBehindLongOnes(t *testing.T) {
	loaves := strings.Repeat(`{"loaf":"rye","day":"2024-05-27"},`, 9)
	notes := ""
	for i := range 8 {
		notes += fmt.Sprintf(`,"note%d":"%s"`, i, strings.Repeat("warm ", 12))
	}
	for arguments, want := range map[string]string{
		`{"id":"OBUT9V","loaves":[` + loaves + `{}],"pay":"card_7"}`:                             "`book_bread {\"id\":\"OBUT9V\",\"loaves\":[…],\"pay\":\"card_7\"}`: failed",
		`{"to":{"all":[` + loaves + `{}]},"note":"` + strings.Repeat("warm ", 50) + `","pay":7}`: "`book_bread {\"to\":{…},\"note\":\"warm warm warm warm warm warm warm warm…\",\"pay\":7}`: failed",
		`{"id":"a", "pay":"card_7"}`: "`book_bread {\"id\":\"a\", \"pay\":\"card_7\"}`: failed",
		`{"loaves":[` + loaves + `{}],"note":"` + strings.Repeat("warm ", 12) + `"}`:            "\"loaves\":[…],\"note\":\"" + strings.Repeat("warm ", 12) + "\"}`: failed",
		`{"id":"` + strings.Repeat("7", 23) + `","note":"` + strings.Repeat("warm ", 30) + `"}`: "warm warm…\"}`: failed",
		`{"to":{"a":1}` + notes + `}`:      "{\"to\":{\"a\":1},\"note0\":\"warm",
		`[` + loaves + `{}]`:               "{\"loaf\":\"rye\",\"day…`: failed",
		`{"loaves":[` + loaves + `{}],"pa`: "`book_bread {\"loaves\":[{\"loaf\":\"rye\"",
	} {
		text := digested(t, digest.Digest{Tokens: 2000}, requestOfLines(t, "t", "u book it", "c 1 book_bread "+arguments, "e 1 no flour", "a I see."))
		if !strings.Contains(text, want) {
			t.Errorf("%s: not told as %s:\n%s", arguments[:20], want, text)
		}
	}
}
