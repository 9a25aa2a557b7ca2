package tenfold

import (
	"slices"
	"strings"
)

// word is the overlay that has the word on an entry in a slot whose policies
// may name entries: the later of those over ranges and those that name it.
func (p *Projection) word(s slot, seq int32) int32 {
	return max(p.slots[s].at(seq), p.named.get(seq)-1)
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
