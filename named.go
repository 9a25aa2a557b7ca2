package tenfold

import (
	"slices"
	"strings"
)

// word is the overlay that has the word on an entry in a slot whose policies
// may name entries: the later of those over ranges and those that name it.
func (p *Projection) word(s slot, seq int32) int32 {
	named, _ := p.mention(seq)
	return max(p.slots[s].at(seq), named)
}

// mention says which overlay names an entry, and where in the list of those it
// names. Zero is none.
type mention struct {
	overlay int32 // its index and one
	at      int32
}

// name notes what an overlay names, on top of what named it before.
func (p *Projection) name(by int32) {
	o := &p.overlays[by]
	if len(o.named) > 0 {
		p.named.grow(p.version)
	}
	for i, seq := range o.named {
		if before := p.named.get(seq); before.overlay > 0 {
			if o.under == nil {
				o.under = make([]mention, len(o.named))
			}
			o.under[i] = before
		}
		p.named.set(seq, mention{by + 1, int32(i)})
	}
}

// mention gives the latest live overlay that names an entry, and where in its
// list; nobody for none.
func (p *Projection) mention(seq int32) (by, at int32) {
	n := p.named.get(seq)
	for n.overlay > 0 && !p.overlays[n.overlay-1].live {
		under := p.overlays[n.overlay-1].under
		if under == nil {
			return nobody, 0
		}
		n = under[n.at]
	}
	return n.overlay - 1, n.at
}

// find gives the calls in a stretch that a selective policy names: by id, or
// by "id@seq" where only one of several is meant.
func (p *Projection) find(calls map[string]CallPolicy, lo, hi int32) []int32 {
	var found []int32
	byID := false
	for key := range calls {
		if seq := p.exact(key); seq == 0 {
			byID = true
		} else if lo <= seq && seq <= hi {
			found = append(found, seq)
		}
	}
	for seq := lo; byID && seq <= hi; seq++ {
		if n := p.log.node(seq); n.kind == codeCall && p.reads(n) {
			if _, ok := calls[p.log.payload(seq).(ToolCall).CallID]; ok {
				found = append(found, seq)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// exact reads a key "id@seq" that names a call; 0 for any other key.
func (p *Projection) exact(key string) int32 {
	at := strings.LastIndexByte(key, '@')
	if at < 0 {
		return 0
	}
	seq := atoi(key[at+1:])
	if seq < 1 || seq > int64(p.version) {
		return 0
	}
	n := p.log.node(int32(seq))
	if n.kind != codeCall || p.log.payload(int32(seq)).(ToolCall).CallID != key[:at] {
		return 0
	}
	return int32(seq)
}

// findTexts gives the messages in a stretch that a policy for texts names.
func (p *Projection) findTexts(entries map[int64]TextTrim, lo, hi int32) []int32 {
	var found []int32
	for seq := range entries {
		if seq < int64(lo) || seq > int64(hi) {
			continue
		}
		if n := p.log.node(int32(seq)); (n.kind == codeUser || n.kind == codeAssistant) && p.reads(n) {
			found = append(found, int32(seq))
		}
	}
	slices.Sort(found)
	return found
}
