package cli

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
)

// differ writes the raw conversation beside its projection, an entry at a
// time, and adds up.
type differ struct {
	*app
	view *tenfold.Projection
	// shown is what a model sees of entries that were shortened, added what
	// the projection put in behind an entry.
	shown map[int64]string
	added map[int64][]tenfold.Item
	first []tenfold.Item // what it put in before all entries
	// place is how wide the numbers at the left are, tokens a count of them.
	place, tokens int
	turn          int
	fates         map[tenfold.Fate]tenfold.Count
	by            map[string]tenfold.Count
}

// sideBySide is the narrowest terminal that shows both sides.
const sideBySide = 110

func newDiffer(a *app, view *tenfold.Projection) *differ {
	d := &differ{
		app: a, view: view, turn: -1, shown: map[int64]string{}, added: map[int64][]tenfold.Item{},
		fates: map[tenfold.Fate]tenfold.Count{}, by: map[string]tenfold.Count{},
		place: len(strconv.FormatInt(view.Version(), 10)), tokens: mostTokens(view),
	}
	last := int64(0)
	for it := range view.Items() {
		switch {
		case it.Seq > 0:
			last = max(last, it.Seq)
			if it.Fate == tenfold.Stripped || it.Fate == tenfold.Trimmed {
				d.shown[it.Seq] = entryText(it.Payload)
			}
		case last == 0:
			d.first = append(d.first, it)
		default:
			d.added[last] = append(d.added[last], it)
		}
	}
	return d
}

// entry writes one entry, and what the projection put in behind it.
func (d *differ) entry(e tenfold.Entry, turn, step int) {
	if turn != d.turn {
		if d.turn >= 0 {
			d.printf("\n")
		}
		d.turn = turn
		d.heading(turn)
	}
	for _, it := range d.first {
		d.addition(it)
	}
	d.first = nil
	fate, by, after := d.view.Fate(e.Seq)
	d.fates[fate] = plus(d.fates[fate], e.Tokens, after)
	if by != "" {
		d.by[by] = plus(d.by[by], e.Tokens, after)
	}
	head := padLeft(strconv.FormatInt(e.Seq, 10), d.place) + " " + pad(strconv.Itoa(turn)+"."+strconv.Itoa(step), 6) + " " +
		pad(kindWord(e.Payload.Kind()), 9)
	r := diffRow{head: head, text: entryText(e.Payload), before: e.Tokens, after: after}
	if fate != tenfold.Kept {
		r.changed, r.left = true, d.shown[e.Seq]
		r.why = fate.String() + ": " + d.view.Why(e.Seq).String()
		if by != "" {
			r.why += ", " + tagFor(by)
		}
	}
	d.row(r)
	for _, it := range d.added[e.Seq] {
		d.addition(it)
	}
}

// addition writes what the projection put in.
func (d *differ) addition(it tenfold.Item) {
	why := "put in for the model: " + it.Added.String()
	if it.Added == tenfold.AddedSummary {
		why = "summary by " + tagFor(it.By)
	}
	head := padLeft("", d.place) + " " + pad("", 6) + " " + pad(kindWord(it.Payload.Kind()), 9)
	d.row(diffRow{head: head, changed: true, added: true, after: it.Tokens, left: entryText(it.Payload), why: why})
}

// diffRow is one entry on both sides.
type diffRow struct {
	head           string
	text, left     string // as it was, what is left of it
	before, after  int
	why            string
	changed, added bool
}

func (d *differ) heading(turn int) {
	words := "── turn " + strconv.Itoa(turn) + " ──"
	if d.width >= sideBySide && turn >= 0 {
		words = pad(words, d.place+18+(d.width-d.place-18)/2-1) + "what a model sees"
	}
	d.printf("%s\n", d.paint(bold, words))
}

func (d *differ) row(r diffRow) {
	if d.width >= sideBySide {
		d.wide(r)
		return
	}
	d.unified(r)
}

// wide writes a row side by side.
func (d *differ) wide(r diffRow) {
	const middle = " │ "
	room := d.width - ansi.StringWidth(r.head) - len("  ") - ansi.StringWidth(middle)
	left := room / 2
	right := room - left
	was := pad("", left)
	if !r.added {
		was = pad(padLeft(thousands(r.before), d.tokens)+"  "+excerpt(r.text, left-d.tokens-2), left)
	}
	is := padLeft(thousands(r.after), d.tokens) + "  "
	switch {
	case !r.changed:
		is = d.paint(faint, is+excerpt(r.text, right-d.tokens-2))
	default:
		why := excerpt(r.why, right-d.tokens-2)
		if rest := right - d.tokens - 4 - ansi.StringWidth(why); r.left != "" && rest >= 8 {
			is += excerpt(r.left, rest) + "  "
		}
		is += d.paint(yellow, why)
	}
	d.printf("%s  %s%s%s\n", r.head, was, d.paint(faint, middle), strings.TrimRight(is, " "))
}

// unified writes a row on one line, or on two where it was changed.
func (d *differ) unified(r diffRow) {
	width := titleWidth
	head := "  " + r.head + "  "
	if d.width > 0 {
		width = max(d.width-ansi.StringWidth(head)-d.tokens-2, 8)
	}
	line := func(mark string, c colour, tokens int, text string) {
		words := strings.TrimRight(mark+" "+r.head+"  "+padLeft(thousands(tokens), d.tokens)+"  "+text, " ")
		if c != faint {
			words = d.paint(c, words)
		}
		d.printf("%s\n", words)
	}
	if !r.changed {
		line(" ", faint, r.before, excerpt(r.text, width))
		return
	}
	if !r.added {
		line("-", red, r.before, excerpt(r.text, width))
	}
	left := ""
	if rest := width - ansi.StringWidth(r.why) - 4; r.left != "" && (rest >= 8 || d.width == 0) {
		if d.width == 0 {
			rest = max(rest, 24)
		}
		left = excerpt(r.left, rest) + "  "
	}
	line("+", green, r.after, left+"("+excerpt(r.why, width-2)+")")
}

// sums adds up the entries shown: by what became of them, then by what did it.
func (d *differ) sums() {
	var all tenfold.Count
	var rows [][3]string
	for _, fate := range tenfold.Fates() {
		if c, ok := d.fates[fate]; ok {
			rows = append(rows, sumRow(fate.String(), c))
			all = tenfold.Count{Entries: all.Entries + c.Entries, Before: all.Before + c.Before, After: all.After + c.After}
		}
	}
	rows = append(rows, sumRow("together", all))
	t := d.view.Totals()
	if t.Added.Entries > 0 {
		rows = append(rows, [3]string{"added", count(t.Added.Entries, "text", "texts"), thousands(t.Added.After) + " tokens"})
	}
	if t.Config.Before > 0 || t.Config.After > 0 {
		rows = append(rows, [3]string{"prompt and tools", "", tokens(t.Config.Before, t.Config.After)})
	}
	d.printf("\n")
	d.table(rows)
	rows = nil
	for _, name := range d.strategies() {
		rows = append(rows, sumRow(name.words, name.count))
	}
	if len(rows) > 0 {
		d.printf("\n")
		d.table(rows)
	}
	for _, o := range live(d.view) {
		d.twoParts(tagFor(o.ID)+"  "+overlayWhere(o.Compaction), overlayWhy(o.Compaction), func(s string) string { return d.paint(faint, s) })
		d.showArtifacts(newWrittenJSON(o.Compaction.Summary))
	}
}

// strategySum is what the overlays of one strategy or profile did.
type strategySum struct {
	words string
	count tenfold.Count
}

// strategies sums over the overlays that each strategy or profile made, in the
// order in which they came.
func (d *differ) strategies() []strategySum {
	var sums []strategySum
	for _, o := range live(d.view) {
		c, ok := d.by[o.ID]
		if !ok {
			continue
		}
		words := "compacted by " + o.Compaction.Source
		switch {
		case o.Compaction.Profile != "":
			words = "profile " + o.Compaction.Profile
		case o.Compaction.Strategy != "":
			words = o.Compaction.Strategy
		}
		words = visibleLine(words)
		i := slices.IndexFunc(sums, func(s strategySum) bool { return s.words == words })
		if i < 0 {
			sums = append(sums, strategySum{words: words})
			i = len(sums) - 1
		}
		sums[i].count = tenfold.Count{
			Entries: sums[i].count.Entries + c.Entries, Before: sums[i].count.Before + c.Before, After: sums[i].count.After + c.After,
		}
	}
	return sums
}

func plus(c tenfold.Count, before, after int) tenfold.Count {
	return tenfold.Count{Entries: c.Entries + 1, Before: c.Before + before, After: c.After + after}
}

func sumRow(name string, c tenfold.Count) [3]string {
	return [3]string{name, count(c.Entries, "entry", "entries"), tokens(c.Before, c.After)}
}

// table writes rows in columns.
func (d *differ) table(rows [][3]string) {
	var width [2]int
	for _, r := range rows {
		width[0], width[1] = max(width[0], ansi.StringWidth(r[0])), max(width[1], len(r[1]))
	}
	for _, r := range rows {
		d.line(2, pad(r[0], width[0])+"  "+padLeft(r[1], width[1])+"  "+r[2])
	}
}

// overlayWhy says what an overlay touches, and who wanted it.
func overlayWhy(c tenfold.Compaction) string {
	why := slotWords(slots(c))
	switch {
	case c.Profile != "":
		why += ", profile " + visibleLine(c.Profile)
	case c.Strategy != "":
		why += ", " + visibleLine(c.Strategy)
	}
	if by := newWrittenJSON(c.Summary).paid(); by != "" {
		why += ", summary by " + visibleLine(by)
	}
	if c.Source != "" {
		why += ", by " + visibleLine(c.Source)
	}
	if c.Reason != "" {
		why += ": " + visibleLine(c.Reason)
	}
	return why
}

// mostTokens is how wide the largest count of an entry is.
func mostTokens(view *tenfold.Projection) int {
	most := 0
	for e := range view.Log().Entries() {
		most = max(most, e.Tokens)
	}
	return len(thousands(most))
}

// tagFor shortens an overlay's id to its end: ids made at about the same time
// begin alike.
func tagFor(id string) string {
	const show = 6
	at := len(id) - show
	if at <= 5 {
		return visibleLine(id)
	}
	for at < len(id) && !utf8.RuneStart(id[at]) {
		at++
	}
	return visibleLine("cmp_…" + id[at:])
}
