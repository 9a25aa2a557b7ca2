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
	var picked []aCall
	for c := range callsIn(p, o.Range) {
		if c.result == 0 || leave.alone(c.call.Name) || !whole(p, c) {
			continue
		}
		r, _ := p.Log().Entry(c.result)
		if contentSize(r.Payload.(tenfold.ToolResult).Parts) > s.over {
			picked = append(picked, c)
		}
	}
	c, ok := selectively(p, picked, s.policies(p, picked),
		tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{Recall: s.recall})
	if !ok {
		o.Notef("no result in turns %s is shown whole and larger than %s bytes", o.Range, s.over)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}

// whole reports whether the result of a call is as it is in the log, and the
// call itself not gone.
func whole(p *tenfold.Projection, c aCall) bool {
	response, _, _ := p.Fate(c.result)
	return response == tenfold.Kept && !hidden(p, c.seq)
}

// policies says of each call what of its result stays. Names are collected
// from the end of the log on, so that each result is held against those that
// were used after it.
func (s trimResults) policies(p *tenfold.Projection, picked []aCall) []tenfold.CallPolicy {
	used := usedNames{log: p.Log(), at: p.Version(), seen: map[string]bool{}}
	policies := make([]tenfold.CallPolicy, len(picked))
	for i, c := range slices.Backward(picked) {
		request, _, _ := p.Fate(c.seq)
		one := tenfold.CallPolicy{
			Action: tenfold.Trim, Head: s.head, Tail: s.tail,
			// Whoever stripped the arguments is not to be contradicted.
			Request: request == tenfold.Stripped,
		}
		if s.lines > 0 {
			r, _ := p.Log().Entry(c.result)
			one.Lines = mattering(tenfold.SearchText(r.Payload), used.after(c.result), s.lines)
		}
		policies[i] = one
	}
	return policies
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
