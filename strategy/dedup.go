package strategy

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/tool"
)

// DedupTools lets the older of two calls with the same tool and equal arguments
// go, and a call that a later one subsumes (semantics S-3). It proposes nothing
// where no call was repeated.
type DedupTools struct {
	// Shell takes in shell commands that only read.
	Shell bool
}

// Name implements [Strategy].
func (s DedupTools) Name() string { return written("dedup-tools", s.parameters()) }

func (s *DedupTools) parameters() []parameter { return []parameter{flag("shell", &s.Shell)} }

// Propose implements [Strategy]: one overlay that omits the calls that are
// repeated. What stays is the latest, wherever it stands.
func (s DedupTools) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	v := look(p, o.Tools)
	if s.Shell {
		for _, u := range v.uses {
			// A setting says no as well as yes, and is heard first.
			if u.tool.Kind == tool.Shell && o.Tools[u.tool.Name].Dedup == nil {
				u.tool.Dedup = tool.DedupUnchanged
			}
		}
	}
	first, last := p.Log().Extent(o.Range)
	gone := v.repeated()
	for u := range v.contained(func(u *use) bool { return u.tool.Subsumes == tool.SubsumesLines && v.mayGo(u) }, byTool) {
		gone[u] = true
	}
	asked, err := v.ask(ctx, o.Subsumer, gone, first, last)
	if err != nil {
		return nil, err
	}
	for u := range asked {
		gone[u] = true
	}
	var picks []pick
	omit := tenfold.CallPolicy{Action: tenfold.Omit}
	for _, u := range v.uses {
		if gone[u] && first <= u.seq && u.seq <= last {
			picks = append(picks, pick{u.seq, u.result, &omit})
		}
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{})
	if !ok {
		o.Notef("no call in turns %s is repeated by a later one", o.Range)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}

// same tells calls apart that may be compared: those between which nothing
// changed what they say.
type same struct {
	branch, tool, what string
	since              int64
}

// byTool and anyTool say whether only calls of one tool are compared.
const (
	byTool  = true
	anyTool = false
)

// mayGo reports whether a call is one that S-3 looks at: it succeeded, the
// model sees something of it, and its tool has no wish to be left alone.
func (v *view) mayGo(u *use) bool {
	if u.tool.Exempt || !u.ok || hidden(v.p, u.seq) || hidden(v.p, u.result) {
		return false
	}
	return u.tool.Dedup == tool.DedupAlways || (u.tool.Dedup == tool.DedupUnchanged && !u.does.Unknown && len(u.does.Changes) == 0)
}

// repeated finds the calls that a later equal one repeats. One map does, since
// equal calls with nothing between them have equal keys.
func (v *view) repeated() map[*use]bool {
	gone := map[*use]bool{}
	type later struct {
		whole int // bytes of the longest answer that is shown whole; -1 for none
		fates map[[2]tenfold.Fate]bool
	}
	seen := map[same]*later{}
	for i := len(v.uses) - 1; i >= 0; i-- {
		u := v.uses[i]
		since, ok := v.since(u)
		if !ok || !v.mayGo(u) {
			continue
		}
		key := same{u.branch, u.tool.Name, tool.Canonical(u.call.Arguments), since}
		l := seen[key]
		if l == nil {
			l = &later{whole: -1, fates: map[[2]tenfold.Fate]bool{}}
			seen[key] = l
		}
		fates := v.fates(u)
		if l.fates[fates] || u.answeredBy(l.whole) {
			gone[u] = true
		}
		switch whole := v.shownWhole(u); {
		case whole:
			l.whole = max(l.whole, u.size())
		case fates[1] == tenfold.Stripped:
			// Of two stubs alike either says as much.
			l.fates[fates] = true
		}
	}
	return gone
}

// ask asks tools that know more than the table does (H2). Each call is
// compared with the next of its tool and with the last, so that n calls cost
// at most 2n questions.
func (v *view) ask(ctx context.Context, s tool.Subsumer, gone map[*use]bool, first, last int64) (map[*use]bool, error) {
	found := map[*use]bool{}
	if s == nil {
		return found, nil
	}
	groups := map[same][]*use{}
	var order []same
	for _, u := range v.uses {
		since, ok := v.since(u)
		if u.tool.Subsumes != tool.SubsumesAsk || u.tool.Exempt || !ok || !u.ok || gone[u] || !v.shownWhole(u) {
			continue
		}
		key := same{branch: u.branch, tool: u.tool.Name, since: since}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], u)
	}
	type batch struct {
		uses           []*use
		earlier, later []string
	}
	batches := map[string]*batch{}
	var names []string
	for _, key := range order {
		b := batches[key.tool]
		if b == nil {
			b = &batch{}
			batches[key.tool] = b
			names = append(names, key.tool)
		}
		group := groups[key]
		for i, u := range group[:len(group)-1] {
			if u.seq < first || u.seq > last {
				continue
			}
			for _, j := range []int{i + 1, len(group) - 1} {
				b.uses = append(b.uses, u)
				b.earlier = append(b.earlier, u.call.Arguments)
				b.later = append(b.later, group[j].call.Arguments)
				if j == len(group)-1 {
					break
				}
			}
		}
	}
	for _, name := range names {
		b := batches[name]
		if len(b.uses) == 0 {
			continue
		}
		answers, err := s.Subsumes(ctx, name, b.earlier, b.later)
		if err != nil {
			return nil, fmt.Errorf("ask %s which of its calls subsume others: %w", name, err)
		}
		for i, yes := range answers {
			if yes && i < len(b.uses) {
				found[b.uses[i]] = true
			}
		}
	}
	return found, nil
}
