package atom

import "testing"

// A run that is passed over holds no atom: all runs of up to six bytes, of one byte
// of each sort.
func TestBareRunsHoldNoAtom(t *testing.T) {
	const sorts = "axB_0-./~"
	passed := 0
	var grow func(run string)
	grow = func(text string) {
		if end, has := run(text, 0); end > 0 && has.bare(end) {
			passed++
			inRun(text, 0, end, has&hasSlash != 0, func(k Kind, at Span) bool {
				t.Errorf("%q has the %s %q", text, k, at.Of(text))
				return true
			})
		}
		for i := 0; len(text) < 6 && i < len(sorts); i++ {
			grow(text + sorts[i:i+1])
		}
	}
	grow("")
	if passed == 0 {
		t.Error("no run is passed over")
	}
}
