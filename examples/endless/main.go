// Command endless shows a conversation that does not die: an agent works through
// 400 steps with real tools in a scratch repository, and its model's context holds
// 32,768 tokens. A script plays the model, so that it runs offline and is the same
// each time; all the rest is what "tenfold query" runs.
//
//	go run ./examples/endless
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/containment"
	"tenfold/permission"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/sqlite"
	"tenfold/token"
	"tenfold/toolbox"
)

func main() {
	containment.Enter() // commands of the agent run in a copy of this program
	parts := flag.Int("parts", 96, "number of parts in the workshop; 96 make 400 steps")
	flag.Parse()
	if err := demonstrate(context.Background(), os.Stdout, *parts); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// window is how many tokens the model's context holds.
const window = 32_768

func demonstrate(ctx context.Context, out io.Writer, parts int) error {
	dir, err := os.MkdirTemp("", "tenfold-endless-")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "tenfold.db")
	st, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer st.Close()
	r, err := play(ctx, st, filepath.Join(dir, "workshop"), parts, out)
	if err != nil {
		return err
	}
	r.print(out)
	_, err = fmt.Fprintf(out, `
Look for yourself:

  export TENFOLD_STORE=sqlite://%s
  tenfold conversation ls
  tenfold conversation diff %s   # what became of each entry, and why
  tenfold conversation print %s --compacted
  git -C %s log --oneline
  rm -r %s
`, path, r.id, r.id, filepath.Join(dir, "workshop"), dir)
	return err
}

// report is what came of it.
type report struct {
	id             string
	steps, entries int
	raw            int // tokens of the whole log
	// largest is the largest request, over counts those over the window, by a
	// count apart from the agent's own.
	largest, over int
	compactions   []session.Decision
	fates         [5]tenfold.Count
	found, lost   int
	wrong         []string
	took          time.Duration
}

// play has the agent do the work.
func play(ctx context.Context, st store.Store, dir string, parts int, out io.Writer) (*report, error) {
	began := time.Now()
	shop, err := newWorkshop(ctx, dir, parts)
	if err != nil {
		return nil, err
	}
	tools, err := toolbox.Builtin(dir, toolbox.Options{})
	if err != nil {
		return nil, err
	}
	judge, err := permission.New(permission.Rules{Allow: []string{"fs_modify_file", "fs_create_file", "git_commit", "shell:ls *"}})
	if err != nil {
		return nil, err
	}
	s, err := session.NewService(st).Create(ctx, session.Create{Title: "The workshop"})
	if err != nil {
		return nil, err
	}
	r := &report{id: s.ID()}
	c := newClerk(parts)
	o := agent.Options{
		Tools: tools, Judge: judge, Live: session.Live{Auto: session.LiveAuto{Enabled: true}},
		Model: script.Choose(func(shown script.Shown) script.Answer {
			a := c.answer(shown)
			size := token.O200k().Count(shown.Body)
			if r.largest = max(r.largest, size); size > window {
				r.over++
			}
			a.Usage = tenfold.Usage{Input: size, Output: 40}
			return a
		}),
	}
	o.Live.Request.Options.Window = window
	a, err := agent.New(s, o)
	if err != nil {
		return nil, err
	}
	t := &table{out: out}
	fmt.Fprintf(out, "%-9s %-33s %s\n", "steps", fmt.Sprintf("context of %d tokens", window), "then")
	for turn, text := range requests {
		for e, err := range a.Run(ctx, tenfold.Text(text)...) {
			switch {
			case err != nil:
				return nil, err
			case e.Gauge != nil:
				t.most = max(t.most, e.Gauge.Tokens)
			case e.Compaction != nil && e.Compaction.Action == session.Compacted:
				r.compactions = append(r.compactions, *e.Compaction)
				p := e.Compaction.Result.Plan
				t.row(c.next, fmt.Sprintf("compaction %d: %d tokens are left", len(r.compactions), p.Scale.Tokens(p.After)))
			case e.Stop != nil && e.Stop.Reason != agent.Answered:
				return nil, fmt.Errorf("the run stopped: %s: %s", e.Stop.Reason, e.Stop.Detail)
			}
		}
		t.row(c.next, fmt.Sprintf("request %d is answered", turn+1))
	}
	totals := s.Projection().Totals()
	r.fates, r.raw, r.entries = totals.ByFate, s.Log().Tokens(), int(s.Log().Version())
	r.steps, r.found, r.lost = c.next, c.found, c.lost
	r.wrong, r.took = shop.check(ctx), time.Since(began)
	return r, nil
}

// table prints what happens as it happens.
type table struct {
	out         io.Writer
	since, most int // the step after which the row begins, and its largest context
}

// row ends a row at a step.
func (t *table) row(step int, what string) {
	steps, bar := "", ""
	if step > t.since {
		full := min(t.most*24/window, 24)
		steps, bar = fmt.Sprintf("%d–%d", t.since+1, step), fmt.Sprintf("%s%s %6d", strings.Repeat("█", full), strings.Repeat("░", 24-full), t.most)
	}
	fmt.Fprintf(t.out, "%-9s %-33s %s\n", steps, bar, what)
	t.since, t.most = step, 0
}

// print prints the sums.
func (r *report) print(out io.Writer) {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(out, "%-22s %s\n", name, fmt.Sprintf(format, values...))
	}
	fmt.Fprintln(out)
	line("Steps", "%d, in %v", r.steps, r.took.Round(100*time.Millisecond))
	line("Compactions", "%d, all by themselves and without a model", len(r.compactions))
	line("Largest request", "%d tokens of %d; %d requests were over", r.largest, window, r.over)
	line("The whole log", "%d entries, %d tokens: %.1f times the window", r.entries, r.raw, float64(r.raw)/window)
	sum := 0
	for fate, name := range []string{"kept", "stripped", "trimmed", "omitted", "summarised"} {
		if count := r.fates[fate]; count.Entries > 0 {
			line("  "+name, "%5d entries, %7d → %6d tokens", count.Entries, count.Before, count.After)
			sum += count.Entries
		}
	}
	line("  all", "%5d entries, of %d in the log", sum, r.entries)
	line("Facts recalled", "%d of %d, read hundreds of steps before", r.found, r.found+r.lost)
	if len(r.wrong) == 0 {
		line("Work tree", "as it should be, in each file")
		return
	}
	for _, wrong := range r.wrong {
		line("Work tree", "WRONG: %s", wrong)
	}
}
