package compaction

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
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

// RegisterSummary gives a command the flags of a summary.
func (k *Conversation) RegisterSummary(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&k.text, "summary", "", "use this `TEXT` as the summary")
	f.BoolVar(&k.review, "review", false, "review a summary before it is stored")
	f.Lookup("yes").Usage += ",\nand accept what --review shows"
}

// Words makes the text of --summary the summary that is stored, and chooses a
// strategy that stores one unless a flag does.
func (k *Conversation) Words() error {
	changed := k.Given
	k.writer = k.Summarizer
	if !changed("summary") {
		return nil
	}
	for _, flag := range []string{"focus", "budget"} {
		if changed(flag) {
			return command.Exclusive("--summary", "--"+flag)
		}
	}
	if tenfold.Blank(k.text) {
		return command.Usage("--summary is empty", "write the text that replaces the range")
	}
	if !changed("strategy") && !changed("profile") {
		k.Strategies = []string{"summarize"}
	}
	k.owned = &given{text: k.text}
	k.writer = k.owned
	return nil
}

// Summary applies --review, and refuses flags about a summary that no strategy
// writes.
func (k *Conversation) Summary(req *session.Request) error {
	for _, flag := range []string{"summary", "review"} {
		if k.Given(flag) && !slices.ContainsFunc(req.Strategies, strategy.Summarises) {
			return noSummary(flag)
		}
	}
	switch {
	case !k.review:
		return nil
	case k.DryRun:
		return command.Exclusive("--dry-run", "--review")
	case !k.InTTY && !k.yes:
		return command.Usage("cannot prompt: stdin is not a terminal", "add --yes to accept the summary unseen")
	}
	k.Writers.review, k.Writers.yes = true, k.yes
	return nil
}

// unused warns if no strategy asked for the summary given with --summary.
func (k *Conversation) unused(r *Report) {
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
