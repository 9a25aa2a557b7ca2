package strategy

import (
	"encoding/base64"
	"iter"
	"strconv"
	"strings"

	"tenfold"
)

// aCall is a tool call of the log with its result.
type aCall struct {
	call   tenfold.ToolCall
	seq    int64
	result int64 // seq of its result; 0 while it is open
}

// key names this very call in a selective policy: ids are used again.
func (c aCall) key() string { return c.call.CallID + "@" + strconv.FormatInt(c.seq, 10) }

// tokens is what call and result cost a model.
func (c aCall) tokens(p *tenfold.Projection) int {
	_, _, sum := p.Fate(c.seq)
	if c.result > 0 {
		_, _, result := p.Fate(c.result)
		sum += result
	}
	return sum
}

// by is the overlay that made the call or its result what they are.
func (c aCall) by(p *tenfold.Projection) string {
	if _, by, _ := p.Fate(c.seq); by != "" || c.result == 0 {
		return by
	}
	_, by, _ := p.Fate(c.result)
	return by
}

// rangeOf is the range of an overlay.
func rangeOf(c tenfold.Compaction) tenfold.Range {
	return tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}
}

// extent gives the first and last entries of a range; first > last for none.
func extent(l *tenfold.Log, r tenfold.Range) (first, last int64) {
	from, ok := l.Turn(r.FromTurn)
	to, ok2 := l.Turn(min(r.ToTurn, l.Turns()-1))
	if !ok || !ok2 || r.FromTurn > r.ToTurn {
		return 1, 0
	}
	if r.ToStep == nil || to.Index < r.ToTurn {
		return from.First, to.Last
	}
	for seq := to.First; seq <= to.Last; seq++ {
		if step, ok := rootStep(l, seq); ok && step > *r.ToStep {
			return from.First, seq - 1
		}
	}
	return from.First, to.Last
}

// rootStep is the step an entry of the root begins or goes on; not ok for
// others, and for results, which stand with their calls.
func rootStep(l *tenfold.Log, seq int64) (step int, ok bool) {
	e, _ := l.Entry(seq)
	if e.Branch != "" || e.Payload.Kind() == tenfold.KindToolResult {
		return 0, false
	}
	_, step, _ = l.Where(seq)
	return step, true
}

// entriesIn gives the entries of a range of the log in order; results where
// their calls are, though those that arrived after it come last.
func entriesIn(l *tenfold.Log, r tenfold.Range) iter.Seq[tenfold.Entry] {
	return func(yield func(tenfold.Entry) bool) {
		first, last := extent(l, r)
		var late []int64
		for seq := first; seq <= last; seq++ {
			e, _ := l.Entry(seq)
			switch pair := l.Pair(seq); {
			case pair > last:
				late = append(late, pair)
			case pair > 0 && pair < first:
				continue
			}
			if !yield(e) {
				return
			}
		}
		for _, seq := range late {
			if e, _ := l.Entry(seq); !yield(e) {
				return
			}
		}
	}
}

// callsIn gives the calls of a range that the projection's reader has.
func callsIn(p *tenfold.Projection, r tenfold.Range) iter.Seq[aCall] {
	return func(yield func(aCall) bool) {
		l := p.Log()
		for e := range entriesIn(l, r) {
			call, ok := e.Payload.(tenfold.ToolCall)
			if ok && p.Reads(e.Seq) && !yield(aCall{call: call, seq: e.Seq, result: l.Pair(e.Seq)}) {
				return
			}
		}
	}
}

// hidden reports whether the model sees nothing of an entry.
func hidden(p *tenfold.Projection, seq int64) bool {
	f, _, _ := p.Fate(seq)
	return f == tenfold.Omitted || f == tenfold.Summarised
}

// selectively makes an overlay that does to each of the calls what its policy
// says, in policy's form. Calls that it would not make cheaper are left out –
// pinned ones, those whose stub is no shorter – so that a plan names what it
// changes and no more. ok is false when nothing is left.
func selectively(p *tenfold.Projection, picked []aCall, policies []tenfold.CallPolicy, c tenfold.Compaction, policy tenfold.ToolPolicy) (tenfold.Compaction, bool) {
	if len(picked) == 0 {
		return c, false
	}
	policy.Action = tenfold.Selective
	lay := func(on func(int) bool) bool {
		policy.Calls = map[string]tenfold.CallPolicy{}
		first, last := 0, -1
		for i := range picked {
			if !on(i) {
				continue
			}
			if last < 0 {
				first = i
			}
			last = i
			policy.Calls[picked[i].key()] = policies[i]
		}
		if last < 0 {
			return false
		}
		copied := policy
		c.ToolCalls = &copied
		c = spanning(p.Log(), picked[first].seq, picked[last].seq).On(c)
		return true
	}
	lay(func(int) bool { return true })
	next := p.With(c)
	better := make([]bool, len(picked))
	all := true
	for i := range picked {
		better[i] = picked[i].tokens(next) < picked[i].tokens(p)
		all = all && better[i]
	}
	return c, all || lay(func(i int) bool { return better[i] })
}

// spanning is the smallest range that holds two entries.
func spanning(l *tenfold.Log, first, last int64) tenfold.Range {
	from, _, _ := l.Where(first)
	to, _, _ := l.Where(last)
	r := tenfold.Range{FromTurn: from, ToTurn: to}
	t, _ := l.Turn(to)
	for seq := last; seq >= t.First; seq-- {
		if step, ok := rootStep(l, seq); ok {
			if step < t.Steps-1 {
				r.ToStep = &step
			}
			break
		}
	}
	return r
}

// contentSize is the size of a result in bytes, as P6 measures it.
func contentSize(parts []tenfold.Part) tenfold.Size {
	var total tenfold.Size
	for _, part := range parts {
		total += tenfold.Size(len(part.Text))
		if part.File == nil {
			continue
		}
		if _, data, ok := strings.Cut(part.File.URI, ";base64,"); ok {
			total += tenfold.Size(base64.StdEncoding.DecodedLen(len(data)))
		} else {
			total += tenfold.Size(len(part.File.Detail))
		}
	}
	return total
}
