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

// P10a, S-15: words that lose their signature, as an earlier strategy of the plan changed what stood
// before them, are the same words to fit.
func TestP10aWordsWithoutTheirSignatureAreLeft(t *testing.T) {
	shown := func(signature string) (n int) {
		l := script(t, work(6, 60)...)
		add := func(payloads ...tenfold.Payload) {
			for _, p := range payloads {
				if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 6 {
			said := tenfold.AssistantMessage{Text: fmt.Sprintf("The oven of %d is in src/file_%d.go and starts no timer.", i, i), Signature: signature}
			add(said)
			add(tenfold.ToolCall{CallID: fmt.Sprint("x", i), Name: "Bash", Arguments: fmt.Sprintf(`{"command":"cat src/file_%d.go"}`, i)})
			add(tenfold.ToolResult{CallID: fmt.Sprint("x", i), Parts: tenfold.Text("ok")})
		}
		add(tenfold.AssistantMessage{Text: "done"}, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("and now src/file_3.go")})
		for i := range 30 {
			add(tenfold.ToolCall{CallID: fmt.Sprint("y", i), Name: "Bash", Arguments: fmt.Sprintf(`{"command":"ls %d"}`, i)}, tenfold.ToolResult{CallID: fmt.Sprint("y", i), Parts: tenfold.Text(strings.Repeat("a line of output\n", 40))})
		}
		all := everything(l)
		for it := range plan(t, tenfold.Project(l), strategy.Options{Range: all, Reach: &all}, "strip-tools", "fit:target=4%").View().Items() {
			if m, ok := it.Payload.(tenfold.AssistantMessage); ok && strings.Contains(m.Text, "starts no timer") {
				n++
			}
		}
		return n
	}
	if words, signed := shown(""), shown("sig"); words == 0 || signed != words {
		t.Errorf("%d are shown, and of signed ones %d", words, signed)
	}
}
