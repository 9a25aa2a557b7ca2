package strategy

import (
	"cmp"
	"iter"
	"math"
	"path"
	"slices"
	"strings"

	"tenfold/tool"
)

// changes knows when what may have changed. A change lasts as long as the step
// of its call.
type changes struct {
	any, moves track
	unknown    []*use            // calls with an unknown effect
	besides    map[string]*track // those of other tools, by tool; "" for all
	files      folders
	byFile     []track // by the number that files gives, less one
	// byBase is where relative and absolute paths meet: which relative path
	// an absolute one is, nobody knows, so that a common last name is enough.
	byBase map[baseName]*track
}

type baseName struct {
	name     string
	absolute bool
}

// folders numbers files and folders from 1, each as an entry of the folder it
// stands in, so that a path costs its length, however deep it leads.
type folders map[folderEntry]int32

type folderEntry struct {
	in   int32 // 0 where paths begin
	name string
}

// elements gives the names in a cleaned path; that of the root is empty.
func elements(p string) iter.Seq[string] { return strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") }

// find gives the number of a path; 0 for one that has none.
func (f folders) find(p string) int32 {
	var at int32
	for name := range elements(p) {
		if at = f[folderEntry{at, name}]; at == 0 {
			return 0
		}
	}
	return at
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

// next is the earliest begin of the changes that end at seq or later.
func (t *track) next(seq int64) int64 {
	if t == nil || len(t.spans) == 0 {
		return math.MaxInt64
	}
	if t.first == nil {
		slices.SortFunc(t.spans, func(a, b span) int { return int(a.to - b.to) })
		t.first = make([]int64, len(t.spans))
		least := int64(math.MaxInt64)
		for i, s := range slices.Backward(t.spans) {
			least = min(least, s.from)
			t.first[i] = least
		}
	}
	i, _ := slices.BinarySearchFunc(t.spans, seq, func(s span, seq int64) int { return int(s.to - seq) })
	if i == len(t.spans) {
		return math.MaxInt64
	}
	return t.first[i]
}

// unknownBut is when calls with an unknown effect were made, other than of a
// tool that knows what its own do to each other.
func (c *changes) unknownBut(name string) *track {
	t := c.besides[name]
	if t == nil {
		t = &track{}
		for _, u := range c.unknown {
			if name == "" || u.tool.Name != name {
				t.add(u)
			}
		}
		if c.besides == nil {
			c.besides = map[string]*track{}
		}
		c.besides[name] = t
	}
	return t
}

// record takes in what a call changes: a failed one may have begun to.
func (c *changes) record(u *use) {
	if u.does.Unknown {
		c.unknown = append(c.unknown, u)
		return
	}
	if u.does.Moves {
		c.moves.add(u)
	}
	for _, p := range u.does.Changes {
		c.any.add(u)
		c.change(p, u)
	}
}

// change takes in that a call changes a file. Who looked at a folder above it
// saw it too.
func (c *changes) change(p string, u *use) {
	if c.files == nil {
		c.files, c.byBase = folders{}, map[baseName]*track{}
	}
	var at int32
	for name := range elements(p) {
		entry := folderEntry{at, name}
		if at = c.files[entry]; at == 0 {
			c.byFile = append(c.byFile, track{})
			at = int32(len(c.byFile))
			c.files[entry] = at
		}
		c.byFile[at-1].add(u)
		base := baseName{cmp.Or(name, "/"), tool.IsAbs(p)}
		if c.byBase[base] == nil {
			c.byBase[base] = &track{}
		}
		c.byBase[base].add(u)
	}
}

// next is where the first change begins that may touch what a call says, of
// those that last into its step or come after.
func (c *changes) next(u *use) int64 {
	// Where a tool is asked about its calls (H2), it knows what they do to each
	// other.
	asked := ""
	if u.tool.Subsumes == tool.SubsumesAsk {
		asked = u.tool.Name
	}
	least := c.unknownBut(asked).next(u.from)
	switch {
	case u.tool.Kind == tool.Fetches:
		return least // of the network, not of files
	case len(u.does.Reads) == 0:
		return min(least, c.any.next(u.from), c.moves.next(u.from))
	}
	for _, a := range u.does.Reads {
		if at := c.files.find(a.Path); at > 0 {
			least = min(least, c.byFile[at-1].next(u.from))
		}
		least = min(least, c.byBase[baseName{path.Base(a.Path), !tool.IsAbs(a.Path)}].next(u.from))
		if !tool.IsAbs(a.Path) {
			least = min(least, c.moves.next(u.from))
		}
		if base := path.Base(a.Path); base == "." || base == ".." {
			least = min(least, c.any.next(u.from))
		}
	}
	return least
}
