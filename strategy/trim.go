package strategy

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"tenfold"
)

// trimResults keeps the head and the tail of large results, and the lines
// between that matter. It is what is left to do where a result is still
// needed, though not all of it.
type trimResults struct {
	head, tail, over tenfold.Size
	lines            int
	recall           bool
}

func (s trimResults) Name() string {
	name := fmt.Sprintf("trim-results:head=%s,tail=%s,over=%s,lines=%d", s.head, s.tail, s.over, s.lines)
	if s.recall {
		name += ",recall=true"
	}
	return name
}

func (s trimResults) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	leave := o.sparing(exemptByDefault)
	var picks []pick
	trim := tenfold.CallPolicy{Action: tenfold.Trim, Head: s.head, Tail: s.tail}
	both := trim
	both.Request = true
	for c := range callsIn(p, o.Range) {
		// Only a result that is shown whole is cut.
		if c.Result == 0 || c.Response != tenfold.Kept || p.Log().Size(c.Result) <= s.over || leave.alone(c.Tool) {
			continue
		}
		one := pick{c.Seq, c.Result, &trim}
		// Whoever stripped the arguments is not to be contradicted.
		if c.Request == tenfold.Stripped {
			one.policy = &both
		}
		picks = append(picks, one)
	}
	if s.lines > 0 {
		s.choose(p, picks)
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{Recall: s.recall})
	if !ok {
		o.Notef("no result in turns %s is shown whole and larger than %s bytes", o.Range, s.over)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}

// choose says which lines of each result stay besides. Names are collected from
// the end of the log on, so that each result is held against those that were
// used after it.
func (s trimResults) choose(p *tenfold.Projection, picks []pick) {
	used := usedNames{log: p.Log(), at: p.Version(), seen: map[string]bool{}}
	for i, c := range slices.Backward(picks) {
		r, _ := p.Log().Entry(c.result)
		if lines := mattering(tenfold.SearchText(r.Payload), used.after(c.result), s.lines); lines != nil {
			own := *c.policy
			own.Lines = lines
			picks[i].policy = &own
		}
	}
}

func (s trimResults) check() error {
	if s.head+s.tail == 0 {
		return fmt.Errorf("head=0,tail=0: keep something of either end, or use strip-tool-results")
	}
	return nil
}

func (s trimResults) with(key, value string) (Strategy, error) {
	var err error
	switch key {
	case "head":
		s.head, err = parseSize(key, value)
	case "tail":
		s.tail, err = parseSize(key, value)
	case "over":
		s.over, err = parseSize(key, value)
	case "lines":
		s.lines, err = strconv.Atoi(value)
		if err != nil || s.lines < 0 {
			err = fmt.Errorf("lines=%s: write how many lines to keep between head and tail, 0 for none", value)
		}
	case "recall":
		s.recall, err = parseBool(key, value)
	default:
		err = errNoParameter(key, "head", "tail", "over", "lines", "recall")
	}
	return s, err
}
