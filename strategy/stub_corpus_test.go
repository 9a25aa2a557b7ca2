package strategy_test

import (
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
)

// P5 over real transcripts: the views of default and fit hold no stub that the
// record contradicts, and no arguments but whole ones.
func TestP5HoldsOverTheCorpus(t *testing.T) {
	for _, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "codex", "opencode", "gemini-cli", "pi")) {
		for _, l := range importFile(t, f, tenfold.Chars4{}) {
			if l.Turns() == 0 {
				continue
			}
			for _, name := range []string{"strip-tools", "strip-tools:arguments=primary", "fit:target=20%"} {
				logtest.HoldStubs(t, plan(t, tenfold.Project(l), strategy.Options{}, name).View())
			}
		}
	}
}
