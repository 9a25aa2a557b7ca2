package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/tool"
)

// All is the horizon of all requests after a cut.
const All = 0

// A Cut is a session up to one of its requests, and what the requests after it
// carry over. It is for one goroutine at a time, along with its session.
type Cut struct {
	session *Session
	percent int
	last    int // the request after which it is cut
	// log is the prefix; from gives the entry of each of its seqs, -1 for none.
	log        *tenfold.Log
	from       []int32
	projection *tenfold.Projection
	visible    int // N
	// index is what the strategies know of the prefix, once for all of them.
	index   *excerpt.Index
	tokens  int
	carried []carriedAtom
	// carriedAt is the index in carried of an atom of the session, -1 for none.
	carriedAt []int32
	edits     []carriedEdit
	files     []fileState
	// staleFrom are the read results whose file was changed later, by seq.
	stale map[int64]bool
}

// carriedAtom is an atom that a request after the cut uses from memory.
type carriedAtom struct {
	atom int32
	// after is how many requests after the cut use it first, from 1.
	after      int
	weight     float64
	resultOnly bool
	df         int
	words      wordSet
	// found are the lines of the newest entries of the prefix that hold it.
	found []occurrence
}

// sourceEntries is how many of the newest entries with an atom are its sources.
const sourceEntries = 6

// occurrence is a line of the prefix that holds an atom, by the seq of its
// entry in the prefix.
type occurrence struct {
	seq  int64
	line int32
}

// fileState is a file written or edited in the prefix, and the last call that
// did so.
type fileState struct {
	path string
	last int64
}

// ErrShort says that a session has too few requests to be cut where asked.
var ErrShort = errors.New("too few requests to cut")

// Cut cuts the session after the given percent of its requests, counted from 0
// to the last one and rounded down.
func (s *Session) Cut(percent int) (*Cut, error) {
	if s.requests < 2 || percent < 1 || percent > 99 {
		return nil, fmt.Errorf("%w at %d %%: it has %d", ErrShort, percent, s.requests)
	}
	c := &Cut{session: s, percent: percent, last: (s.requests - 1) * percent / 100, index: excerpt.NewIndex()}
	c.prefix()
	c.findCarried()
	c.locate()
	c.findCarriedEdits()
	c.operations()
	return c, nil
}

// prefix makes the log that ends with the cut.
func (c *Cut) prefix() {
	s := c.session
	end := int64(0)
	for i := range s.entries {
		if e := &s.entries[i]; e.request <= c.last && e.kind != tenfold.KindToolResult {
			end = e.seq
		}
	}
	c.log = tenfold.NewLog(tenfold.WithCounter(s.log.Counter()))
	next := 0
	for e := range s.log.Entries() {
		id := int32(-1)
		if next < len(s.entries) && s.entries[next].seq == e.Seq {
			id = int32(next)
			next++
		}
		if id >= 0 && s.entries[id].request > c.last || id < 0 && e.Seq > end {
			continue
		}
		_, _ = c.log.Append(e)
		c.from = append(c.from, id)
		if id >= 0 {
			c.visible++
		}
	}
	c.projection = tenfold.Project(c.log)
	all := c.projection.Totals()
	c.tokens = all.All().After - all.Config.After
}

// entry gives the entry of a seq of the prefix, nil for none.
func (c *Cut) entry(seq int64) *entry {
	if seq < 1 || seq > int64(len(c.from)) || c.from[seq-1] < 0 {
		return nil
	}
	return &c.session.entries[c.from[seq-1]]
}

// findCarried finds the atoms that are carried over the cut, in the order of their
// use.
func (c *Cut) findCarried() {
	s := c.session
	inPrefix := make([]bool, len(s.atoms))
	for _, id := range c.from {
		if id >= 0 {
			for _, a := range s.entries[id].atoms {
				inPrefix[a] = true
			}
		}
	}
	c.carriedAt = slices.Repeat([]int32{-1}, len(s.atoms))
	shown := make([]bool, len(s.atoms))
	for i := range s.entries {
		e := &s.entries[i]
		if e.request <= c.last || !shows(e.kind) && e.kind != tenfold.KindToolCall {
			continue
		}
		for _, a := range e.atoms {
			if e.kind == tenfold.KindToolCall && inPrefix[a] && !shown[a] {
				c.carriedAt[a] = int32(len(c.carried))
				c.carried = append(c.carried, carriedAtom{atom: a, after: e.request - c.last, words: wordsOf(s.atoms[a])})
			}
			shown[a] = true
		}
	}
}

// locate finds the lines of the prefix that hold the carried atoms, and weighs
// them.
func (c *Cut) locate() {
	s := c.session
	in := make([][]int64, len(c.carried))
	for i, id := range c.from {
		if id < 0 {
			continue
		}
		for _, a := range s.entries[id].atoms {
			if at := c.carriedAt[a]; at >= 0 {
				in[at] = append(in[at], int64(i+1))
			}
		}
	}
	for i := range c.carried {
		k := &c.carried[i]
		k.resultOnly = true
		for _, seq := range in[i] {
			k.resultOnly = k.resultOnly && c.entry(seq).kind == tenfold.KindToolResult
		}
		k.df = len(in[i])
		k.weight = math.Log(1 + float64(c.visible)/float64(k.df))
		for _, seq := range in[i][max(0, k.df-sourceEntries):] {
			for _, l := range c.entry(seq).lines {
				if strings.Contains(s.lines[l].text, s.atoms[k.atom]) {
					k.found = append(k.found, occurrence{seq, l})
				}
			}
		}
	}
}

// Names gives the atoms that are carried within a horizon, with what each weighs.
func (c *Cut) Names(horizon int) map[string]float64 {
	names := map[string]float64{}
	for i := range c.carried {
		if k := &c.carried[i]; k.within(horizon) {
			names[c.session.atoms[k.atom]] = k.weight
		}
	}
	return names
}

// operations finds which files the prefix changed, and which results show a
// file as it no longer is.
func (c *Cut) operations() {
	at := map[string]int{}
	reads := map[string][]int64{}
	c.stale = map[int64]bool{}
	for e := range c.log.Entries() {
		call, ok := e.Payload.(tenfold.ToolCall)
		if !ok {
			continue
		}
		known, _ := tool.Lookup(call.Name)
		for _, op := range known.Operations(call.Arguments) {
			if op.Op == tool.FileRead {
				if result := c.log.Pair(e.Seq); result > 0 {
					reads[op.Path] = append(reads[op.Path], result)
				}
				continue
			}
			for _, result := range reads[op.Path] {
				if result < e.Seq {
					c.stale[result] = true
				}
			}
			i, ok := at[op.Path]
			if !ok {
				i = len(c.files)
				at[op.Path] = i
				c.files = append(c.files, fileState{path: op.Path})
			}
			c.files[i].last = e.Seq
		}
	}
}

// Tokens is what the raw prefix costs, system prompt and tools aside.
func (c *Cut) Tokens() int { return c.tokens }

// Edits is how many edits within a horizon replace a text that is carried.
func (c *Cut) Edits(horizon int) int {
	n := 0
	for _, e := range c.edits {
		if reaches(horizon, e.after) {
			n++
		}
	}
	return n
}

// Carried is how many atoms are carried within a horizon, and their weight.
func (c *Cut) Carried(horizon int) (n int, weight float64) {
	for i := range c.carried {
		if c.carried[i].within(horizon) {
			n++
			weight += c.carried[i].weight
		}
	}
	return n, weight
}

func (k *carriedAtom) within(horizon int) bool { return reaches(horizon, k.after) }

func reaches(horizon, after int) bool { return horizon == All || after <= horizon }
