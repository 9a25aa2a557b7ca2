// Package lab holds "tenfold lab": package eval measures, this says on what and
// writes the tables and reports.
package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/eval"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/live"
	"tenfold/internal/number"
	"tenfold/provider"
	"tenfold/transcript"
)

// lab is "tenfold lab TRANSCRIPT…".
type lab struct {
	*command.App
	strategies  []string
	cuts        string
	horizons    string
	out         string
	preset      string
	exclude     []string
	formats     []string
	minRequests int
	models      []string
	noMoney     bool
	recall      bool
	live        bool
	heldOut     int
	command     string
}

// looseFiles is the source of transcripts named individually.
const looseFiles = "files"

// presetFrontier is the one preset.
const presetFrontier = "frontier"

// Command is "tenfold lab".
func Command(a *command.App) *cobra.Command {
	k := &lab{App: a}
	c := &cobra.Command{
		Use:   "lab TRANSCRIPT… [flags]",
		Short: "Measure what strategies keep of what was needed later",
		Long: `Measures strategies on saved sessions, without a model. Each session is cut
after 25, 50 and 75 % of its requests. The part before the cut is compacted.
What the agent did after the cut shows which names it still needed: paths,
identifiers, ids and numbers that a later tool call uses and that were not shown
again in between. CUR is the share of these names that survives in a readable
line. It measures what is available to the model, not whether the task succeeds.

Nothing is stored and no model is called: a strategy that needs a summary gets
the digest. A directory is searched for sessions with at least 20 requests. Each
of its subdirectories is one source, and all sources have equal weight.

` + command.Sentence("--strategy selects what to measure: a strategy as in \"compact\", or a baseline: "+baselineWords()+".") + `

--preset frontier measures fit at 5, 10, 20 and 30 %, fit without each of its
ingredients, and all baselines, on sessions of four agents. It leaves out the
sources that the weights of fit were trained on.`,
		Example: `  tenfold lab session.jsonl
  tenfold lab session.jsonl --strategy micro --strategy suffix:target=10%
  tenfold lab sessions/ --horizon 30 --json
  tenfold lab --preset frontier sessions/ --out report`,
		Args: command.Arguments(1, -1, "a transcript or a directory"),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c, args) },
	}
	f := c.Flags()
	f.StringArrayVar(&k.strategies, "strategy", nil, "`STRATEGY` or baseline to measure; may be repeated")
	f.StringVar(&k.cuts, "cuts", "25,50,75", "`PERCENTS` of the requests after which\nto cut")
	f.StringVar(&k.horizons, "horizon", "10,30,all", "`REQUESTS` after the cut that show what\nwas needed")
	f.StringVar(&k.out, "out", "", "`DIR` to write report.md, report.html and\nfrontier.svg to")
	f.StringVar(&k.preset, "preset", "", "`NAME` of a set of strategies: frontier")
	f.StringSliceVar(&k.exclude, "exclude", nil, "`SOURCES` to leave out")
	f.StringSliceVar(&k.formats, "format", nil, "`FORMATS` to measure in directories\n(default: all)")
	f.StringArrayVar(&k.models, "model", nil, "`MODEL` whose prices apply (default: the\nsession's own); may be repeated")
	f.BoolVar(&k.noMoney, "no-money", false, "do not compute input costs")
	f.BoolVar(&k.recall, "recall", false, "search each session for what was needed\nlater and its view hides")
	f.BoolVar(&k.live, "live", false, "replay each session through automatic\ncompaction as configured: what it keeps,\nwhat it costs")
	f.IntVar(&k.heldOut, "held-out", 0, "`REQUESTS` after the cut against which\nstrategies' plans are held before they\nare applied (default: none)")
	f.IntVar(&k.minRequests, "min-requests", 0, "minimum `NUMBER` of requests in a session\n(default: 20 in directories, else 0)")
	command.Complete(c, "preset", presetFrontier)
	command.Complete(c, "format", transcripts.ReadableFormats()...)
	return c
}

// baselineWords lists the baselines for the help.
func baselineWords() string {
	var words []string
	for _, b := range eval.Baselines() {
		name := b.Name
		if b.Budget {
			name += ":target=10%"
		}
		words = append(words, name+" ("+b.About+")")
	}
	return strings.Join(words, ", ")
}

func (k *lab) run(c *cobra.Command, args []string) error {
	o, err := k.options()
	if err != nil {
		return err
	}
	for _, format := range k.formats {
		if err := transcripts.CheckFormat("", format); err != nil {
			return err
		}
	}
	named := c.Flags().Changed("exclude")
	if k.preset != "" && !named {
		k.exclude = eval.FittedOn()
	}
	if k.preset != "" && !c.Flags().Changed("format") {
		k.formats = eval.FrontierFormats()
	}
	files, sources, err := k.files(c.Context(), args)
	if err != nil {
		return err
	}
	for _, source := range k.exclude {
		if named && !sources[source] {
			return command.Usage("--exclude: no source "+command.Quote(source)+" in "+strings.Join(args, ", "), "a source is a subdirectory of a directory that is searched")
		}
	}
	searched := sources != nil
	if searched && !c.Flags().Changed("min-requests") {
		o.MinRequests = eval.DefaultMinRequests
	}
	o.Lost = len(files) == 1
	label := "measure " + args[0]
	if len(files) > 1 {
		label = "measure " + number.Count(len(files), "file")
	}
	p := k.StartProgress(label, int64(len(files)))
	r, err := eval.Run(c.Context(), files, o, func(done int) { p.At(int64(done)) })
	p.End()
	if err != nil {
		return err
	}
	k.command = commandLine(c, args)
	return k.print(r)
}

// options reads the flags.
func (k *lab) options() (eval.Options, error) {
	o := eval.Options{MinRequests: k.minRequests, HeldOut: k.heldOut, Money: !k.noMoney, Recall: k.recall, Models: k.models}
	if k.heldOut < 0 {
		return o, command.Usage("invalid --held-out value "+strconv.Itoa(k.heldOut), "write how many requests later the plan is applied: 5")
	}
	if k.minRequests < 0 {
		return o, command.Usage("invalid --min-requests value "+strconv.Itoa(k.minRequests), "write a number of requests: 20")
	}
	texts := k.strategies
	switch {
	case k.preset == presetFrontier:
		texts = append(eval.Frontier(), texts...)
	case k.preset != "":
		return o, command.Usage("unknown preset "+command.Quote(k.preset), "known presets: frontier")
	case len(texts) == 0 && k.live:
		texts = []string{"none"}
	}
	var err error
	o.Policies, err = eval.ParsePolicies(texts, func(text string, err error) error {
		return command.Usage("invalid --strategy "+command.Quote(text)+": "+err.Error(), strings.TrimPrefix(command.Explain(err).Hint+`; "tenfold lab --help" lists the baselines`, "; "))
	})
	if err != nil {
		return o, err
	}
	if k.live {
		e, err := k.Effective()
		if err != nil {
			return o, err
		}
		all, err := live.Settings(e.Config, "")
		if err != nil {
			return o, err
		}
		all.Request.Options.Window = 0 // each session's own
		o.Live, o.Money = eval.LiveWays(all), false
		for _, way := range o.Live {
			o.Policies = append(o.Policies, eval.LivePolicy(way.Name, way.Live))
		}
	}
	for _, model := range o.Models {
		if _, known := provider.Shipped().Price(model); !known {
			return o, command.Usage("unknown price of --model "+command.Quote(model), "use the vendor's name: claude-sonnet-5-5, gpt-6.2-sol, gemini-4-argon")
		}
	}
	if o.Cuts, err = percents("--cuts", k.cuts); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(k.horizons, ",") {
		n := eval.All
		if text = strings.TrimSpace(text); text != "all" {
			if n, err = strconv.Atoi(text); err != nil || n < 1 {
				return o, command.Usage("invalid --horizon value "+command.Quote(text), `write positive numbers, or "all": 10,30,all`)
			}
		}
		if !slices.Contains(o.Horizons, n) {
			o.Horizons = append(o.Horizons, n)
		}
	}
	return o, nil
}

// percents parses a list of percentages, each once, in order.
func percents(flag, text string) ([]int, error) {
	var list []int
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(one), "%"))
		if err != nil || n < 1 || n > 99 {
			return nil, command.Usage("invalid "+flag+" value "+command.Quote(one), "write numbers from 1 to 99: 25,50,75")
		}
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// files lists what to measure, and the sources in the directories that were searched, those
// left out among them; nil where none was.
func (k *lab) files(ctx context.Context, args []string) (files []eval.File, sources map[string]bool, err error) {
	var seen []os.FileInfo
	add := func(path, source string) error {
		info, err := os.Stat(path)
		// A file that is named twice, or in a directory too, counts once.
		if err != nil || slices.ContainsFunc(seen, func(have os.FileInfo) bool { return os.SameFile(have, info) }) {
			return err
		}
		seen = append(seen, info)
		files = append(files, eval.File{Path: path, Name: path, Source: source})
		return nil
	}
	for _, arg := range args {
		if !transcripts.ToSearch(arg) {
			if err := add(arg, looseFiles); err != nil {
				return nil, nil, err
			}
			continue
		}
		if sources == nil {
			sources = map[string]bool{}
		}
		for found, err := range transcript.Find(ctx, arg, "") {
			if err != nil {
				return nil, nil, err
			}
			source := sourceOf(arg, found.Path)
			sources[source] = true
			wanted := len(k.formats) == 0 || slices.Contains(k.formats, string(found.Format))
			if found.Err == nil && wanted && !slices.Contains(k.exclude, source) {
				if err := add(found.Path, source); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	if len(files) == 0 {
		return nil, nil, command.Hinted(errors.New("no sessions found in "+strings.Join(args, ", ")), "not_found", "known formats: "+strings.Join(transcripts.ReadableFormats(), ", "))
	}
	return files, sources, nil
}

// sourceOf is the subdirectory of the searched directory.
func sourceOf(dir, path string) string {
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return looseFiles
	}
	first, _, inside := strings.Cut(filepath.ToSlash(below), "/")
	if !inside {
		return looseFiles
	}
	return first
}
