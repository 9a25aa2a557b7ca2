package tenfold

import (
	"slices"
	"strings"
)

// winner is the winning overlay of an entry in a slot whose policies
// may name entries: the later of those over ranges and those that name it.
func (p *Projection) winner(s slot, seq int32) int32 {
	named, _ := p.mention(seq)
	return max(p.slots[s].at(seq), named)
}

// mention says which overlay names an entry, and where in the list of those it
// names. Zero is none.
type mention struct {
	overlay int32 // its index and one
	at      int32
}

// named is an entry that a selective policy names.
type named struct {
	seq int32
	one int32 // of the overlay's policies for calls
}

// addMentions notes what an overlay names, on top of what named it before.
func (p *Projection) addMentions(by int32) {
	o := &p.overlays[by]
	if len(o.named) > 0 {
		p.named.grow(p.version)
	}
	for i, n := range o.named {
		if before := p.named.get(n.seq); before.overlay > 0 {
			if o.under == nil {
				o.under = make([]mention, len(o.named))
			}
			o.under[i] = before
		}
		p.named.set(n.seq, mention{by + 1, int32(i)})
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

// findCalls gives the calls in a stretch that a selective policy names, and what it
// does to each: by "id@seq", by id, or as one of a group.
func (p *Projection) findCalls(policy *ToolPolicy, lo, hi int32) (found []named, each []sides) {
	n := 0
	for i := range policy.Groups {
		n += len(policy.Groups[i].Entries)
	}
	found = make([]named, 0, n+len(policy.Calls))
	add := func(seq int64) {
		if int64(lo) <= seq && seq <= int64(hi) {
			if n := p.log.node(int32(seq)); n.kind == codeCall && p.reads(n) {
				found = append(found, named{int32(seq), int32(len(each))})
			}
		}
	}
	byID := map[string]int32{}
	for key, c := range policy.Calls {
		if seq := p.exact(key); seq > 0 {
			add(int64(seq))
			each = append(each, c.sides())
		} else {
			byID[key] = 0
		}
	}
	for id := range byID {
		byID[id] = int32(len(each))
		each = append(each, policy.Calls[id].sides())
	}
	for seq := lo; len(byID) > 0 && seq <= hi; seq++ {
		if n := p.log.node(seq); n.kind == codeCall && p.reads(n) {
			if one, ok := byID[payloadOf[ToolCall](p.log, seq).CallID]; ok {
				found = append(found, named{seq, one})
			}
		}
	}
	for i := range policy.Groups {
		for _, seq := range policy.Groups[i].Entries {
			add(seq)
		}
		each = append(each, policy.Groups[i].sides())
	}
	bySeq := func(a, b named) int { return int(a.seq - b.seq) }
	if !slices.IsSortedFunc(found, bySeq) {
		slices.SortStableFunc(found, bySeq) // of two that name a call the first stands
	}
	return slices.CompactFunc(found, func(a, b named) bool { return a.seq == b.seq }), each
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
	if n.kind != codeCall || payloadOf[ToolCall](p.log, int32(seq)).CallID != key[:at] {
		return 0
	}
	return int32(seq)
}

// findTexts gives the messages in a stretch that a policy for texts names.
func (p *Projection) findTexts(entries map[int64]TextTrim, lo, hi int32) []named {
	var found []named
	for seq := range entries {
		if seq < int64(lo) || seq > int64(hi) {
			continue
		}
		if n := p.log.node(int32(seq)); (n.kind == codeUser || n.kind == codeAssistant) && p.reads(n) {
			found = append(found, named{seq: int32(seq)})
		}
	}
	slices.SortFunc(found, func(a, b named) int { return int(a.seq - b.seq) })
	return found
}

// atoi reads a positive decimal; 0 for anything else.
func atoi(s string) int64 {
	var n int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n
}
