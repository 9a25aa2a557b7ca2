package strategy

import (
	"math"
	"path"
	"slices"

	"tenfold/tool"
)

// changes knows when what may have changed. A change lasts as long as the step
// of its call.
type changes struct {
	any, moves track
	unknown    track
	byTool     map[string]*track // the unknown ones, by tool
	byPath     map[string]*track
	// byBase is where relative and absolute paths meet: which relative path
	// an absolute one is, nobody knows, so that a common last name is enough.
	byBase map[baseName]*track
}

type baseName struct {
	name     string
	absolute bool
}

// track is when one thing changed.
type track struct {
	spans []span
	// first is, for each span, the earliest begin of it and those after.
	first []int64
}

type span struct{ from, to int64 }

func (t *track) add(u *use) {
	s := span{u.from, u.to}
	if n := len(t.spans); n > 0 && t.spans[n-1] == s {
		return
	}
	t.spans = append(t.spans, s)
}

func (t *track) seal() {
	slices.SortFunc(t.spans, func(a, b span) int { return int(a.to - b.to) })
	t.first = make([]int64, len(t.spans))
	least := int64(math.MaxInt64)
	for i := len(t.spans) - 1; i >= 0; i-- {
		least = min(least, t.spans[i].from)
		t.first[i] = least
	}
}

// next is the earliest begin of the changes that end at seq or later.
func (t *track) next(seq int64) int64 {
	if t == nil {
		return math.MaxInt64
	}
	i, _ := slices.BinarySearchFunc(t.spans, seq, func(s span, seq int64) int { return int(s.to - seq) })
	if i == len(t.spans) {
		return math.MaxInt64
	}
	return t.first[i]
}

func put[K comparable](m *map[K]*track, key K, u *use) {
	if *m == nil {
		*m = map[K]*track{}
	}
	t := (*m)[key]
	if t == nil {
		t = &track{}
		(*m)[key] = t
	}
	t.add(u)
}

// record takes in what a call changes: a failed one may have begun to.
func (c *changes) record(u *use) {
	if u.does.Unknown {
		c.unknown.add(u)
		put(&c.byTool, u.tool.Name, u)
		return
	}
	if u.does.Moves {
		c.moves.add(u)
	}
	for _, p := range u.does.Changes {
		c.any.add(u)
		// Who looked at a folder saw its files.
		for {
			put(&c.byPath, p, u)
			put(&c.byBase, baseName{path.Base(p), tool.IsAbs(p)}, u)
			up := path.Dir(p)
			if up == p || up == "." {
				break
			}
			p = up
		}
	}
}

func (c *changes) seal() {
	for _, t := range []*track{&c.any, &c.moves, &c.unknown} {
		t.seal()
	}
	for _, t := range c.byTool {
		t.seal()
	}
	for _, t := range c.byPath {
		t.seal()
	}
	for _, t := range c.byBase {
		t.seal()
	}
}

// next is where the first change begins that may touch what a call says, of
// those that last into its step or come after.
func (c *changes) next(u *use) int64 {
	least := c.unknownNext(u)
	switch {
	case u.tool.Kind == tool.Fetches:
		return least // of the network, not of files
	case len(u.does.Reads) == 0:
		return min(least, c.any.next(u.from), c.moves.next(u.from))
	}
	for _, a := range u.does.Reads {
		least = min(least, c.byPath[a.Path].next(u.from), c.byBase[baseName{path.Base(a.Path), !tool.IsAbs(a.Path)}].next(u.from))
		if !tool.IsAbs(a.Path) {
			least = min(least, c.moves.next(u.from))
		}
		if base := path.Base(a.Path); base == "." || base == ".." {
			least = min(least, c.any.next(u.from))
		}
	}
	return least
}

// unknownNext looks at calls with an unknown effect. Where a tool is asked
// about its calls (H2), it knows what they do to each other.
func (c *changes) unknownNext(u *use) int64 {
	if u.tool.Subsumes != tool.SubsumesAsk {
		return c.unknown.next(u.from)
	}
	least := int64(math.MaxInt64)
	for name, t := range c.byTool {
		if name != u.tool.Name {
			least = min(least, t.next(u.from))
		}
	}
	return least
}
