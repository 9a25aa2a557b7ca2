package tenfold

import "math"

// A block is chunkLen entries of the log in sum, so that an overlay which
// hides them all need not look at each.
type block struct {
	entries int32 // of the root that a model could see, void ones aside
	tokens  int64 // they cost
	open    int32 // calls of the root that wait for their results
	// reach is the earliest call that a result of the block answers.
	reach int32
	// others says that it holds entries of branches that a model could see.
	others bool
}

func blockOf(seq int32) int32 { return (seq-1)>>chunkBits + 1 }

// sumUp takes an entry that has its place into the block it stands in.
func (l *Log) sumUp(seq int32, n *node) {
	at := blockOf(seq)
	if (seq-1)&(chunkLen-1) == 0 {
		*l.blocks.push(at) = block{reach: math.MaxInt32}
	}
	if !n.visible() || n.is(flagVoid) {
		return
	}
	b := l.blocks.edit(at)
	if n.kind == codeResult {
		b.reach = min(b.reach, n.pair)
	}
	if n.branch != 0 {
		b.others = true
		return
	}
	b.entries++
	b.tokens += int64(n.tokens)
	switch n.kind {
	case codeCall:
		b.open++
	case codeResult:
		l.blocks.edit(blockOf(n.pair)).open--
	}
}
