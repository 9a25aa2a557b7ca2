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
		if !ix.stands(b) {
			continue
		}
		x := look.features(b)
		all = append(all, Passage{ix.entries[b.entry].seq, int(b.first), int(b.last), int(b.bytes), x[:], look.chance(b)})
	}
	return all
}
