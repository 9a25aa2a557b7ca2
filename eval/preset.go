package eval

import (
	"fmt"
	"slices"

	"tenfold/strategy"
	"tenfold/transcript"
)

// FittedOn lists the sources of the corpus that the weights of fit were fitted
// on. Nothing is to be claimed from them.
func FittedOn() []string {
	return []string{"entire-cli", "context-evaluator", "entire-auth-go", "agentv", "gatomia-vscode", "pi-mono"}
}

// FrontierFormats lists the formats that the preset of this name measures: those
// of agents that work on a repository.
func FrontierFormats() []string {
	return []string{string(transcript.ClaudeCode), string(transcript.Codex), string(transcript.OpenCode), string(transcript.JP)}
}

// DefaultMinRequests is how many requests a session needs to count where a
// whole directory is measured.
const DefaultMinRequests = 20

// Defaults lists the policies that are measured where none is named.
func Defaults() []string {
	list := []string{"none", "keep-newest-10", "micro", "head-tail", "window:target=10%", "suffix:target=10%", "atoms:target=10%"}
	if slices.Contains(strategy.Names(), "fit") {
		list = append(list, "fit:target=5%", "fit:target=10%", "fit:target=20%")
	}
	return append(list, "clairvoyant:target=10%")
}

// Targets are those of the frontier's budgets, in percent.
func frontierTargets() []int { return []int{3, 5, 10, 20, 25} }

// Frontier lists the policies of the preset of this name: fit and all baselines
// at several targets, and fit without each of its ingredients at 10 %.
func Frontier() []string {
	list := []string{"none", "keep-newest-10", "micro", "head-tail"}
	families := []string{"window", "suffix", "atoms", "clairvoyant"}
	if slices.Contains(strategy.Names(), "fit") {
		families = append([]string{"fit"}, families...)
	}
	for _, family := range families {
		for _, target := range frontierTargets() {
			list = append(list, fmt.Sprintf("%s:target=%d%%", family, target))
		}
	}
	if families[0] == "fit" {
		for _, a := range Ablations() {
			list = append(list, "fit:target=10%,without="+a.Without)
		}
	}
	return list
}

// An Ablation is an ingredient of fit that can be left out.
type Ablation struct {
	// Without is the value of fit's parameter of that name.
	Without, About string
}

// Ablations lists the ingredients of fit that can be left out.
func Ablations() []Ablation {
	var there []Ablation
	for _, a := range []Ablation{
		{"coverage", "lines by their own value, whatever is shown already"},
		{"model", "values by age and mentions alone"},
		{"stale", "reads of files that changed count in full"},
		{"last3", "atoms count on every entry, not the last three"},
		{"openings", "opening lines cost and cover nothing"},
		{"fragments", "long lines whole or not at all"},
	} {
		if _, err := strategy.Parse("fit:target=10%,without=" + a.Without); err == nil {
			there = append(there, a)
		}
	}
	return there
}
