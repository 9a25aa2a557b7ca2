package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// summaryFlags are the flags about summaries.
type summaryFlags struct {
	text   string
	review bool
	owned  *given
}

// summaryHelp is what the help says about them.
const summaryHelp = `--summary replaces the range with your own text, stored verbatim: as the
strategy named with --strategy or --profile places summaries, else as an
exchange of two messages. A range that overlaps an earlier summary is extended
to cover it. An empty summary, or one no smaller than what it replaces, is
refused.

--review shows a summary before it is stored: accept it, drop it, or edit it in
$VISUAL or $EDITOR; saving an empty file drops it. --focus says what a generated
summary must keep; it is an error if none is generated.`

func (k *compactConversation) registerSummary(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&k.text, "summary", "", "use this `TEXT` as the summary")
	f.BoolVar(&k.review, "review", false, "review a summary before it is stored")
	f.Lookup("yes").Usage += ",\nand accept what --review shows"
}

// words makes the text of --summary the summary that is stored, and chooses a
// strategy that stores one unless a flag does.
func (k *compactConversation) words() error {
	changed := k.given
	k.writer = k.summarizer
	if !changed("summary") {
		return nil
	}
	switch {
	case changed("focus"):
		return exclusive("--summary", "--focus")
	case tenfold.Blank(k.text):
		return usage("--summary is empty", "write the text that replaces the range")
	}
	if !changed("strategy") && !changed("profile") {
		k.strategies = []string{"summarize"}
	}
	k.owned = &given{text: k.text}
	k.writer = k.owned
	return nil
}

// summary applies --review, and refuses flags about a summary that no strategy
// writes.
func (k *compactConversation) summary(req *session.Request) error {
	for _, flag := range []string{"summary", "review"} {
		if k.given(flag) && !slices.ContainsFunc(req.Strategies, strategy.Summarises) {
			return noSummary(flag)
		}
	}
	switch {
	case !k.review:
		return nil
	case k.dryRun:
		return exclusive("--dry-run", "--review")
	case !k.InTTY && !k.yes:
		return usage("cannot prompt: stdin is not a terminal", "add --yes to accept the summary unseen")
	}
	k.asked.review, k.asked.yes = true, k.yes
	return nil
}

// unused warns if no strategy asked for the summary given with --summary.
func (k *compactConversation) unused(r *compactReport) {
	if k.owned != nil && !k.owned.used && r.Nothing == "" {
		r.Warnings = append(r.Warnings, "your summary was not used: "+strings.Join(r.Notes(), "; "))
	}
}

// given is a summarizer that has the text already.
type given struct {
	text string
	used bool
}

// Summarize implements [strategy.Summarizer].
func (g *given) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	g.used = true
	return strategy.SummaryResult{Text: g.text}, nil
}
