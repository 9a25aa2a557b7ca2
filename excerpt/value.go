package excerpt

// What of an atom tells that later work uses it. The features and their weights are
// fitted as fit_test.go says, on the sessions of six sources.
const (
	atomSeen       = iota // requests since it stood last
	atomUsed              // a call used it
	atomUsedAge           // requests since then
	atomUses              // requests whose calls used it
	atomAsked             // the person's last message has it
	atomDensity           // atoms beside it
	atomSimilar           // of its name in what the model said and did of late
	atomFiled             // it came from a file
	atomFileAge           // requests since that file was touched
	atomEdited            // that file was changed
	atomLines             // with it
	atomOnlyResult        // nothing but results has it
	atomFeatures
)

// atomWeights are the weights of the features, in thousandths, and the bias.
var atomWeights = [atomFeatures]int64{
	atomSeen:       -432,
	atomUsed:       599,
	atomUsedAge:    -138,
	atomUses:       496,
	atomAsked:      541,
	atomDensity:    -195,
	atomSimilar:    648,
	atomFiled:      950,
	atomFileAge:    -136,
	atomEdited:     -841,
	atomLines:      351,
	atomOnlyResult: -808,
}

const atomBias = -4139

// recentRequests is how far back what the model says and does is what it is
// at now.
const recentRequests = 10

// values gives what each atom is worth at the last request: how likely later
// work is to use it, times how rare it is, in millionths.
func (ix *Index) values(o Options, counts func(atom int) bool) []int64 {
	n := int64(len(ix.entries))
	asked := make([]bool, len(ix.atoms))
	for _, a := range ix.asked {
		asked[a] = true
	}
	c := int64(ix.now())
	v := empty(&ix.room.value, len(ix.atoms))
	for a := range ix.atoms {
		info := &ix.atoms[a]
		if info.entries == 0 || !counts(a) {
			continue // only ever in reasoning
		}
		rare := ln(n+int64(info.entries)) - ln(int64(info.entries)) // ln(1+N/df)
		var chance int64
		if o.without(Model) {
			m := min(int64(info.told), 4)
			chance = (micro + 2*micro*m) / (4 + c - int64(info.request))
		} else {
			chance = flattenChance(sigmoid(ix.score(info, c, asked[a])))
		}
		v[a] = (chance*rare + micro/2) / micro
	}
	return v
}

// flattenChance is a chance to the power of three quarters: what is likely at all is likely to
// be wanted along with much else, and so brings less than its chance; the many names
// that are less likely bring more. Chosen on the corpus (docs/quality.md).
func flattenChance(chance int64) int64 { return sqrt(chance * sqrt(chance*micro)) }

// score is w·x of the model, in millionths.
func (ix *Index) score(info *atomInfo, c int64, asked bool) int64 {
	x := ix.features(info, c, asked)
	sum := int64(atomBias) * micro
	for i := range x {
		sum += atomWeights[i] * x[i]
	}
	return (sum + 500) / 1000
}

// features works out what is known of an atom at a request, in millionths.
func (ix *Index) features(info *atomInfo, c int64, asked bool) (x [atomFeatures]int64) {
	x[atomSeen] = ln(3+c-int64(info.request)) - 2_500_000
	if info.used >= 0 {
		x[atomUsed] = micro
		x[atomUsedAge] = ln(3+c-int64(info.used)) - 2_500_000
	}
	x[atomUses] = ln(1 + int64(info.uses))
	x[atomAsked] = is(asked)
	x[atomDensity] = ln(1+int64(info.density)) - 4*micro
	x[atomSimilar] = ix.similar(info, c)
	if touched, edited, ok := ix.filesOf(info); ok {
		x[atomFiled] = micro
		x[atomFileAge] = ln(2+c-int64(touched)) - 2*micro
		x[atomEdited] = is(edited)
	}
	x[atomLines] = ln(1 + int64(info.lines))
	x[atomOnlyResult] = is(!info.outside)
	return x
}

// similar is how much of the atom's name is in what the model said and did in
// the last requests; twice that if it named the atom itself.
func (ix *Index) similar(info *atomInfo, c int64) int64 {
	var all, hit int64
	for _, i := range ix.subs[info.words.from:info.words.to] {
		word := &ix.words[i]
		share := rootShare(int64(word.atoms))
		all += share
		if word.said >= 0 && c-int64(word.said) < recentRequests {
			hit += share
		}
	}
	if all == 0 {
		return 0
	}
	share := hit * micro / all
	if info.said >= 0 && c-int64(info.said) < recentRequests {
		share *= 2
	}
	return share
}

// filesOf tells when a file the atom came from was touched last, and whether
// any of them was edited.
func (ix *Index) filesOf(info *atomInfo) (touched int32, edited, ok bool) {
	touched = -1
	for at := info.files; at >= 0; at = ix.chain[at].next {
		f := &ix.files[ix.chain[at].file]
		touched = max(touched, f.touched)
		edited = edited || f.edited > 0
	}
	return touched, edited, info.files >= 0
}

// stale reports whether an entry is a read of a file that was edited after it.
func (ix *Index) stale(i int32) bool {
	e := &ix.entries[i]
	return e.role == roleResult && e.reads >= 0 && ix.files[e.reads].edited > e.seq
}

// counts says on which of its last entries an atom counts: those that are no
// stale reads, or the latest where all are.
func (ix *Index) counts(info *atomInfo, o Options) (on latest) {
	if o.without(Stale) {
		return info.recent
	}
	fresh := false
	for k, e := range info.recent {
		on[k] = -1
		if e >= 0 && !ix.stale(e) {
			on[k], fresh = e, true
		}
	}
	if !fresh {
		on[recentEntries-1] = info.recent[recentEntries-1]
	}
	return on
}
