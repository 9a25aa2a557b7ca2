package htmlexport

import (
	"cmp"
	"slices"
	"time"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/tool"
)

// sums is what is known of the whole before the first line is written.
type sums struct {
	turns []turnSum
	by    map[string]tenfold.Count // what each compaction decides now
	// shown is what a model sees of the shortened entries, by seq; listed has a bit
	// for each entry that it sees at all; added is what stands after an entry that is
	// none, after 0 before all.
	shown  map[int64]tenfold.Payload
	listed []bool
	added  map[int64][]tenfold.Item
	// full is how many tokens fill a bar: nine in ten entries have no more.
	full, fullTurn int
}

// turnSum is what a turn's line says.
type turnSum struct {
	entries, errors int
	tokens          tenfold.Count
	asked, said     string // by the person, by the model
	at              time.Time
}

func (p *page) collect() {
	p.by, p.shown, p.added = map[string]tenfold.Count{}, map[int64]tenfold.Payload{}, map[int64][]tenfold.Item{}
	p.listed = make([]bool, p.log.Version()+1)
	p.turns = make([]turnSum, max(p.log.Turns(), 1))
	last := int64(0)
	for it := range report.Items(p.view) {
		switch {
		case it.Seq == 0:
			p.added[last] = append(p.added[last], it)
			continue
		case it.Fate == tenfold.Stripped || it.Fate == tenfold.Trimmed:
			p.shown[it.Seq] = it.Payload
		}
		p.listed[it.Seq] = true
		last = max(last, it.Seq)
	}
	var sizes []int
	turn := 0
	for e := range p.log.Entries() {
		if t, _, ok := p.log.Where(e.Seq); ok {
			turn = t
		}
		t := &p.turns[turn]
		if t.at.IsZero() && e.Payload.Kind().Visible() {
			t.at = e.Time
		}
		switch v := e.Payload.(type) {
		case tenfold.UserMessage:
			if t.asked == "" && v.IsRequest() && e.Branch == "" {
				t.asked = textOf(v)
			}
		case tenfold.AssistantMessage:
			t.said = cmp.Or(t.said, v.Text)
		case tenfold.ToolResult:
			if call, _ := p.log.CallOf(e.Seq); tool.OutcomeOf(call.Name, v).Bad() {
				t.errors++
			}
		}
		if !e.Payload.Kind().Visible() {
			continue
		}
		t.entries++
		if !p.view.Reads(e.Seq) {
			continue
		}
		_, by, after := p.view.Fate(e.Seq)
		sum := tenfold.Count{Entries: 1, Before: e.Tokens, After: after}
		t.tokens = plus(t.tokens, sum)
		if by != "" {
			p.by[by] = plus(p.by[by], sum)
		}
		if size := max(e.Tokens, after); size > 0 {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	p.full = 100
	if n := len(sizes); n > 0 {
		p.full = max(p.full, sizes[n*9/10])
	}
	p.fullTurn = 1
	for _, t := range p.turns {
		p.fullTurn = max(p.fullTurn, t.tokens.Before, t.tokens.After)
	}
}

func plus(x, y tenfold.Count) tenfold.Count {
	return tenfold.Count{Entries: x.Entries + y.Entries, Before: x.Before + y.Before, After: x.After + y.After}
}
