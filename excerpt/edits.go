package excerpt

import (
	"cmp"
	"slices"
	"strings"
)

// What of a block tells that it is edited next. The features and their weights
// are fitted as fit_test.go says, on the sessions of six sources.
const (
	featAge       = iota // requests since it was shown
	featCalls            // on its file
	featFresh            // a read, and its file was not changed since
	featOwn              // the agent wrote it
	featSearch           // a search or listing found it
	featLines            // it has
	featBytes            // it has
	featEntry            // lines of all that was shown with it
	featMentioned        // its file was named lately, times the share of its words that were
	featOverlap          // of its words with what is talked of
	featAfter            // bytes that came after it
	featPlaced           // near a place of its file that was named: "name.go:12"
	featQuoted           // a later search or output has a line of it
	featShown            // how often its lines were
	featTop              // it begins its text
	editFeatures
)

// editWeights are the weights of the features, in thousandths, and the bias.
var editWeights = [editFeatures]int64{
	featAge:       -1200,
	featCalls:     303,
	featFresh:     1166,
	featOwn:       214,
	featSearch:    -1348,
	featLines:     712,
	featBytes:     258,
	featEntry:     -224,
	featMentioned: 2030,
	featOverlap:   255,
	featAfter:     -193,
	featPlaced:    1486,
	featQuoted:    945,
	featShown:     380,
	featTop:       -241,
}

const editBias = -6387

const (
	// recentWords is for how many requests what the model says is what it is at.
	recentWords = 8
	// recentSpeech is for how many it speaks of a file.
	recentSpeech = 3
	// recentOutput is for how many what commands and searches print is news.
	recentOutput = 12
	// farLines is the distance from which on a place in a file is elsewhere.
	farLines = 40
)

// superseded is the share of its telling lines, in percent, which a newer text of
// a file shows, from which on a block is an old version.
const superseded = 80

// isNewestVersion reports whether a block is the newest version of what it shows, and has
// something to tell.
func (ix *Index) isNewestVersion(b *block) bool {
	if b.bytes < minBlock {
		return false
	}
	telling, newer := 0, 0
	for _, l := range ix.blockLines(b) {
		one := &ix.lines[l.line]
		if !one.long {
			continue
		}
		telling++
		if one.newest > b.entry {
			newer++
		}
	}
	return telling > 0 && newer*100 < telling*superseded
}

func (ix *Index) blockLines(b *block) []textLine {
	from := ix.entries[b.entry].text.from - 1
	return ix.text[from+b.first : from+b.last+1]
}

// edits is a look at which blocks are edited next.
type edits struct {
	ix     *Index
	now    int32
	n      int64 // entries
	rarity []int64
	placed map[int32][]int32 // lines of files that were named lately, by the file's name
	// firstRecent is the first entry of the last requests.
	firstRecent int32
}

func (ix *Index) edits() *edits {
	e := &edits{ix: ix, now: ix.now(), n: int64(len(ix.entries)), rarity: make([]int64, len(ix.spellings)), placed: map[int32][]int32{}}
	for i := len(ix.places) - 1; i >= 0; i-- {
		p := ix.places[i]
		if e.now-p.request >= recentOutput {
			break
		}
		e.placed[p.name] = append(e.placed[p.name], p.number)
	}
	e.firstRecent = int32(len(ix.entries))
	for e.firstRecent > 0 && e.now-ix.entries[e.firstRecent-1].request < recentOutput {
		e.firstRecent--
	}
	return e
}

// rare is ln(1+N/n) of a word.
func (e *edits) rare(w uint16) int64 {
	if e.rarity[w] == 0 {
		n := int64(max(e.ix.spellings[w].entries, 1))
		e.rarity[w] = ln(e.n+n) - ln(n) + 1
	}
	return e.rarity[w]
}

// installed are parts of the paths of files that a package manager put there: they are
// read, and nobody edits them.
var installed = []string{"/node_modules/", "/site-packages/", "/pkg/mod/", "/.cargo/registry/"}

func isInstalled(path string) bool {
	return slices.ContainsFunc(installed, func(part string) bool { return strings.Contains(path, part) })
}

// chance is how likely a block is edited next, in millionths.
func (e *edits) chance(b *block) int64 {
	if files := e.ix.entries[b.entry].files; len(files) > 0 && e.ix.files[files[0]].installed {
		return 0
	}
	x := e.features(b)
	sum := int64(editBias) * micro
	for i := range x {
		sum += editWeights[i] * x[i]
	}
	return sigmoid((sum + 500) / 1000)
}

func is(b bool) int64 {
	if b {
		return micro
	}
	return 0
}

// features works out what is known of a block, in millionths.
func (e *edits) features(b *block) (x [editFeatures]int64) {
	ix := e.ix
	at := &ix.entries[b.entry]
	age := int64(e.now - at.request)
	x[featAge] = ln(1 + age)
	x[featOwn] = is(at.source == ownText)
	x[featSearch] = is(at.source == searchText)
	x[featLines] = ln(int64(b.last - b.first + 1))
	x[featBytes] = ln(int64(b.bytes))
	x[featEntry] = ln(1 + int64(at.last))
	x[featAfter] = ln(1000+ix.volume-at.after) - ln(1000)
	x[featTop] = is(b.first == 1)
	mentioned := false
	if len(at.files) > 0 {
		name := ix.files[at.files[0]].name
		of := &ix.names[name]
		x[featCalls] = ln(1 + int64(of.calls))
		x[featFresh] = is(at.source == fileText && of.edited < b.entry)
		mentioned = of.said > 0 && e.now-(of.said-1) < recentSpeech || of.asked > 0 && of.asked-1 == ix.lastTyped
		x[featPlaced] = e.near(b, e.placed[name])
	}
	var telling, shown, said, all int64
	for _, l := range ix.blockLines(b) {
		one := &ix.lines[l.line]
		if one.long {
			telling++
			shown += int64(one.shown)
			if one.quoted > b.entry && one.quoted >= e.firstRecent {
				x[featQuoted] = micro
			}
		}
		for _, w := range ix.spelt[one.words.from:one.words.to] {
			rare := e.rare(w)
			all += rare
			if word := &ix.spellings[w]; word.asked > 0 && word.asked-1 == ix.lastTyped || word.said > 0 && e.now-(word.said-1) < recentWords {
				said += rare
			}
		}
	}
	x[featShown] = ln(telling+shown+1) - ln(telling+1)
	x[featOverlap] = ln(micro+said) - ln(micro)
	if mentioned && all > 0 {
		x[featMentioned] = said * micro / all
	}
	return x
}

// near is e^(-d/6), d the lines between a block and the nearest of the places
// named of its file.
func (e *edits) near(b *block, places []int32) int64 {
	best := int32(farLines)
	first := b.number
	first = cmp.Or(first, b.first)
	last := first + b.last - b.first
	for _, n := range places {
		best = min(best, max(first-n, n-last, 0))
	}
	if best == farLines {
		return 0
	}
	const sixth = 846_482 // e^(-1/6)
	near := int64(micro)
	for range best {
		near = near * sixth / micro
	}
	return near
}
