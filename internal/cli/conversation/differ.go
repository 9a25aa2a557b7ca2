package conversation

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/strategy"
	"tenfold/token"
)

// differ prints the raw conversation beside its projection, entry by entry,
// and the totals.
type differ struct {
	*command.App
	view *tenfold.Projection
	// scale converts what is counted to what is shown.
	scale token.Scale
	// shown is what a model sees of shortened entries. added are the items that
	// the projection inserted after an entry, after 0 before all entries that are printed.
	shown map[int64]string
	added map[int64][]tenfold.Item
	put   tenfold.Count // what of them was printed
	// system is the system prompt, with the summaries that stand in it, and the tools; none
	// where only some turns are printed.
	system tenfold.Count
	// place is the width of entry numbers, tokens that of token counts.
	place, tokens int
	turn          int
	fates         map[tenfold.Fate]tenfold.Count
	by            map[string]tenfold.Count
}

// sideBySide is the narrowest terminal that shows both sides.
const sideBySide = 110

// newDiffer prepares for the turns from one to another.
func newDiffer(a *command.App, view *tenfold.Projection, scale token.Scale, from, to int) *differ {
	d := &differ{
		App: a, view: view, scale: scale, turn: -1, shown: map[int64]string{}, added: map[int64][]tenfold.Item{},
		fates: map[tenfold.Fate]tenfold.Count{}, by: map[string]tenfold.Count{},
		place: len(strconv.FormatInt(view.Version(), 10)), tokens: len(number.Thousands(scale.Tokens(mostTokens(view)))),
	}
	last := int64(0)
	for it := range report.Items(view) {
		switch {
		case it.Turn < from || it.Turn > to:
			continue
		case it.Seq == 0:
			d.added[last] = append(d.added[last], it)
		case it.Fate == tenfold.Stripped || it.Fate == tenfold.Trimmed:
			d.shown[it.Seq] = display.EntryText(it.Payload)
		}
		last = max(last, it.Seq)
	}
	if from == 0 && to >= view.Log().Turns()-1 {
		d.system = view.Totals().Config
		d.system.After += view.Log().Counter().Count(view.Continuation())
	}
	return d
}

// entry prints one entry, and what the projection inserted after it.
func (d *differ) entry(e tenfold.Entry, line diffJSON, fate tenfold.Fate) {
	if line.Turn != d.turn {
		if d.turn >= 0 {
			d.Printf("\n")
		}
		d.turn = line.Turn
		d.heading()
	}
	d.additions(0)
	sum := tenfold.Count{Entries: 1, Before: line.Before, After: line.After}
	d.fates[fate] = plus(d.fates[fate], sum)
	if line.By != "" {
		d.by[line.By] = plus(d.by[line.By], sum)
	}
	r := diffRow{
		head: d.head(strconv.FormatInt(e.Seq, 10), strconv.Itoa(line.Turn)+"."+strconv.Itoa(line.Step), e.Payload),
		text: display.EntryText(e.Payload), before: d.scale.Tokens(line.Before), after: d.scale.Tokens(line.After),
	}
	if fate != tenfold.Kept && (fate != tenfold.Stripped || line.By != "") { // words without their signature are the same words
		r.changed, r.left, r.why = true, d.shown[e.Seq], line.Fate+": "+line.Why
		if line.By != "" {
			r.why += ", " + terminal.Tag(line.By)
		}
	}
	d.row(r)
	d.additions(e.Seq)
}

// additions prints what the projection inserted after an entry.
func (d *differ) additions(seq int64) {
	for _, it := range d.added[seq] {
		d.put = plus(d.put, tenfold.Count{Entries: 1, After: it.Tokens})
		d.row(diffRow{
			head: d.head("", "", it.Payload), changed: true, added: true, after: d.scale.Tokens(it.Tokens), left: display.EntryText(it.Payload), why: display.MarkFor(it),
		})
	}
	delete(d.added, seq)
}

func (d *differ) head(seq, place string, p tenfold.Payload) string {
	return terminal.PadLeft(seq, d.place) + " " + terminal.Pad(place, 6) + " " + terminal.Pad(report.KindWord(p.Kind()), 9)
}

// diffRow is one entry on both sides.
type diffRow struct {
	head           string
	text, left     string // as it was, what is left of it
	before, after  int
	why            string
	changed, added bool
}

func (d *differ) heading() {
	words := "── turn " + strconv.Itoa(d.turn) + " ──"
	if d.Width >= sideBySide {
		words = terminal.Pad(words, d.place+18+(d.Width-d.place-18)/2-1) + "what a model sees"
	}
	d.Printf("%s\n", d.Paint(terminal.Bold, words))
}

func (d *differ) row(r diffRow) {
	if d.Width >= sideBySide {
		d.wide(r)
	} else {
		d.unified(r)
	}
}

// wide prints a row side by side.
func (d *differ) wide(r diffRow) {
	const middle = " │ "
	room := d.Width - ansi.StringWidth(r.head) - len("  ") - ansi.StringWidth(middle)
	left := room / 2
	right := room - left
	was := terminal.Pad("", left)
	if !r.added {
		was = terminal.Pad(terminal.PadLeft(number.Thousands(r.before), d.tokens)+"  "+terminal.Excerpt(r.text, left-d.tokens-2), left)
	}
	is := terminal.PadLeft(number.Thousands(r.after), d.tokens) + "  "
	if !r.changed {
		is = d.Paint(terminal.Faint, is+terminal.Excerpt(r.text, right-d.tokens-2))
	} else {
		why := terminal.Excerpt(r.why, right-d.tokens-2)
		if rest := right - d.tokens - 4 - ansi.StringWidth(why); r.left != "" && rest >= 8 {
			is += terminal.Excerpt(r.left, rest) + "  "
		}
		is += d.Paint(terminal.Yellow, why)
	}
	d.Printf("%s  %s%s%s\n", r.head, was, d.Paint(terminal.Faint, middle), strings.TrimRight(is, " "))
}

// unified prints a row on one line, or on two if it was changed.
func (d *differ) unified(r diffRow) {
	width := command.TitleWidth
	head := "  " + r.head + "  "
	if d.Width > 0 {
		width = max(d.Width-ansi.StringWidth(head)-d.tokens-2, 8)
	}
	line := func(mark string, c terminal.Colour, tokens int, text string) {
		d.Printf("%s\n", d.Paint(c, strings.TrimRight(mark+" "+r.head+"  "+terminal.PadLeft(number.Thousands(tokens), d.tokens)+"  "+text, " ")))
	}
	if !r.changed {
		line(" ", terminal.Normal, r.before, terminal.Excerpt(r.text, width))
		return
	}
	if !r.added {
		line("-", terminal.Red, r.before, terminal.Excerpt(r.text, width))
	}
	left := ""
	if rest := width - ansi.StringWidth(r.why) - 4; r.left != "" && (rest >= 8 || d.Width == 0) {
		if d.Width == 0 {
			rest = max(rest, 24)
		}
		left = terminal.Excerpt(r.left, rest) + "  "
	}
	line("+", terminal.Green, r.after, left+"("+terminal.Excerpt(r.why, width-2)+")")
}

// sums prints the totals of the entries shown: by fate, then by strategy.
func (d *differ) sums() {
	var all tenfold.Count
	var names []string
	var counts []tenfold.Count
	for _, fate := range tenfold.Fates() {
		if c, ok := d.fates[fate]; ok {
			names, counts = append(names, fate.String()), append(counts, c)
		}
	}
	var rows [][3]string
	for i, c := range d.scale.Counts(counts...) {
		rows = append(rows, sumRow(names[i], c))
		all = plus(all, c)
	}
	rows = append(rows, sumRow("total", all))
	if d.put.Entries > 0 {
		rows = append(rows, [3]string{"added", number.Count(d.put.Entries, "text"), number.Thousands(d.scale.Tokens(d.put.After)) + " tokens"})
	}
	if d.system != (tenfold.Count{}) {
		rows = append(rows, [3]string{"prompt and tools", "", number.Tokens(d.scale.Tokens(d.system.Before), d.scale.Tokens(d.system.After))})
	}
	rows = append(rows, [3]string{"figures", "", d.scale.Words(report.CounterOf(d.view.Log()))})
	d.table(rows)
	rows, names = nil, nil
	// What the overlays of each strategy or profile did, in order of appearance.
	sums := map[string]tenfold.Count{}
	for _, o := range display.LiveOverlays(d.view) {
		c, ok := d.by[o.ID]
		if !ok {
			continue
		}
		name := "compacted by " + o.Compaction.Source
		switch {
		case strategy.IsToolsOwn(o.Compaction):
			name = "the original tool's own"
		case o.Compaction.Profile != "":
			name = "profile " + o.Compaction.Profile
		case o.Compaction.Strategy != "":
			name = o.Compaction.Strategy
		}
		if _, known := sums[name]; !known {
			names = append(names, name)
		}
		sums[name] = plus(sums[name], c)
	}
	for _, name := range names {
		rows = append(rows, sumRow(terminal.VisibleLine(name), d.scale.Counts(sums[name])[0]))
	}
	d.table(rows)
	for _, o := range display.LiveOverlays(d.view) {
		d.TwoParts(terminal.Faint, terminal.Tag(o.ID)+"  "+report.Where(o.Compaction), terminal.VisibleLine(report.Why(o.Compaction)))
		display.PrintArtifacts(d.App, report.WrittenOf(o.Compaction.Summary, d.scale))
	}
}

func plus(x, y tenfold.Count) tenfold.Count {
	return tenfold.Count{Entries: x.Entries + y.Entries, Before: x.Before + y.Before, After: x.After + y.After}
}

func sumRow(name string, c tenfold.Count) [3]string {
	return [3]string{name, number.CountOf(c.Entries, "entry", "entries"), number.Tokens(c.Before, c.After)}
}

// table prints rows in columns, below an empty line.
func (d *differ) table(rows [][3]string) {
	if len(rows) == 0 {
		return
	}
	d.Printf("\n")
	var width [2]int
	for _, r := range rows {
		width[0], width[1] = max(width[0], ansi.StringWidth(r[0])), max(width[1], len(r[1]))
	}
	for _, r := range rows {
		d.Line(2, terminal.Pad(r[0], width[0])+"  "+terminal.PadLeft(r[1], width[1])+"  "+r[2])
	}
}

// mostTokens is the largest token count of an entry.
func mostTokens(view *tenfold.Projection) int {
	most := 0
	for e := range view.Log().Entries() {
		most = max(most, e.Tokens)
	}
	return most
}
