package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// S-15: fit after other strategies of a plan chooses from what they leave.
func TestS15FitChoosesFromWhatEarlierStrategiesLeave(t *testing.T) {
	lines := work(12, 60)
	for i := range 3 { // a read again and again
		lines = append(lines, fmt.Sprintf(`c read%d Read {"file_path":"src/same.go"}`, i), fmt.Sprintf("r read%d %s", i, strings.Repeat("func same_name() of the file\n", 40)))
	}
	lines = append(lines, "t", "u and now", "c end Bash {}", "r end fine", "a done")
	l := script(t, lines...)
	raw := tenfold.Project(l)
	for _, first := range []string{"strip-tools", "strip-tools:request=true", "trim-results:over=100,head=200,tail=200", "dedup-tools", "micro:keep_recent=2", "fit:target=40%"} {
		all := everything(l)
		o := strategy.Options{Range: all, Reach: &all}
		left := payloads(plan(t, raw, o, first).View())
		view := plan(t, raw, o, first, "fit:target=3%").View()
		if view.Tokens() >= raw.Tokens()/20 || view.Tokens() < 200 {
			t.Errorf("%s: the view has %d of %d tokens", first, view.Tokens(), raw.Tokens())
		}
		for seq, p := range payloads(view) {
			r, ok := p.(tenfold.ToolResult)
			if fate, _, _ := view.Fate(seq); !ok || fate == tenfold.Stripped {
				continue
			}
			was := tenfold.TextLines(left[seq])
			for line := range strings.Lines(tenfold.TextLines(r)) {
				if line = strings.Trim(line, "… \n"); strings.HasPrefix(line, "func ") && !strings.Contains(was, line) {
					t.Errorf("%s left %q of result %d, and fit shows %q", first, was, seq, line)
					break
				}
			}
		}
	}
}

// What a trim leaves has no codes for a terminal, and is known by its words.
func TestS15LinesWithTerminalCodesAreKnown(t *testing.T) {
	if got := strategy.LinesLeft("\x1b[31mred\x1b[0m one\ntwo\n", "… red one …"); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("left are %v", got)
	}
}
