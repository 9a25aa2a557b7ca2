package strategy

import (
	"slices"

	"tenfold"
)

// findRenewed finds the standing instructions that whoever takes the view puts
// there anew.
func (f *fitting) findRenewed() {
	if f.o.Renewed == nil {
		return
	}
	for e := range f.p.Log().Entries() {
		if isContext(e.Payload) && f.p.Reads(e.Seq) && f.o.Renewed(e.Payload) {
			f.renewed = append(f.renewed, e.Seq)
		}
	}
}

// isRenewed reports whether an entry is left out of a view because its client puts
// it there again. An entry that is shortened stays: the client has another text.
func (f *fitting) isRenewed(view *tenfold.Projection, seq int64) bool {
	if _, ok := slices.BinarySearch(f.renewed, seq); !ok {
		return false
	}
	fate, _, _ := view.Fate(seq)
	return fate == tenfold.Kept
}

// renewedTokens is what a view holds of such, in tokens.
func (f *fitting) renewedTokens(view *tenfold.Projection) int {
	sum := 0
	for _, seq := range f.renewed {
		if fate, _, tokens := view.Fate(seq); fate == tenfold.Kept {
			sum += tokens
		}
	}
	return sum
}
