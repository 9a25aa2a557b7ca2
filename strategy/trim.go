package strategy

import (
	"context"
	"fmt"
	"slices"

	"tenfold"
)

// TrimResults keeps the head and the tail of large results, and the lines between
// that matter. It is what is left to do where a result is still needed, though
// not all of it. It proposes nothing where no large result is shown whole.
type TrimResults struct {
	// Head and Tail are how much of either end stays; 0 is 400 bytes, and below
	// 0 nothing does.
	Head, Tail tenfold.Size
	// Over leaves what is no larger as it is; 0 is 2 KB, and below 0 none is.
	Over tenfold.Size
	// Lines is how many lines between head and tail stay; 0 is 12, and below 0
	// none do.
	Lines int
	// Recall ends each cut with a reference by which a model can ask for what is
	// left out (A9).
	Recall bool
}

// Name implements [Strategy].
func (s TrimResults) Name() string { return written("trim-results", s.parameters()) }

func (s *TrimResults) parameters() []parameter {
	return []parameter{
		size("head", &s.Head, 400), size("tail", &s.Tail, 400), size("over", &s.Over, 2<<10), count("lines", &s.Lines, 12),
		flag("recall", &s.Recall),
	}
}

// Propose implements [Strategy].
func (s TrimResults) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	over := number(s.Over, 2<<10)
	leave := o.sparing(exemptByDefault)
	var picks []pick
	trim := tenfold.CallPolicy{Action: tenfold.Trim, Head: number(s.Head, 400), Tail: number(s.Tail, 400)}
	both := trim
	both.Request = true
	for c := range callsIn(p, o.Range) {
		// Only a result that is shown whole is cut.
		if c.Result == 0 || c.Response != tenfold.Kept || p.Log().Size(c.Result) <= over || leave.alone(c.Tool) {
			continue
		}
		one := pick{c.Seq, c.Result, &trim}
		// Whoever stripped the arguments is not to be contradicted.
		if c.Request == tenfold.Stripped {
			one.policy = &both
		}
		picks = append(picks, one)
	}
	if lines := number(s.Lines, 12); lines > 0 {
		choose(p, picks, lines)
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{Recall: s.Recall})
	if !ok {
		o.Notef("no result in turns %s is shown whole and larger than %s bytes", o.Range, over)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}

// choose says which lines of each result stay besides. Names are collected from
// the end of the log on, so that each result is held against those that were
// used after it.
func choose(p *tenfold.Projection, picks []pick, most int) {
	used := usedNames{log: p.Log(), at: p.Version(), seen: map[string]bool{}}
	for i, c := range slices.Backward(picks) {
		r, _ := p.Log().Entry(c.result)
		if lines := mattering(tenfold.SearchText(r.Payload), used.after(c.result), most); lines != nil {
			own := *c.policy
			own.Lines = lines
			picks[i].policy = &own
		}
	}
}

func (s TrimResults) check() error {
	if number(s.Head, 400)+number(s.Tail, 400) == 0 {
		return fmt.Errorf("head=0,tail=0: keep something of either end, or use strip-tool-results")
	}
	return nil
}
