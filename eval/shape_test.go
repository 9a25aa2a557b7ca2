package eval

import "testing"

// A line may carry the name of the argument that it is from, and is a line all the same;
// a heading on a line of its own is a mark.
func TestF7AHeadingInALineIsNoMark(t *testing.T) {
	for line, want := range map[string]string{
		"[argument new] … open_file()": "… open_file()", "[argument] open_file()": "open_file()",
		"[argument new]": "[argument new]", "[argument new] …": "[argument new] …", "argument new] x": "argument new] x", "x[0] y": "x[0] y",
	} {
		if got := headless(line); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}
