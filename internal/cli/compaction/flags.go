package compaction

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/live"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/token"
)

// Flags are the flags that say what to compact and how.
type Flags struct {
	Command *cobra.Command
	// Given tells of a flag, by its name, whether it was given.
	Given      func(flag string) bool
	Profile    string
	Strategies []string
	from       command.Parsed[tenfold.Bound]
	keep       command.Parsed[tenfold.Tail]
	keepLast   int
	DryRun     bool
	target     command.Parsed[strategy.Target]
	// to is where the range ends, as the command line says it.
	to string
	// focus is what a summary must keep, yes the answer to all questions.
	focus string
	yes   bool
	// budget is the most tokens a digest may have.
	budget command.Parsed[int]
	// writer writes summaries, if the command line says who does.
	writer strategy.Summarizer
	// told is a warning about who writes them.
	told string
	// Writers is who writes them; nil until that is known.
	Writers *Writers
}

// Register gives a command the flags of a compaction.
func (r *Flags) Register(a *command.App, c *cobra.Command) {
	r.Command, r.Given = c, c.Flags().Changed
	r.from.Parse, r.keep.Parse, r.target.Parse = tenfold.ParseBound, tenfold.ParseTail, strategy.ParseTarget
	r.budget.Parse = parseBudget
	f := c.Flags()
	f.StringVar(&r.Profile, "profile", "", "`NAME` of a set of policies: default, light, heavy,\nor one from the configuration (default: as\nconfigured)")
	f.StringArrayVar(&r.Strategies, "strategy", nil, "`STRATEGY` to use instead of a profile, as\nNAME or NAME:KEY=VALUE,…; may be repeated; names:\n"+terminal.Fill(strings.Join(strategy.Names(), ", "), 46))
	f.Var(&r.from, "from", "start of the range, a `BOUND`; without a\nvalue, last")
	f.Lookup("from").NoOptDefVal = "last"
	f.Var(&r.keep, "keep", "`TURNS|TOKENS` to keep at the end: 3, 20k\n(default as configured: 3 turns, at most 20k\ntokens)")
	f.IntVar(&r.keepLast, "keep-last", 0, "number of `TURNS` to keep at the end")
	f.Var(&r.target, "target", "size to reach, `TOKENS|%`: 20k, or 10% of what a\nmodel sees now")
	f.BoolVar(&r.DryRun, "dry-run", false, "show the effect without writing")
	f.StringVar(&r.focus, "focus", "", "keep what this `TEXT` is about")
	f.Var(&r.budget, "budget", "most `TOKENS` of a digest: 800, 3k (default: 4% of\nwhat it replaces, from 1k to 8k)")
	f.BoolVarP(&r.yes, "yes", "y", false, "omit the turns that classify-tangents names\nwithout asking")
	command.Complete(c, "strategy", strategy.Names()...)
	a.CompleteProfiles(c, "profile")
}

// NoFlags is Flags.given where nothing was said.
func NoFlags(string) bool { return false }

// modelHelp is what the compact commands say about models.
const modelHelp = `If turns are summarized, the model of the profile writes the summary, else the
one set by conversation.compaction.summarizer_model, else by model.name. If none
is set, or if it fails, a digest, which needs no model, is used. A model is
called only if you named it yourself, and only for a strategy you chose: not for
one chosen by a conversation, or by a workspace's file before "tenfold config
trust". The report includes the cost. --dry-run shows what a model would be
asked, and calls none except for classify-tangents: that strategy has a model
name turns that are off the task, and you say which to omit.`

// rangeHelp is what the compact commands say about the range.
const rangeHelp = `A range is given in turns, counted from 0. A bound is a turn (5), turns before
the last (-3), or a time ago (5h, 2d); --from also takes "last", the turn after
the last compaction. Both bounds are inclusive. Without --to, the range ends
where the kept tail begins: by default the last 3 turns, at most 20,000 tokens,
so it may begin inside a turn.

--target is the size of all that a model sees afterwards; a percentage is of
what it sees now. Like the strategy fit it keeps the passages that later work
is likely to need, over the whole conversation unless a bound limits it. Your
requests, the last step, the plan, an open error, standing instructions and
pins always stay; where they take more than half of the target, older ones give
way. A missed target is reported with the reason; that is not a failure.

Anything not set by a flag comes from the configuration: "tenfold config show".
A value given with --cfg also applies to the conversation from now on: it is
stored with it and shown in the report, unless this is a dry run. --cfg KEY=
removes it.`

// Request reads the flags; to is where the range ends, empty if not given.
func (r *Flags) Request(to string) (session.Request, error) {
	var req session.Request
	given := r.Given
	for _, pair := range [][2]string{{"strategy", "profile"}, {"keep", "keep-last"}, {"keep", "to"}, {"keep-last", "to"}} {
		both := given(pair[0]) && given(pair[1])
		if pair[1] == "to" { // which may name a format instead
			both = given(pair[0]) && to != ""
		}
		if both {
			return req, command.Exclusive("--"+pair[0], "--"+pair[1])
		}
	}
	if r.keepLast < 0 {
		return req, command.Usage("invalid --keep-last value "+command.Quote(strconv.Itoa(r.keepLast)), "write --keep-last 3; --keep also takes tokens")
	}
	if strings.TrimSpace(to) == "last" {
		return req, tenfold.ErrLastAsTo
	}
	if to != "" {
		bound, err := tenfold.ParseBound(to)
		if err != nil {
			return req, command.BadValue("--to", to, err)
		}
		req.Bounds.To = &bound
	}
	r.to = to
	req.Bounds.From, req.Bounds.Tail = r.from.Value, r.keep.Value
	if given("keep-last") {
		req.Bounds.Tail = &tenfold.Tail{Turns: r.keepLast}
	}
	if from, to := turnOf(r.from.Text), turnOf(to); from >= 0 && to >= 0 && from > to {
		return req, command.Usage(fmt.Sprintf("--from %d is after --to %d", from, to), "the start of a range comes before its end")
	}
	req.OpenEnd = to == "" && req.Bounds.Tail == nil
	req.Target = r.target.Given()
	return req, nil
}

// Prepare completes a request about a conversation from its configuration.
func (r *Flags) Prepare(a *command.App, req *session.Request, id string, view *tenfold.Projection) error {
	e, err := a.Effective(command.ExtrasOf(view.Log())...)
	if err == nil {
		err = r.configure(a, req, e, subject{id, view.Config().Model})
	}
	req.Options.Scale = token.Calibrate(view.Log())
	if err == nil {
		a.Held(r.told)
	}
	return err
}

// Annotate adds to a report what was noted while it was made.
func (r *Flags) Annotate(a *command.App, to *Report, warnings ...string) {
	noted := r.Writers.FlushNotes()
	to.Warnings = slices.Concat(a.Held(r.told), warnings, noted, r.beyond(to.Turns))
	to.Quotes, to.said = r.Writers.quotes, r.Writers.said
	to.allKept = to.Nothing != "" && to.Turns > 0 && len(to.Plan().Steps) == 0 && r.Command.Flags().Lookup("target") != nil &&
		!slices.ContainsFunc([]string{"from", "to", "keep", "keep-last", "target"}, r.Given)
}

// turnOf is the turn that a bound names by its number, else -1.
func turnOf(bound string) int {
	n, err := strconv.Atoi(strings.TrimSpace(bound))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// beyond warns that the range was to end after the last turn. It is clamped
// (P13), and then no turn at the end is kept: perhaps not what was meant.
func (r *Flags) beyond(turns int) []string {
	if to := turnOf(r.to); turns == 0 || to < turns {
		return nil
	}
	return []string{fmt.Sprintf("--to %s is after the last turn (%d): the range extends to the end and no turn is kept; --to -3 keeps 3", r.to, turns-1)}
}

// Outside is the error for a range that begins after the last turn.
func (r *Flags) Outside(turns int) error {
	if from := turnOf(r.from.Text); turns > 0 && from >= turns {
		return command.Usage(fmt.Sprintf("--from %d is after the last turn (%d)", from, turns-1), "turns are counted from 0; --from last starts after the last compaction")
	}
	return nil
}

// setMustKeep passes on what a summary must keep.
func (r *Flags) setMustKeep(req *session.Request) error {
	used := slices.ContainsFunc(req.Strategies, func(s strategy.Strategy) bool {
		return strategy.Summarises(s) || NeedsModel(s)
	})
	if r.Given("focus") && !used && !req.Target.Set() && !slices.ContainsFunc(req.Strategies, strategy.ChoosesEnd) {
		return command.Usage("--focus needs a strategy that writes a summary or chooses what stays", "add --target 10%, --strategy summarize or --profile heavy")
	}
	req.Options.Focus = r.focus
	if r.budget.Value != nil {
		if !slices.ContainsFunc(req.Strategies, strategy.Summarises) {
			return noSummary("budget")
		}
		req.Options.Budget = *r.budget.Value
	}
	return nil
}

// parseBudget reads the tokens of --budget.
func parseBudget(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		n, _ = tenfold.ParseTokens(text)
	}
	if n < leastBudget {
		return 0, command.Usage(fmt.Sprintf("invalid --budget %q", text), fmt.Sprintf("give tokens, at least %d: 800, 3k", leastBudget))
	}
	return n, nil
}

// leastBudget is the fewest tokens in which a digest says anything.
const leastBudget = 100

// noSummary is the error for a flag about a summary where none is written.
func noSummary(flag string) error {
	return command.Usage("--"+flag+" needs a strategy that writes a summary", "add --strategy summarize, or --profile heavy")
}

// configure fills in what the flags leave to the configuration.
func (r *Flags) configure(a *command.App, req *session.Request, e *config.Effective, of subject) error {
	if req.Bounds.Tail == nil {
		tail := e.Tail()
		req.Bounds.Tail = &tail
	}
	req.Options.Tools, req.Options.Subsumer = e.ToolSettings(), live.Subsumer(e.Config)
	req.Options.Window = e.Window(of.model)
	req.Options.DryRun = r.DryRun
	all, err := r.Choose(e)
	if err != nil {
		return err
	}
	if err := r.chooseWriters(a, req, e, all, of); err != nil {
		return err
	}
	req.Strategies = nil
	for _, c := range all {
		req.Strategies = append(req.Strategies, c.Strategy)
	}
	if i := slices.IndexFunc(req.Strategies, strategy.TakesAll); i >= 0 {
		for _, flag := range []string{"from", "to", "keep", "keep-last"} {
			if r.Given(flag) && (flag != "to" || r.to != "") { // which may name a format instead
				return command.Usage("--"+flag+" cannot be used with the strategy "+req.Strategies[i].Name()+": it takes the whole conversation", "omit it, or use --strategy summarize")
			}
		}
	}
	return r.setMustKeep(req)
}
