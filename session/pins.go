package session

import (
	"slices"
	"strconv"

	"tenfold"
	"tenfold/problem"
)

// Pinnable rejects entries that do not exist or that no model sees.
func Pinnable(l *tenfold.Log, seq int64) error {
	e, ok := l.Entry(seq)
	switch {
	case !ok:
		return &problem.Error{
			Code: "not_found", Problem: "no entry " + strconv.FormatInt(seq, 10),
			Hint: "the conversation has entries 1.." + strconv.FormatInt(l.Version(), 10) + "; use --id for another conversation",
		}
	case !e.Payload.Kind().Visible():
		return &problem.Error{
			Code: "not_visible", Problem: "entry " + strconv.FormatInt(seq, 10) + " takes no pin: no model sees entries of kind " + string(e.Payload.Kind()),
			Hint: "messages, reasoning, calls and results take one",
		}
	}
	return nil
}

// ToPin lists what has to be pinned, or unpinned where on is false, for entries to
// be so: they and the other halves of their pairs (P8), as far as they are not.
func ToPin(p *tenfold.Projection, seqs []int64, on bool) []int64 {
	var out []int64
	for _, seq := range seqs {
		for _, half := range []int64{seq, p.Log().Pair(seq)} {
			if half > 0 && p.Pinned(half) != on && !slices.Contains(out, half) {
				out = append(out, half)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Pinned lists the pinned entries and the other halves of their pairs.
func Pinned(p *tenfold.Projection) []int64 {
	var out []int64
	for seq := int64(1); seq <= p.Version(); seq++ {
		if p.Pinned(seq) {
			out = append(out, seq)
		}
	}
	return out
}
