package atom_test

import (
	"testing"

	"tenfold/atom"
)

// The number that a search printed before a line is none of its text, in the forms of Gemini
// CLI and opencode too.
func TestGutterOfSearches(t *testing.T) {
	for line, want := range map[string]string{
		"L280: \theat()": "\theat()", "L19-   rack,": "  rack,", "  Line 30: \theat()": "\theat()", "280:heat()": "heat()", "7- heat": " heat",
		"L280 heats": "L280 heats", "L: heat": "L: heat", "L3:4": "L3:4", "Line 30: heat": "Line 30: heat", "  Line thirty: heat": "  Line thirty: heat",
	} {
		if got := line[atom.Gutter(line):]; got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
