package digest_test

import (
	"strings"
	"testing"
	"unicode"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// P8a over real sessions: no profile, window or target hides a standing instruction
// that was shown, but for a newer one that says what it was about anew.
func TestP8aNoContextOfARealSessionIsLost(t *testing.T) {
	ways := map[string]strategy.Pipeline{}
	for name, profile := range strategy.Profiles() {
		ways[name] = strategy.Pipeline{profile}
	}
	for _, name := range []string{"hard-reset", "sliding-window:n=10", "fit:target=10%"} {
		s, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		ways[name] = strategy.Pipeline{s}
	}
	met := 0
	for _, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "codex", "copilot-cli", "swe-agent-traj", "opencode")) {
		for _, c := range sessions(t, f) {
			l := logOf(t, c.Entries)
			p := tenfold.Project(l)
			if l.Turns() == 0 {
				continue
			}
			for name, way := range ways {
				plan, err := way.Plan(t.Context(), p, strategy.Options{Range: tenfold.Range{ToTurn: l.Turns() - 1}, Summarizer: digest.Digest{}, Window: 200_000})
				if err != nil {
					t.Fatalf("%s, %s: %v", f.Name, name, err)
				}
				after := subjects(plan.View())
				for subject, seq := range subjects(p) {
					if met++; after[subject] < seq {
						t.Errorf("%s, %s: entry %d is hidden: %s", f.Name, name, seq, subject)
					}
				}
			}
		}
	}
	if !corpustest.UnderRace && met < 20 { // under it, few files are read
		t.Errorf("only %d contexts met a compaction", met)
	}
}

// subjects gives the newest entry of each context that a view shows, by its first
// two lines.
func subjects(p *tenfold.Projection) map[string]int64 {
	shown := map[string]int64{}
	for it := range p.Items() {
		e, _ := p.Log().Entry(it.Seq)
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || m.Purpose != tenfold.Context || it.Branch != "" {
			continue
		}
		for _, part := range m.Parts {
			lines := strings.SplitN(strings.TrimSpace(part.Text), "\n", 3)
			if key := strings.TrimSpace(strings.Join(lines[:min(len(lines), 2)], " ")); strings.HasPrefix(key, "<environment_context>") {
				shown["<environment_context>"] = it.Seq // of which there is one at a time
			} else if strings.ContainsFunc(key, unicode.IsLetter) { // blanks are not sent
				shown[key] = it.Seq
			}
		}
	}
	return shown
}
