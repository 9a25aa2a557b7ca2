package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// rangeFlags are the flags that say what to compact and how.
type rangeFlags struct {
	flags          *cobra.Command
	profile        string
	strategies     []string
	from           string
	keep, keepLast string
	dryRun         bool
	target         string
	// to is where the range ends, as the command line says it.
	to string
	// writer writes summaries, where the command line says who does.
	writer strategy.Summarizer
	// told is what there is to say of who writes them.
	told string
	// asked is who does, once that is settled.
	asked *asked
	// focus is what a summary must keep, yes the answer to all questions.
	focus string
	yes   bool
}

func (r *rangeFlags) register(c *cobra.Command) {
	r.flags = c
	f := c.Flags()
	f.StringVar(&r.profile, "profile", "", "`NAME` of a set of policies: default, light, heavy,\nor one of the configuration (default: as\nconfigured)")
	f.StringArrayVar(&r.strategies, "strategy", nil, "`STRATEGY` to use instead of a profile, as\nNAME or NAME:KEY=VALUE,…; may be repeated; names:\n"+fill(strings.Join(strategy.Names(), ", "), 46))
	f.StringVar(&r.from, "from", "", "start of the range, a `BOUND`; without a\nvalue, last")
	f.Lookup("from").NoOptDefVal = "last"
	f.StringVar(&r.keep, "keep", "", "`TURNS|TOKENS` to keep at the end: 3, 20k\n(default as configured: 3 turns, but at most\n20k tokens)")
	f.StringVar(&r.keepLast, "keep-last", "", "how many `TURNS` to keep at the end")
	complete(c, "strategy", strategy.Names()...)
	f.StringVar(&r.target, "target", "", "fit it into `TOKENS|%`, line by line: 20k, or 10% of\nthe conversation")
	f.BoolVar(&r.dryRun, "dry-run", false, "show the effect without writing")
	f.StringVar(&r.focus, "focus", "", "`TEXT` the summary must keep")
	f.BoolVarP(&r.yes, "yes", "y", false, "do not ask: omit the turns that\nclassify-tangents names")
}

// modelHelp is what the compact commands say of models.
const modelHelp = `Where a summary stands for turns, the model of the profile writes it, else the
one named by conversation.compaction.summarizer_model, else by model.name; if
none is named, or if it fails, a digest, which needs no model, is used. Only a
model that you name yourself is called, for what you choose yourself: not for
what a conversation chose, or a workspace's file before "tenfold config trust".
What it costs is told; --dry-run tells what it would be asked, and asks nothing
but classify-tangents: that strategy has a model name turns that are off the
task, and you say which may go.`

// rangeHelp is what both compact commands say of the range.
const rangeHelp = `A range is given by turns, counted from 0. A bound is a turn (5), turns before
the last (-3), or a time ago (5h, 2d); --from also takes "last", the turn after
what is compacted already. Both bounds are inclusive. Without --to the range
ends where the kept tail begins: by default the last 3 turns, but
at most 20,000 tokens, which may be inside a turn.

--target chooses line by line, as the strategy fit does: the lines that later
work is likely to need stay, over the whole conversation unless a bound says
where the range ends. Short messages of yours, the last step, the plan, an open
error and pins always stay. A missed target is reported; it is a failure only if
nothing could be done.

Anything not set by a flag comes from the configuration: "tenfold config show".
A value given with --cfg holds for the conversation from now on: it is kept with
it, and the report says so, unless this is a dry run. --cfg KEY= takes it back.`

// request reads the flags; to is where the range ends, empty when not said.
func (r *rangeFlags) request(to string) (session.Request, error) {
	var req session.Request
	changed := r.flags.Flags().Changed
	switch {
	case changed("strategy") && changed("profile"):
		return req, usage("--strategy and --profile exclude each other", "a profile is a set of policies; name one, or strategies instead")
	case changed("keep") && changed("keep-last"):
		return req, usage("--keep and --keep-last exclude each other", "--keep takes turns (3) or tokens (20k)")
	case to != "" && changed("keep"):
		return req, usage("--keep and --to exclude each other", "both say where the range ends")
	case to != "" && changed("keep-last"):
		return req, usage("--keep-last and --to exclude each other", "both say where the range ends")
	}
	r.to = to
	if err := r.bounds(to, &req.Bounds); err != nil {
		return req, err
	}
	if from, to, ok := r.turns(); ok && from > to {
		return req, usage(fmt.Sprintf("--from %d is after --to %d", from, to), "a range goes from its first turn to its last")
	}
	req.OpenEnd = to == "" && !changed("keep") && !changed("keep-last")
	return req, r.aim(&req)
}

func (r *rangeFlags) bounds(to string, b *tenfold.Bounds) error {
	if r.flags.Flags().Changed("from") {
		from, err := tenfold.ParseBound(r.from)
		if err != nil {
			return badValue("--from", err)
		}
		b.From = &from
	}
	if to != "" {
		if strings.TrimSpace(to) == "last" {
			return tenfold.ErrLastAsTo
		}
		bound, err := tenfold.ParseBound(to)
		if err != nil {
			return badValue("--to", err)
		}
		b.To = &bound
	}
	if r.flags.Flags().Changed("keep") {
		tail, err := tenfold.ParseTail(r.keep)
		if err != nil {
			return badValue("--keep", err)
		}
		b.Tail = &tail
	}
	if r.flags.Flags().Changed("keep-last") {
		turns, err := strconv.Atoi(r.keepLast)
		if err != nil || turns < 0 {
			return usage("--keep-last: "+quote(r.keepLast)+" is no number of turns", "write --keep-last 3; --keep takes tokens as well")
		}
		b.Tail = &tenfold.Tail{Turns: turns}
	}
	return nil
}

// beyond says that the range was to end after the last turn of a conversation.
// It ends there then (P13), which leaves nothing of the end as it is: more than
// somebody may have meant who was wrong about the number.
func (r *rangeFlags) beyond(turns int) []string {
	to, err := strconv.Atoi(strings.TrimSpace(r.to))
	if err != nil || turns == 0 || to < turns {
		return nil
	}
	return []string{"--to " + r.to + " is after the last turn (" + strconv.Itoa(turns-1) + "): the range goes to the end, and no turn is kept as it is; --to -3 keeps 3"}
}

// turns are the bounds where both are turns of the log.
func (r *rangeFlags) turns() (from, to int, ok bool) {
	from, err := strconv.Atoi(strings.TrimSpace(r.from))
	to, problem := strconv.Atoi(strings.TrimSpace(r.to))
	return from, to, err == nil && problem == nil && from >= 0 && to >= 0
}

// outside is the error for a range that is to begin after the last turn.
func (r *rangeFlags) outside(turns int) error {
	from, err := strconv.Atoi(strings.TrimSpace(r.from))
	if err == nil && turns > 0 && from >= turns {
		return usage(fmt.Sprintf("--from %d is after the last turn (%d)", from, turns-1), "turns count from 0; --from last begins after what is compacted")
	}
	return nil
}

// wishes hands on what a summary must keep.
func (r *rangeFlags) wishes(req *session.Request) error {
	heard := slices.ContainsFunc(req.Strategies, func(s strategy.Strategy) bool {
		return strategy.Summarises(s) || needsModel(s)
	})
	if r.flags.Flags().Changed("focus") && !heard {
		return usage("--focus is about a summary, and nothing here makes one", "add --strategy summarize, or --profile heavy")
	}
	req.Options.Focus = r.focus
	return nil
}

// badValue says which flag has a value that a parser refused.
func badValue(flag string, err error) error {
	return usage(flag+": "+err.Error(), explain(err).Hint)
}

// joinFrom joins "--from" with the bound that follows it, if one does: the
// flag may stand alone, so the parser of flags would take "5" for an argument.
func joinFrom(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] == "--from" && i+1 < len(args) {
			if _, err := tenfold.ParseBound(args[i+1]); err == nil {
				out = append(out, "--from="+args[i+1])
				i++
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}
