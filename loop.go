package tenfold

import "slices"

// openLoop tells where the tool loop began that is open at seq: after the last
// request, if the last response since makes a call. 0 when none is open.
func (p *Projection) openLoop(seq int32) int32 {
	from := p.lastRequest(seq) + 1
	var last *node
	for s := seq - 1; s >= from; s-- {
		n := p.log.node(s)
		if n.kind <= codeUser || n.kind > codeItem || n.kind == codeResult || !p.reads(n) {
			continue
		}
		if last == nil {
			last = n
		}
		if n.turn != last.turn || n.step != last.step || n.branch != last.branch {
			return 0
		}
		if n.kind == codeCall {
			return from
		}
	}
	return 0
}

// lastRequest is the last user message or turn start before seq; 0 for none.
func (p *Projection) lastRequest(seq int32) int32 {
	var last int32
	for _, b := range p.reading {
		if int(b) >= len(p.log.steppers) {
			break
		}
		requests := p.log.steppers[b].requests
		if i, _ := slices.BinarySearch(requests, seq); i > 0 {
			last = max(last, requests[i-1])
		}
	}
	return last
}

// letGo drops the reasoning that overlays had to hold for a tool loop which a
// request has closed since: the other exception that P11a names.
func (p *Projection) letGo() {
	if len(p.waiting) == 0 {
		return
	}
	request := p.lastRequest(p.version + 1)
	p.waiting = slices.DeleteFunc(p.waiting, func(by int32) bool {
		o := &p.overlays[by]
		if request < o.seq {
			return false
		}
		from := o.heldFrom
		o.heldFrom = 0
		for s := max(from, o.lo); s <= o.hi; s++ {
			if n := p.log.node(s); n.kind == codeReasoning && p.reads(n) {
				p.settle(s, n)
			}
		}
		p.layout.stale = true
		return true
	})
}
