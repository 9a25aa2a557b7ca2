package web

import (
	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/purpose"
	"tenfold/tool"
)

// The bits of Outline.Flags.
const (
	flagError = 1 << iota
	flagPerson
	flagPinned
	flagBranch
	flagUnseen
)

// columns are what an outline says of entries and what never changes of them: one
// value an entry, kept up with the log.
type columns struct {
	kinds  []string
	kindAt places
	kind   []int
	turn   []int
	step   []int
	tokens []int
	flags  []int
	branch []string
}

// places are those of words in a list, by which columns name them.
type places map[string]int

// of gives the place of a word in a list, which it joins if it is new; -1 for no word.
func (p places) of(word string, list *[]string) int {
	if word == "" {
		return -1
	}
	at, ok := p[word]
	if !ok {
		at = len(*list)
		p[word], *list = at, append(*list, word)
	}
	return at
}

// fates are the names of all fates, in the order of their numbers.
func fates() (names []string) {
	for _, f := range tenfold.Fates() {
		names = append(names, f.String())
	}
	return names
}

func (c *columns) read(l *tenfold.Log) {
	if c.kindAt == nil {
		c.kindAt = places{}
	}
	for e := range l.After(int64(len(c.kind))) {
		turn, step, _ := l.Where(e.Seq)
		c.kind = append(c.kind, c.kindAt.of(string(e.Payload.Kind()), &c.kinds))
		c.turn, c.step = append(c.turn, turn), append(c.step, step)
		c.tokens, c.flags = append(c.tokens, e.Tokens), append(c.flags, flagsOf(l, e))
		c.branch = append(c.branch, e.Branch)
	}
}

// flagsOf are the flags that never change.
func flagsOf(l *tenfold.Log, e tenfold.Entry) int {
	flags := 0
	switch p := e.Payload.(type) {
	case tenfold.ToolResult:
		if c, _ := l.CallOf(e.Seq); tool.OutcomeOf(c.Name, p).Bad() {
			flags |= flagError
		}
	case tenfold.CompactionFailed:
		flags |= flagError
	case tenfold.UserMessage:
		if p.IsRequest() && purpose.Of(p) == tenfold.Request {
			flags |= flagPerson
		}
	}
	if e.Branch != "" {
		flags |= flagBranch
	}
	if !e.Payload.Kind().Visible() {
		flags |= flagUnseen
	}
	return flags
}

// outline is the structure of the log from a seq on.
func (o *opened) outline(from int64) shape.Outline {
	l, scale := o.session.Log(), o.figures()
	o.columns.read(l)
	from = min(max(from, 1), l.Version()+1)
	at, n := int(from-1), int(l.Version()-from+1)
	out := shape.Outline{
		Created: o.row.Created.UTC(), Version: l.Version(), From: from, Kinds: o.columns.kinds, Kind: o.columns.kind[at:], Turn: o.columns.turn[at:], Step: o.columns.step[at:],
		Fates: fates(), Before: make([]int, n), After: make([]int, n), Fate: make([]int, n), By: make([]int, n), Pair: make([]int64, n), Flags: make([]int, n),
	}
	overlays := map[string]int{"": -1}
	for c := range o.session.Projection().Overlays() {
		overlays[c.ID] = len(overlays) - 1
	}
	view, branch := o.view(""), ""
	for i := range n {
		seq := from + int64(i)
		if b := o.columns.branch[at+i]; b != branch {
			view, branch = o.view(b), b
		}
		fate, by, after := view.Fate(seq)
		out.Before[i], out.After[i] = scale.Tokens(o.columns.tokens[at+i]), scale.Tokens(after)
		out.Fate[i], out.Pair[i], out.Flags[i] = int(fate), l.Pair(seq), o.columns.flags[at+i]
		if out.By[i] = -1; by != "" {
			out.By[i] = overlays[by]
		}
		if view.Pinned(seq) {
			out.Flags[i] |= flagPinned
		}
	}
	return out
}
