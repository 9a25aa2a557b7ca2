package cli

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
	"tenfold/provider"
	"tenfold/transcript"
)

// lab is "tenfold lab TRANSCRIPT…".
type lab struct {
	*app
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
	command     string
}

// looseFiles is the source of transcripts that are named one by one.
const looseFiles = "files"

// presetFrontier is the one preset.
const presetFrontier = "frontier"

func (a *app) labCommand() *cobra.Command {
	k := &lab{app: a}
	c := &cobra.Command{
		Use:   "lab TRANSCRIPT… [flags]",
		Short: "Measure what strategies leave of what was needed later",
		Long: `Measures strategies on sessions that were saved, without a model. Each session
is cut after a quarter, a half and three quarters of its requests. What stands
before the cut is compacted, and what the agent did after it tells which names
it still needed: paths, identifiers, ids and numbers that a later tool call uses
and that nothing showed again in between. CUR is the share of them that still
stands in a readable line. It tells what is available to the model, not that the
task succeeds.

Nothing is stored, and no model is asked: a strategy that wants a summary gets
the digest. A directory is searched for sessions; what lies below it in one
directory is one source, and every source weighs the same. Of a directory only
sessions with 20 requests or more count.

` + fill(sentence("--strategy names what to measure: a strategy as \"compact\" takes it, or a baseline: "+baselineWords()+"."), helpWidth) + `

--preset frontier measures fit at 3, 5, 10, 20 and 25 %, what it is without each
of its ingredients, and all baselines, on the sessions of four agents. It leaves
out the sources that fit's weights were fitted on.`,
		Example: `  tenfold lab session.jsonl
  tenfold lab session.jsonl --strategy micro --strategy suffix:target=10%
  tenfold lab sessions/ --horizon 30 --json
  tenfold lab --preset frontier sessions/ --out report`,
		Args: arguments(1, -1, "a transcript or a directory"),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c, args) },
	}
	f := c.Flags()
	f.StringArrayVar(&k.strategies, "strategy", nil, "`STRATEGY` or baseline to measure; may be repeated")
	f.StringVar(&k.cuts, "cuts", "25,50,75", "`PERCENTS` of the requests to cut\nafter")
	f.StringVar(&k.horizons, "horizon", "10,30,all", "`REQUESTS` after the cut that tell what\nwas needed")
	f.StringVar(&k.out, "out", "", "`DIR` to write report.md, report.html and\nfrontier.svg to")
	f.StringVar(&k.preset, "preset", "", "`NAME` of a set of strategies: frontier")
	f.StringSliceVar(&k.exclude, "exclude", nil, "`SOURCES` to leave out")
	f.StringSliceVar(&k.formats, "format", nil, "`FORMATS` to measure of a directory\n(default all)")
	f.StringArrayVar(&k.models, "model", nil, "`MODEL` at whose prices the input is priced, else\nthe session's own; may be repeated")
	f.BoolVar(&k.noMoney, "no-money", false, "leave out what the input costs")
	f.IntVar(&k.minRequests, "min-requests", 0, "least `NUMBER` of requests of a session\n(default 20 in directories, else 0)")
	complete(c, "preset", presetFrontier)
	complete(c, "format", readableFormats()...)
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
		if err := checkFormat("--format", format); err != nil {
			return err
		}
	}
	if k.preset != "" && !c.Flags().Changed("exclude") {
		k.exclude = eval.FittedOn()
	}
	if k.preset != "" && !c.Flags().Changed("format") {
		k.formats = eval.FrontierFormats()
	}
	files, searched, err := k.files(c.Context(), args)
	if err != nil {
		return err
	}
	if searched && !c.Flags().Changed("min-requests") {
		o.MinRequests = eval.DefaultMinRequests
	}
	o.Lost = len(files) == 1
	label := "measure " + args[0]
	if len(files) > 1 {
		label = "measure " + count(len(files), "file", "files")
	}
	p := k.startProgress(label, int64(len(files)))
	r, err := eval.Run(c.Context(), files, o, func(done int) { p.at(int64(done)) })
	p.end()
	if err != nil {
		return err
	}
	k.command = commandLine(c, args)
	return k.tell(r)
}

// options reads the flags.
func (k *lab) options() (eval.Options, error) {
	o := eval.Options{MinRequests: k.minRequests, Money: !k.noMoney, Models: k.models}
	texts := k.strategies
	switch {
	case k.preset == presetFrontier:
		texts = append(eval.Frontier(), texts...)
	case k.preset != "":
		return o, usage("--preset: there is no preset "+quote(k.preset), "there is frontier")
	case len(texts) == 0:
		texts = eval.Defaults()
	}
	for i, text := range texts {
		if slices.Contains(texts[:i], text) {
			continue
		}
		p, err := eval.ParsePolicy(text)
		if err != nil {
			return o, usage("--strategy "+quote(text)+": "+err.Error(), strings.TrimPrefix(explain(err).Hint+`; "tenfold lab --help" lists the baselines`, "; "))
		}
		o.Policies = append(o.Policies, p)
	}
	for _, model := range o.Models {
		if _, known := provider.Shipped().Price(model); !known {
			return o, usage("--model: the price of "+quote(model)+" is not known", "write it as it is sold: claude-sonnet-4-5, gpt-5, gemini-2.5-pro")
		}
	}
	var err error
	if o.Cuts, err = numbers("--cuts", k.cuts, 1, 99); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(k.horizons, ",") {
		n := eval.All
		if text = strings.TrimSpace(text); text != "all" {
			if n, err = strconv.Atoi(text); err != nil || n < 1 {
				return o, usage("--horizon: "+quote(text)+" is no number of requests", `write numbers from 1 on, or "all": 10,30,all`)
			}
		}
		if !slices.Contains(o.Horizons, n) {
			o.Horizons = append(o.Horizons, n)
		}
	}
	return o, nil
}

// numbers reads a list of numbers within bounds, each once, in order.
func numbers(flag, text string, least, most int) ([]int, error) {
	var list []int
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(one), "%"))
		if err != nil || n < least || n > most {
			return nil, usage(flag+": "+quote(one)+" is no number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most), "write them with commas: 25,50,75")
		}
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// files lists what to measure, and whether directories were searched for it.
func (k *lab) files(ctx context.Context, args []string) (files []eval.File, searched bool, err error) {
	for _, arg := range args {
		if !(&importing{app: k.app}).searches(arg) {
			if _, err := os.Stat(arg); err != nil {
				return nil, false, err
			}
			files = append(files, eval.File{Path: arg, Name: arg, Source: looseFiles})
			continue
		}
		searched = true
		for found, err := range transcript.Find(ctx, arg, "") {
			if err != nil {
				return nil, false, err
			}
			source := sourceOf(arg, found.Path)
			wanted := len(k.formats) == 0 || slices.Contains(k.formats, string(found.Format))
			if found.Err == nil && wanted && !slices.Contains(k.exclude, source) {
				files = append(files, eval.File{Path: found.Path, Name: found.Path, Source: source})
			}
		}
	}
	if len(files) == 0 {
		return nil, false, hinted(errors.New("no session was found in "+strings.Join(args, ", ")), "not_found", "known formats: "+strings.Join(readableFormats(), ", "))
	}
	return files, searched, nil
}

// sourceOf is the first directory below the one that was searched.
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
