package tenfold

import (
	"iter"
	"sort"
)

// A Call is a tool call and its result, as a projection has them.
type Call struct {
	// Seq and Result name the entries; Result is 0 while the call is open.
	Seq, Result int64
	Tool        string
	// Request and Response are what became of the two.
	Request, Response Fate
}

// Calls gives the calls among the entries first to last that the reader has,
// in order, without looking at what they say.
func (p *Projection) Calls(first, last int64) iter.Seq[Call] {
	return func(yield func(Call) bool) {
		end := int32(min(last, int64(p.version)))
		for seq := int32(max(first, 1)); seq <= end; {
			nodes := p.log.nodes.from(seq)
			for i := range nodes[:min(len(nodes), int(end-seq)+1)] {
				n := &nodes[i]
				if n.kind == codeCall && p.reads(n) && !yield(p.call(seq+int32(i), n)) {
					return
				}
			}
			seq += int32(len(nodes))
		}
	}
}

func (p *Projection) call(seq int32, n *node) Call {
	c := Call{Seq: int64(seq), Tool: p.log.tools.list[n.tool], Request: p.state(seq).fate()}
	if p.answered(n) {
		c.Result, c.Response = int64(n.pair), p.state(n.pair).fate()
	}
	return c
}

// Size is the size of a call's arguments or a result's content (P6); 0 for
// other entries.
func (l *Log) Size(seq int64) Size {
	if seq < 1 || seq > int64(l.n) {
		return 0
	}
	if size := l.node(int32(seq)).size; size < hugeSize {
		return Size(size)
	}
	return sizeOf(l.payload(int32(seq)))
}

func sizeOf(p Payload) Size {
	switch p := p.(type) {
	case ToolCall:
		return Size(len(p.Arguments))
	case ToolResult:
		return contentSize(p.Parts)
	}
	return 0
}

// Extent gives the first and last entries of a range; first > last for none.
func (l *Log) Extent(r Range) (first, last int64) {
	lo, hi, _ := l.extent(r, l.Turns()-1)
	return int64(lo), int64(hi)
}

// Between is the smallest range that holds two entries of the log and those
// between them.
func (l *Log) Between(first, last int64) Range {
	to := int(l.node(int32(last)).turn)
	r := Range{FromTurn: int(l.node(int32(first)).turn), ToTurn: to}
	steps, from := l.stepCount(to), int(l.turns.get(to).step)
	step := sort.Search(steps, func(i int) bool { return int64(l.steps.get(from+i)) > last }) - 1
	if step < steps-1 {
		r.ToStep = &step
	}
	return r
}
