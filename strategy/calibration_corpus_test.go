package strategy_test

import (
	"math"
	"slices"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/token"
)

// T3 over the corpus: what the provider counted for each prompt, by the plain
// estimate of the entries before it and by what the requests before it taught.
func TestT3CorpusPromptsAreForetold(t *testing.T) {
	corpustest.Unraced(t)
	var plain, calibrated []float64
	sessions := 0
	for _, f := range corpustest.Files(t, "claude-code", "codex", "opencode", "pi", "gemini-cli", "openhands-events") {
		if f.Bytes > 20<<20 && !corpustest.All() {
			continue
		}
		for _, l := range importFile(t, f, token.O200k()) {
			p, c := foretell(t, l)
			if len(c) == 0 {
				continue
			}
			sessions++
			plain, calibrated = append(plain, median(p)), append(calibrated, median(c))
		}
	}
	if sessions < 10 {
		t.Fatalf("only %d sessions reported enough", sessions)
	}
	before, after := median(plain), median(calibrated)
	t.Logf("%d sessions: the median prompt is off by %.0f %% by the estimate, by %.1f %% calibrated (the worst session: %.0f %%)", sessions, 100*before, 100*after, 100*slices.Max(calibrated))
	if after > 0.05 || after > before/4 {
		t.Errorf("calibrated prompts are off by %.3f, estimated ones by %.3f", after, before)
	}
}

// foretell reads a log request by request, and gives by how much each prompt is
// missed, as a share of it, without calibration and with it.
func foretell(t *testing.T, raw *tenfold.Log) (plain, calibrated []float64) {
	t.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	var c token.Calibration
	estimate, prompt, answering := 0, 0, false
	turn, step := -1, -1
	for e := range raw.Entries() {
		switch e.Payload.(type) {
		case tenfold.Compaction, tenfold.CompactionRevoked:
			return plain, calibrated // the view is no longer the sum of entries
		}
		scale := c.Scale(l)
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		if e.Branch != "" {
			continue
		}
		switch u := e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall:
			if at, in, _ := l.Where(e.Seq); !answering || at != turn || in != step {
				answering, turn, step, prompt = true, at, in, estimate
			}
		case tenfold.Usage:
			actual := float64(u.Input + u.CacheRead + u.CacheWrite)
			if answering && actual > 0 && scale.Source() == token.Calibrated {
				config := tenfold.Project(l).Totals().Config.Before
				plain = append(plain, math.Abs(float64(prompt+config)-actual)/actual)
				calibrated = append(calibrated, math.Abs(float64(scale.Tokens(prompt+config)+scale.Outside)-actual)/actual)
			}
			answering = false
		}
		if e.Payload.Kind().Visible() {
			estimate += e.Tokens
		}
	}
	return plain, calibrated
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
