package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"

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
	found      []occurrence
}

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

// Cut cuts the session after the given percent of its requests.
func (s *Session) Cut(percent int) (*Cut, error) {
	n := len(s.requests) * percent / 100
	if n < 1 || n >= len(s.requests) {
		return nil, fmt.Errorf("%w at %d %%: it has %d", ErrShort, percent, len(s.requests))
	}
	c := &Cut{session: s, percent: percent, index: excerpt.NewIndex()}
	last := s.requests[n-1]
	c.prefix(last)
	c.carry(last)
	c.locate()
	c.operations()
	return c, nil
}

// prefix makes the log that ends with a step.
func (c *Cut) prefix(last int) {
	s, st := c.session, c.session.steps[last]
	before := func(seq int64) bool {
		turn, n, _ := s.log.Where(seq)
		return turn < st.turn || (turn == st.turn && n <= st.step)
	}
	end := s.entries[slices.Max(st.entries)].seq
	c.log = tenfold.NewLog(tenfold.WithCounter(s.log.Counter()))
	next := 0
	for e := range s.log.Entries() {
		id := int32(-1)
		if next < len(s.entries) && s.entries[next].seq == e.Seq {
			id = int32(next)
			next++
		}
		if e.Seq > end && id < 0 || !before(e.Seq) {
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

// carry finds the atoms that are carried over the cut, in the order of their
// use.
func (c *Cut) carry(last int) {
	s := c.session
	inPrefix := make([]bool, len(s.atoms))
	for _, id := range c.from {
		if id < 0 {
			continue
		}
		for _, l := range s.entries[id].lines {
			for _, a := range s.lines[l].atoms {
				inPrefix[a] = true
			}
		}
	}
	c.carriedAt = slices.Repeat([]int32{-1}, len(s.atoms))
	shown := make([]bool, len(s.atoms))
	show := func(e *entry) {
		for _, l := range e.lines {
			for _, a := range s.lines[l].atoms {
				shown[a] = true
			}
		}
	}
	request := 0
	for _, st := range s.steps[last+1:] {
		if st.responds {
			request++
		}
		for _, id := range st.entries {
			e := &s.entries[id]
			if e.kind == tenfold.KindUserMessage {
				show(e)
			}
			for _, a := range e.uses {
				if inPrefix[a] && !shown[a] && c.carriedAt[a] < 0 {
					c.carriedAt[a] = int32(len(c.carried))
					c.carried = append(c.carried, carriedAtom{atom: a, after: request})
				}
			}
		}
		// What a response calls, it calls before it sees the results.
		for _, id := range st.entries {
			if e := &s.entries[id]; e.kind == tenfold.KindToolResult {
				show(e)
			}
		}
	}
}

// locate finds the lines of the prefix that hold the carried atoms, and weighs
// them.
func (c *Cut) locate() {
	s := c.session
	for i := range c.carried {
		c.carried[i].resultOnly = true
		c.carried[i].words = wordsOf(s.atoms[c.carried[i].atom])
	}
	for i, id := range c.from {
		if id < 0 {
			continue
		}
		e, seq := &s.entries[id], int64(i+1)
		for _, l := range e.lines {
			for _, a := range s.lines[l].atoms {
				at := c.carriedAt[a]
				if at < 0 {
					continue
				}
				k := &c.carried[at]
				if n := len(k.found); n == 0 || k.found[n-1].seq != seq {
					k.df++
				}
				k.found = append(k.found, occurrence{seq, l})
				k.resultOnly = k.resultOnly && e.kind == tenfold.KindToolResult
			}
		}
	}
	for i := range c.carried {
		c.carried[i].weight = math.Log(1 + float64(c.visible)/float64(c.carried[i].df))
	}
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

func (k *carriedAtom) within(horizon int) bool { return horizon == All || k.after <= horizon }
