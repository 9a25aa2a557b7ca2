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
	given  *given
}

// summaryHelp is what the help says of them.
const summaryHelp = `--summary puts your own words in the place of the range. They are stored as
they stand, where the strategy named with --strategy or --profile puts a
summary, else as an exchange of two messages. A range that meets an earlier
summary grows until it covers that too. A summary that is empty, or no smaller
than what it stands for, is refused.

--review shows a summary before it is stored: accept it, drop it, or change it
in $VISUAL or $EDITOR. What the editor saves is what is stored, and an empty
file drops it. --focus says what a summary that is written for you must keep;
where none is written it is refused, not ignored.`

func (k *compactConversation) registerSummary(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&k.text, "summary", "", "use this `TEXT` as the summary")
	f.BoolVar(&k.review, "review", false, "look at a summary before it is stored")
	f.Lookup("yes").Usage += ",\naccept what --review shows"
}

// words wires a summary that the command line brings: it is written already, and
// asks for a strategy that puts it somewhere.
func (k *compactConversation) words() error {
	changed := k.flags.Flags().Changed
	k.writer = k.summarizer
	if !changed("summary") {
		return nil
	}
	switch {
	case changed("focus"):
		return usage("--summary and --focus exclude each other", "your own summary says what it says")
	case tenfold.Blank(k.text):
		return usage("--summary is empty", "write what is to stand for the range")
	}
	if !changed("strategy") && !changed("profile") {
		k.strategies = []string{"summarize"}
	}
	k.given = &given{text: k.text}
	k.writer = k.given
	return nil
}

// summary wires the other flags about summaries into a request, once it is known
// whether one is made.
func (k *compactConversation) summary(req *session.Request) error {
	changed := k.flags.Flags().Changed
	summarises := slices.ContainsFunc(req.Strategies, strategy.Summarises)
	for _, flag := range []string{"summary", "review"} {
		if !changed(flag) {
			continue
		}
		if !summarises {
			return usage("--"+flag+" is about a summary, and nothing here makes one", "add --strategy summarize, or --profile heavy")
		}
	}
	if !k.review {
		return nil
	}
	switch {
	case k.dryRun:
		return usage("--dry-run stores no summary, so --review has nothing to do", "leave out one of them")
	case !k.inTTY && !k.yes:
		return usage("cannot prompt: stdin is not a terminal", "add --yes to accept the summary as it is")
	}
	k.asked.review, k.asked.yes = true, k.yes
	return nil
}

// unused warns of a summary of the person's own that no strategy asked for.
func (k *compactConversation) unused(r *report) {
	if k.given != nil && !k.given.used && r.plan.Nothing == "" {
		k.warn("your summary was not used: " + strings.Join(stepNotes(r.plan), "; "))
	}
}

// stepNotes is what the steps of a plan had to say.
func stepNotes(plan strategy.Plan) []string {
	var notes []string
	for _, s := range plan.Steps {
		notes = append(notes, s.Notes...)
	}
	return notes
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
