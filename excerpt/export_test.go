package excerpt

// A Passage is a block that may be chosen, with what is known of it.
type Passage struct {
	Seq         int64
	First, Last int
	Bytes       int
	Features    []int64
	Chance      int64
}

// FeatureNames name the features of a passage, as the fit prints them.
func FeatureNames() []string {
	names := [editFeatures]string{
		"Age", "Calls", "Fresh", "Own", "Search", "Lines", "Bytes", "Entry", "Mentioned", "Overlap", "After", "Placed", "Quoted", "Shown", "Top",
	}
	return names[:]
}

// Passages lists the blocks of an index that may be chosen.
func (ix *Index) Passages() []Passage {
	var all []Passage
	look := ix.edits()
	for i := range ix.blocks {
		b := &ix.blocks[i]
		if !ix.isNewestVersion(b) {
			continue
		}
		x := look.features(b)
		all = append(all, Passage{ix.entries[b.entry].seq, int(b.first), int(b.last), int(b.bytes), x[:], look.chance(b)})
	}
	return all
}

// A Name is an atom, with what is known of it at the last request and how rare it is.
type Name struct {
	Text     string
	Features []int64
	Rare     int64
}

// AtomWeights are the weights of the features of names, in thousandths.
func AtomWeights() []int64 { return atomWeights[:] }

// AtomBias is the score of an atom of which nothing is known.
const AtomBias = atomBias / 1000.0

// Names lists the atoms of an index, in the order in which they came.
func (ix *Index) Names() []Name {
	all := make([]Name, len(ix.atoms))
	asked := make([]bool, len(ix.atoms))
	for _, a := range ix.asked {
		asked[a] = true
	}
	for text, a := range ix.byName {
		info := &ix.atoms[a]
		x := ix.features(info, int64(ix.now()), asked[a])
		all[a] = Name{text, x[:], ln(int64(len(ix.entries))+int64(info.entries)+1) - ln(int64(info.entries)+1)}
	}
	return all
}
