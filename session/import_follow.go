package session

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"

	"tenfold"
)

// A story is what a log tells, for comparing it with another: the digests of
// its entries on the root in order; apart from them the results of its calls,
// which may come late (P11a); and the entries of each branch.
type story struct {
	steady []told
	// results are those of the calls at places in steady.
	results  map[int]told
	branches map[string][]told
	length   int // entries on the root, with their results
}

// told is one entry of a story. A payload that has no form has the digest of
// nothing: it equals no other.
type told struct {
	sum  digest
	id   string // where ids may differ
	turn int
	// said counts what a model sees, up to this one.
	said int
}

// teller reads a story entry by entry.
type teller struct {
	log   *tenfold.Log
	calls map[int64]int // places in steady, by seq
	// light counts the root alone, which is known; names keeps ids.
	light, names bool
	story
}

func newTeller(l *tenfold.Log, light, names bool) *teller {
	return &teller{log: l, calls: map[int64]int{}, light: light, names: names, story: story{results: map[int]told{}, branches: map[string][]told{}}}
}

// spot is where an entry stands in a story.
type spot struct {
	branch string
	result bool
	// at is its place in a list, or that of the call.
	at int
}

// add adds an entry that [inStory] holds for.
func (t *teller) add(e tenfold.Entry) spot {
	if e.Branch == "" {
		t.length++
		if t.light {
			return spot{}
		}
	}
	one := told{sum: mustSum(e.Payload)}
	one.turn, _, _ = t.log.Where(e.Seq)
	if t.names {
		one.id = e.ID
	}
	if e.Branch != "" {
		t.branches[e.Branch] = append(t.branches[e.Branch], one)
		return spot{branch: e.Branch, at: len(t.branches[e.Branch]) - 1}
	}
	if call, ok := t.calls[t.log.Pair(e.Seq)]; ok && e.Payload.Kind() == tenfold.KindToolResult {
		t.results[call] = one
		return spot{result: true, at: call}
	}
	if e.Payload.Kind() == tenfold.KindToolCall {
		t.calls[e.Seq] = len(t.steady)
	}
	if len(t.steady) > 0 {
		one.said = t.steady[len(t.steady)-1].said
	}
	if e.Payload.Kind().Visible() {
		one.said++
	}
	t.steady = append(t.steady, one)
	return spot{at: len(t.steady) - 1}
}

// compareLogs compares a stored log with an import's. It gives the entries that the
// log lacks, or tells where the two part.
func (c *candidate) compareLogs(stored, file *tenfold.Log) (fresh []tenfold.Entry, parted *Parting) {
	// What is known by its mark need not be compared, and the log may have
	// gone on by itself since.
	length := storyLength(stored)
	sure := c.whole || c.length == length
	if c.Origin.Mark == "" {
		c.base = length
	}
	light := sure && c.base == 0
	was, is := newTeller(stored, light, c.base > 0), newTeller(file, light, false)
	for e := range stored.Entries() {
		if inStory(e) {
			was.add(e)
		}
	}
	between := c.between(stored)
	for e := range file.Entries() {
		var known bool
		if inStory(e) {
			at := is.add(e)
			if known = was.has(at); sure && at.branch == "" {
				known = is.length <= c.length
			}
			if known && c.base > 0 && was.has(at) {
				between.names[e.ID] = was.at(at).id
			}
		} else if _, known = stored.Lookup(e.ID); !known && c.base > 0 {
			e.Payload = between.renamed(e.Payload)
			known = is.length <= c.base && between.sums[mustSum(e.Payload)]
		}
		if !known {
			fresh = append(fresh, e)
		}
	}
	if !sure {
		parted = was.partFrom(&is.story)
	}
	if parted == nil {
		parted = was.partBranches(&is.story)
	}
	if parted != nil {
		return nil, parted
	}
	for _, e := range fresh {
		if _, taken := stored.Lookup(e.ID); taken { // it would be left out (L9)
			turn, _, _ := file.Where(e.Seq)
			return nil, &Parting{Turn: turn, common: was.countVisible(len(was.steady))}
		}
	}
	if c.foreign && len(fresh) > 0 {
		return nil, &Parting{}
	}
	between.renumber(stored, file, fresh)
	return append(fresh, c.configChange(stored, file, fresh)...), nil
}

// renumber has overlays among the fresh entries name entries by the seqs that these have
// in the stored log, or get there: it may have entries of its own, such as a compaction.
func (b between) renumber(stored, file *tenfold.Log, fresh []tenfold.Entry) {
	if !slices.ContainsFunc(fresh, func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindCompaction }) {
		return
	}
	to, next, i := cut{moved: map[int64]int64{}}, stored.Version(), 0
	for e := range file.Entries() {
		if i < len(fresh) && fresh[i].Seq == e.Seq {
			i++
			next++
			to.moved[e.Seq] = next
			continue
		}
		known, _ := stored.Lookup(cmp.Or(b.names[e.ID], e.ID))
		to.moved[e.Seq] = cmp.Or(known.Seq, e.Seq)
	}
	for i := range fresh {
		if c, ok := fresh[i].Payload.(tenfold.Compaction); ok {
			fresh[i].Payload = to.renumberPolicy(c)
		}
	}
}

// between is what stands between the entries of the story that release 0.1
// imported: it may have given all of them other ids.
type between struct {
	sums  map[digest]bool
	names map[string]string // the import's ids, as the log has them
}

func (c *candidate) between(stored *tenfold.Log) between {
	if c.base == 0 {
		return between{}
	}
	b := between{map[digest]bool{}, map[string]string{}}
	for e := range stored.Entries() {
		if !inStory(e) {
			b.sums[mustSum(e.Payload)] = true
		}
	}
	return b
}

// renamed gives a payload that names entries as the log does.
func (b between) renamed(p tenfold.Payload) tenfold.Payload {
	name := func(ids []string) []string {
		out := slices.Clone(ids)
		for i, id := range out {
			out[i] = cmp.Or(b.names[id], id)
		}
		return out
	}
	switch p := p.(type) {
	case tenfold.Pin:
		return tenfold.Pin{Entries: name(p.Entries)}
	case tenfold.Unpin:
		return tenfold.Unpin{Entries: name(p.Entries)}
	case tenfold.Recalled:
		return tenfold.Recalled{Entries: name(p.Entries), Lines: p.Lines}
	}
	return p
}

// storyLength is how many entries on the root tell the log's story.
func storyLength(l *tenfold.Log) int {
	n := 0
	for e := range l.Entries() {
		if e.Branch == "" && inStory(e) {
			n++
		}
	}
	return n
}

// partFrom tells where another story stops being this one with more at its end.
func (s *story) partFrom(o *story) *Parting {
	k := 0
	for k < len(s.steady) && k < len(o.steady) && s.steady[k].sum == o.steady[k].sum {
		k++
	}
	var parted *Parting
	if k < len(s.steady) {
		parted = &Parting{Cut: k == len(o.steady), Turn: s.steady[k].turn, common: s.countVisible(k)}
	}
	first := k
	for call, r := range s.results {
		other, answered := o.results[call]
		if (!answered || other.sum != r.sum) && call < first {
			first = call
			parted = &Parting{Cut: !answered && k == len(o.steady), Turn: r.turn, common: s.countVisible(call)}
		}
	}
	return parted
}

// partBranches does the same for the branches that both have; of those one may
// have more than the other.
func (s *story) partBranches(o *story) *Parting {
	for name, list := range s.branches {
		for i, one := range list[:min(len(list), len(o.branches[name]))] {
			if one.sum != o.branches[name][i].sum {
				return &Parting{Turn: one.turn, common: s.countVisible(len(s.steady))}
			}
		}
	}
	return nil
}

// countVisible counts what a model sees of the first k entries.
func (s *story) countVisible(k int) int {
	if k == 0 {
		return 0
	}
	return s.steady[k-1].said
}

// at gives the entry at a place that the story has.
func (s *story) at(at spot) told {
	switch {
	case at.branch != "":
		return s.branches[at.branch][at.at]
	case at.result:
		return s.results[at.at]
	}
	return s.steady[at.at]
}

// has reports whether a story has an entry of one that continues it.
func (s *story) has(at spot) bool {
	switch {
	case at.branch != "":
		return at.at < len(s.branches[at.branch])
	case at.result:
		_, ok := s.results[at.at]
		return ok
	}
	return at.at < len(s.steady)
}

// configChange gives the entry that makes the configuration the import's, where
// the import changed it back to one that the log knows already.
func (c *candidate) configChange(stored, file *tenfold.Log, fresh []tenfold.Entry) []tenfold.Entry {
	if c.config || c.Origin.Mark == "" || c.foreign {
		return nil
	}
	want, have := configOf(file, nil), configOf(stored, fresh)
	if want.System == nil && have.System != nil {
		want.System = new("")
	}
	if want.Tools == nil && have.Tools != nil {
		want.Tools = &[]tenfold.ToolDefinition{}
	}
	wanted, err := sumOf(want)
	had, other := sumOf(have)
	if err != nil || other != nil || wanted == had {
		return nil
	}
	id := "config-" + strconv.FormatInt(stored.Version(), 10) + "-" + hex.EncodeToString(wanted[:8])
	return []tenfold.Entry{{ID: id, Payload: want}}
}
