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
			Code: "not_visible", Problem: "cannot pin entry " + strconv.FormatInt(seq, 10) + ": no model sees entries of kind " + string(e.Payload.Kind()),
			Hint: "pin messages, reasoning, calls or results",
		}
	}
	return nil
}

// ToPin lists what has to be pinned, or unpinned where on is false, for entries to
// be so: they and the other halves of their pairs (P8), as far as they are not.
func ToPin(l *tenfold.Log, seqs []int64, on bool) []int64 {
	pinned := Pinned(l)
	var out []int64
	for _, seq := range seqs {
		for _, half := range []int64{seq, l.Pair(seq)} {
			if half > 0 && slices.Contains(pinned, half) != on && !slices.Contains(out, half) {
				out = append(out, half)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Pinned lists the pinned entries and the other halves of their pairs.
func Pinned(l *tenfold.Log) []int64 {
	pinned := map[int64]bool{}
	set := func(ids []string, on bool) {
		for _, id := range ids {
			if e, ok := l.Lookup(id); ok {
				pinned[e.Seq] = on
				if pair := l.Pair(e.Seq); pair > 0 {
					pinned[pair] = on
				}
			}
		}
	}
	for e := range l.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.Pin:
			set(p.Entries, true)
		case tenfold.Unpin:
			set(p.Entries, false)
		}
	}
	var out []int64
	for seq, on := range pinned {
		if on {
			out = append(out, seq)
		}
	}
	slices.Sort(out)
	return out
}
