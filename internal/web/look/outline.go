package look

import (
	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/purpose"
	"tenfold/token"
	"tenfold/tool"
)

// The bits of Outline.Flags.
const (
	FlagError = 1 << iota
	FlagPerson
	FlagPinned
	FlagBranch
	FlagUnseen
)

// Columns are what an outline says of entries and what never changes of them: one
// value an entry, kept up with the log.
type Columns struct {
	kinds  []string
	kindAt Places
	kind   []int
	turn   []int
	step   []int
	tokens []int
	flags  []int
	branch []string
}

// Places are those of words in a list, by which columns name them.
type Places map[string]int

// Of gives the place of a word in a list, which it joins if it is new; -1 for no word.
func (p Places) Of(word string, list *[]string) int {
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

// Fates are the names of all fates, in the order of their numbers.
func Fates() (names []string) {
	for _, f := range tenfold.Fates() {
		names = append(names, f.String())
	}
	return names
}

// Read takes in what is new in the log.
func (c *Columns) Read(l *tenfold.Log) {
	if c.kindAt == nil {
		c.kindAt = Places{}
	}
	for e := range l.After(int64(len(c.kind))) {
		turn, step, _ := l.Where(e.Seq)
		c.kind = append(c.kind, c.kindAt.Of(string(e.Payload.Kind()), &c.kinds))
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
			flags |= FlagError
		}
	case tenfold.CompactionFailed:
		flags |= FlagError
	case tenfold.UserMessage:
		if p.IsRequest() && purpose.Of(p) == tenfold.Request {
			flags |= FlagPerson
		}
	}
	if e.Branch != "" {
		flags |= FlagBranch
	}
	if !e.Payload.Kind().Visible() {
		flags |= FlagUnseen
	}
	return flags
}

// Outline is the structure of a log from a seq on, which is shown to readers of the root as
// a view has it, and on branches as those that of gives.
func (c *Columns) Outline(root *tenfold.Projection, of func(branch string) *tenfold.Projection, from int64, scale token.Scale) shape.Outline {
	l := root.Log()
	c.Read(l)
	from = min(max(from, 1), l.Version()+1)
	at, n := int(from-1), int(l.Version()-from+1)
	out := shape.Outline{
		Version: l.Version(), From: from, Kinds: c.kinds, Kind: c.kind[at:], Turn: c.turn[at:], Step: c.step[at:],
		Fates: Fates(), Before: make([]int, n), After: make([]int, n), Fate: make([]int, n), By: make([]int, n), Pair: make([]int64, n), Flags: make([]int, n),
	}
	overlays := map[string]int{"": -1}
	for o := range root.Overlays() {
		overlays[o.ID] = len(overlays) - 1
	}
	c.EachView(root, of, from, func(seq int64, view *tenfold.Projection) {
		i := int(seq - from)
		fate, by, after := view.Fate(seq)
		out.Before[i], out.After[i] = scale.Tokens(c.tokens[at+i]), scale.Tokens(after)
		out.Fate[i], out.Pair[i], out.Flags[i] = int(fate), l.Pair(seq), c.flags[at+i]
		if out.By[i] = -1; by != "" {
			out.By[i] = overlays[by]
		}
		if view.Pinned(seq) {
			out.Flags[i] |= FlagPinned
		}
	})
	return out
}

// EachView gives the entries from a seq on that were read, each with the view of its readers.
func (c *Columns) EachView(root *tenfold.Projection, of func(branch string) *tenfold.Projection, from int64, f func(seq int64, view *tenfold.Projection)) {
	view, branch := root, ""
	for i := int(from - 1); i < len(c.kind); i++ {
		if b := c.branch[i]; b != branch {
			view, branch = of(b), b
		}
		f(int64(i+1), view)
	}
}
