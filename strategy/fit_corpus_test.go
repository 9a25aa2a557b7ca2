package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
)

// S-13a over real transcripts: valid for every provider (P10), what a person
// wrote in short verbatim, and within the target with everything counted.
func TestS13aFitOverTheCorpus(t *testing.T) {
	files := corpustest.Files(t, "claude-code", "codex", "jp", "opencode", "gemini-cli", "openhands")
	for _, f := range corpustest.Sample(files) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, l := range importFile(t, f, tenfold.Chars4{}) {
				if l.Turns() == 0 {
					continue
				}
				holdFit(t, l)
			}
		})
	}
}

func holdFit(t *testing.T, l *tenfold.Log) {
	t.Helper()
	raw, index := tenfold.Project(l), excerpt.NewIndex()
	for _, text := range []string{"fit:target=5%", "fit:target=10%", "fit:target=20%", "fit:target=30%", "fit:target=20k"} {
		made := plan(t, raw, strategy.Options{Index: index}, text)
		holdTarget(t, text, raw, made)
		if len(made.Compactions) == 0 {
			continue
		}
		checkValid(t, text, allBodies(t, made.View()))
		checkTotals(t, made.View())
	}
}

// texts are a message's own texts; what stands for a file is none.
func texts(m tenfold.UserMessage) string {
	out := ""
	for _, p := range m.Parts {
		if p.File == nil && !strings.HasPrefix(p.Text, "[compacted]") {
			out += p.Text
		}
	}
	return out
}

// Ten fit compactions of a conversation that grows leave what one of the whole
// leaves: there is no drift.
func TestS13aTenInARowAreAsOne(t *testing.T) {
	files := corpustest.Files(t, "claude-code", "codex", "jp")
	for i := 0; i < len(files); i += max(len(files)/12, 1) {
		f := files[i]
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, whole := range importFile(t, f, tenfold.Chars4{}) {
				holdTen(t, slices.Collect(whole.Entries()))
			}
		})
	}
}

func holdTen(t *testing.T, entries []tenfold.Entry) {
	t.Helper()
	whole := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := whole.Append(entries...); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("fit:target=%d", tenfold.Project(whole).Tokens()/10+1)
	grown := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	p, index := tenfold.Project(grown), excerpt.NewIndex()
	var last strategy.Plan
	compactions := 0
	for round := range 10 {
		if _, err := grown.Append(entries[len(entries)*round/10 : len(entries)*(round+1)/10]...); err != nil {
			t.Fatal(err)
		}
		p.Advance()
		if grown.Turns() == 0 {
			continue
		}
		last = plan(t, p, strategy.Options{Index: index}, text)
		holdTarget(t, fmt.Sprint(text, " in round ", round), p, last)
		for _, c := range last.Compactions {
			compactions++
			if _, err := grown.Append(tenfold.Entry{ID: fmt.Sprint("fit/", round), Payload: c}); err != nil {
				t.Fatal(err)
			}
		}
		p.Advance()
	}
	if len(last.Compactions) == 0 {
		t.Skipf("after %d compactions nothing was left to do", compactions)
	}
	// Afresh over the same seqs, which stand in references: all undone first.
	var undone []tenfold.Entry
	for o := range p.Overlays() {
		if o.Live && o.Compaction.Strategy == text {
			undone = append(undone, tenfold.Entry{ID: o.ID + "/undone", Payload: tenfold.CompactionRevoked{Target: o.ID}})
		}
	}
	made := plan(t, p.Preview(undone...), strategy.Options{}, text)
	got, want := texted(p), texted(made.View())
	if !slices.Equal(got, want) {
		t.Errorf("after %d compactions %d items are shown, fresh %d", compactions, len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("item %d differs: %d bytes, %d bytes", i, len(got[i]), len(want[i]))
			}
		}
	}
	if p.Tokens() != made.After {
		t.Errorf("%d tokens, fresh %d", p.Tokens(), made.After)
	}
}

// texted is what a model sees, item by item.
func texted(p *tenfold.Projection) []string {
	var out []string
	for it := range p.Items() {
		out = append(out, fmt.Sprintf("%T %+v", it.Payload, it.Payload))
	}
	return out
}
