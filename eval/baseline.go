package eval

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// window is the newest whole turns within a target (S-7).
func (c *Cut) window(ctx context.Context, t strategy.Target) (*View, error) {
	s, err := strategy.Parse(fmt.Sprintf("token-window:n=%d", max(c.budget(t), 1)))
	if err != nil {
		return nil, err
	}
	return planned(whole, s)(ctx, c)
}

// suffix is the newest lines within a budget. The first that does not fit ends
// it.
func (c *Cut) suffix(budget int) *View {
	all := c.ViewOf(c.projection).lines
	from := len(all)
	for from > 0 {
		cost := c.session.cost(all[from-1].line)
		if cost > budget {
			break
		}
		budget -= cost
		from--
	}
	v := &View{cut: c, costs: map[int64]int{}}
	for _, l := range all[from:] {
		v.put(l.seq, l.line)
	}
	return v
}

// narrated is how many characters of a result the rule of narration keeps.
const narrated = 300

// narration is a published rule of another tool: what was said stays, calls go, and
// of results their first characters stay. It has no target.
func (c *Cut) narration() *View {
	v := &View{cut: c, costs: map[int64]int{}}
	left := map[int64]int{}
	for _, l := range c.ViewOf(c.projection).lines {
		e, _ := c.log.Entry(l.seq)
		if e.Payload == nil || e.Payload.Kind() == tenfold.KindToolCall {
			continue
		}
		if e.Payload.Kind() == tenfold.KindToolResult {
			chars, seen := left[l.seq]
			if !seen {
				chars = narrated
			}
			if left[l.seq] = chars - c.session.lines[l.line].chars - 1; chars <= 0 {
				continue
			}
		}
		v.put(l.seq, l.line)
	}
	return v
}

// code is the newest texts of code within a budget: what reads showed and what
// edits and writes put there, each whole or not at all. A text whose lines all
// stand in newer ones is left out.
func (c *Cut) code(budget int) *View {
	shown := map[int32]bool{}
	var texts []viewText
	for seq := c.log.Version(); seq > 0; seq-- {
		t := viewText{seq, c.codeAt(seq)}
		cost, fresh := 0, false
		for _, l := range t.lines {
			cost += c.session.cost(l)
			fresh = fresh || !shown[l]
		}
		if !fresh || cost > budget {
			continue
		}
		budget -= cost
		for _, l := range t.lines {
			shown[l] = true
		}
		texts = append(texts, t)
	}
	v := &View{cut: c, costs: map[int64]int{}}
	for _, t := range slices.Backward(texts) {
		for _, l := range t.lines {
			v.put(t.seq, l)
		}
	}
	return v
}

// viewText is a text of an entry.
type viewText struct {
	seq   int64
	lines []int32
}

// codeAt is the code of an entry: the result of a read, or what a call writes.
func (c *Cut) codeAt(seq int64) []int32 {
	e, ok := c.log.Entry(seq)
	of := c.entry(seq)
	if !ok || of == nil {
		return nil
	}
	call, calls := e.Payload.(tenfold.ToolCall)
	if !calls {
		pair, ok := c.log.Entry(c.log.Pair(seq))
		if !ok || of.kind != tenfold.KindToolResult {
			return nil
		}
		if call, ok = pair.Payload.(tenfold.ToolCall); !ok {
			return nil
		}
	}
	known, _ := tool.Lookup(call.Name)
	for _, op := range known.Operations(call.Arguments) {
		if (op.Op == tool.FileRead) != calls {
			return of.lines
		}
	}
	return nil
}

// atomList is a list of atoms, a line each, those of the most value first. It shows
// what a measure is worth that asks for no more than that names stand.
func (c *Cut) atomList(budget int) *View {
	s := c.session
	type stat struct {
		atom            int32
		df, mentions    int
		last            int
		entry           int64
		entryMentioning int64
		value           float64
	}
	stats := map[int32]*stat{}
	for i, id := range c.from {
		if id < 0 {
			continue
		}
		e, seq := &s.entries[id], int64(i+1)
		request := e.request
		for _, l := range e.lines {
			for _, a := range s.lines[l].atoms {
				st := stats[a]
				if st == nil {
					st = &stat{atom: a}
					stats[a] = st
				}
				if st.entry != seq {
					st.entry = seq
					st.df++
					st.last = max(st.last, request)
				}
				if e.kind != tenfold.KindToolResult && st.entryMentioning != seq {
					st.entryMentioning = seq
					st.mentions++
				}
			}
		}
	}
	now := c.last
	var list []*stat
	for _, st := range stats {
		// The value of fit.md without its model.
		recent := float64(1+2*min(st.mentions, 4)) / float64(4+now-st.last)
		st.value = recent * math.Log(1+float64(c.visible)/float64(st.df))
		list = append(list, st)
	}
	slices.SortFunc(list, func(a, b *stat) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.atom, b.atom))
	})
	v := &View{cut: c, costs: map[int64]int{}}
	for _, st := range list {
		id := s.intern(s.atoms[st.atom])
		if cost := s.cost(id); cost <= budget {
			budget -= cost
			v.put(0, id)
		}
	}
	return v
}

// unit is a line that foreseen may choose, and what it is worth.
type unit struct {
	line int32
	seq  int64
	rate float64
}

// units is a heap of them, the best first.
type units []unit

func (u units) Len() int      { return len(u) }
func (u units) Swap(i, j int) { u[i], u[j] = u[j], u[i] }

func (u *units) Push(x any) {
	v, _ := x.(unit)
	*u = append(*u, v)
}

func (u units) Less(i, j int) bool {
	a, b := u[i], u[j]
	return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(b.seq, a.seq), cmp.Compare(a.line, b.line)) < 0
}

func (u *units) Pop() any {
	last := (*u)[len(*u)-1]
	*u = (*u)[:len(*u)-1]
	return last
}

// clairvoyant is the best lines for the atoms that will be used within a horizon,
// chosen by one that knows them: what recall a choice of lines can have at all.
func (c *Cut) clairvoyant(budget, horizon int) *View {
	s := c.session
	open := make([]bool, len(c.carried))
	newest := map[int32]int64{} // of each line, where it stands last
	for i := range c.carried {
		k := &c.carried[i]
		if open[i] = k.within(horizon); !open[i] {
			continue
		}
		for _, o := range k.found {
			newest[o.line] = max(newest[o.line], o.seq)
		}
	}
	gain := func(line int32) float64 {
		sum := 0.0
		for _, a := range s.lines[line].atoms {
			if int(a) < len(c.carriedAt) && c.carriedAt[a] >= 0 && open[c.carriedAt[a]] {
				sum += c.carried[c.carriedAt[a]].weight
			}
		}
		return sum
	}
	units := make(units, 0, len(newest))
	for line, seq := range newest {
		units = append(units, unit{line, seq, gain(line) / float64(s.cost(line))})
	}
	heap.Init(&units)
	var picked []unit
	for len(units) > 0 {
		u, _ := heap.Pop(&units).(unit)
		cost := s.cost(u.line)
		if cost > budget {
			continue
		}
		// What was covered since makes a line worth less: it waits its turn.
		if rate := gain(u.line) / float64(cost); rate < u.rate {
			if u.rate = rate; rate > 0 {
				heap.Push(&units, u)
			}
			continue
		}
		budget -= cost
		picked = append(picked, u)
		for _, a := range s.lines[u.line].atoms {
			if int(a) < len(c.carriedAt) && c.carriedAt[a] >= 0 {
				open[c.carriedAt[a]] = false
			}
		}
	}
	slices.SortFunc(picked, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.line, b.line))
	})
	v := &View{cut: c, costs: map[int64]int{}}
	for _, u := range picked {
		v.put(u.seq, u.line)
	}
	return v
}
