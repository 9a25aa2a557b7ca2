package eval

import (
	"fmt"
	"slices"

	"tenfold/excerpt"
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
	return []string{
		"none", "keep-newest-10", "micro", "head-tail", "window:target=10%", "suffix:target=10%", "code:target=10%", "atoms:target=10%",
		"fit:target=10%,without=blocks", "fit:target=5%", "fit:target=10%", "fit:target=20%", "clairvoyant:target=10%",
	}
}

// Frontier lists the policies of the preset of this name: fit, fit by lines
// alone and all baselines at several targets, and fit without each of its
// ingredients at 10 %.
func Frontier() []string {
	list := []string{"none", "keep-newest-10", "micro", "head-tail"}
	for _, family := range []string{"fit:target=%d%%", "fit:target=%d%%,without=blocks", "window:target=%d%%", "suffix:target=%d%%", "code:target=%d%%", "atoms:target=%d%%", "clairvoyant:target=%d%%"} {
		for _, target := range []int{5, 10, 20, 30} { // percent
			list = append(list, fmt.Sprintf(family, target))
		}
	}
	for _, a := range excerpt.Ingredients() {
		if policy := "fit:target=10%,without=" + string(a); !slices.Contains(list, policy) {
			list = append(list, policy)
		}
	}
	return list
}
