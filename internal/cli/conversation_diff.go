package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tenfold"
)

func (a *app) diffCommand() *cobra.Command {
	var turns string
	c := &cobra.Command{
		Use:   "diff [ID] [flags]",
		Short: "Show what compactions do to each entry",
		Long: `Shows the raw conversation beside what a model sees: for each entry its number,
its turn and step, its kind, what became of it and by which compaction, and its
tokens before and after. Sums for each fate stand at the end.`,
		Example: `  tenfold conversation diff
  tenfold conversation diff --turns 3..5
  tenfold conversation diff --json`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := parseTurns(turns)
			if err != nil {
				return err
			}
			return a.diff(c.Context(), args, r)
		},
	}
	c.Flags().StringVar(&turns, "turns", "..", "only turns `A..B`, both inclusive")
	return c
}

type diffJSON struct {
	Seq    int64  `json:"seq"`
	Turn   int    `json:"turn"`
	Step   int    `json:"step"`
	Kind   string `json:"kind"`
	Fate   string `json:"fate"`
	By     string `json:"by,omitzero"`
	Before int    `json:"tokens_before"`
	After  int    `json:"tokens_after"`
}

func (a *app) diff(ctx context.Context, args []string, r turnRange) error {
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	view := s.Projection()
	from, to, err := r.in(s.Log().Turns())
	if err != nil {
		return err
	}
	d := differ{app: a, view: view, wide: len(strconv.FormatInt(view.Version(), 10)), most: mostTokens(view)}
	for _, o := range live(view) {
		d.tags = max(d.tags, ansi.StringWidth(tagFor(o.ID)))
	}
	for e := range s.Log().Entries() {
		turn, step, _ := s.Log().Where(e.Seq)
		if turn < from || turn > to || !view.Reads(e.Seq) {
			continue
		}
		if err := d.entry(e, turn, step); err != nil {
			return err
		}
	}
	if !a.json {
		d.sums()
	}
	return nil
}

// differ writes a line for each entry and adds up.
type differ struct {
	*app
	view *tenfold.Projection
	// wide is how wide an entry's number can be, most a count of tokens, tags
	// what names an overlay.
	wide, most, tags int
	fates            map[tenfold.Fate]tenfold.Count
}

func (d *differ) entry(e tenfold.Entry, turn, step int) error {
	fate, by, after := d.view.Fate(e.Seq)
	kind := e.Payload.Kind()
	if d.json {
		return d.emit(diffJSON{e.Seq, turn, step, string(kind), fate.String(), by, e.Tokens, after})
	}
	if !kind.Visible() {
		return nil // no model saw it; machines get it for completeness
	}
	if d.fates == nil {
		d.fates = map[tenfold.Fate]tenfold.Count{}
	}
	c := d.fates[fate]
	d.fates[fate] = tenfold.Count{Entries: c.Entries + 1, Before: c.Before + e.Tokens, After: c.After + after}
	d.line(e, turn, step, fate, by, after)
	return nil
}

func (d *differ) line(e tenfold.Entry, turn, step int, fate tenfold.Fate, by string, after int) {
	place := strconv.Itoa(turn) + "." + strconv.Itoa(step)
	tokens := padLeft(thousands(e.Tokens), d.most)
	if fate != tenfold.Kept || e.Tokens != after {
		tokens += " → " + pad(thousands(after), d.most)
	} else {
		tokens += strings.Repeat(" ", 3+d.most)
	}
	head := padLeft(strconv.FormatInt(e.Seq, 10), d.wide) + "  " + pad(place, 6) + "  " +
		pad(kindWord(e.Payload.Kind()), 9) + "  "
	middle := pad(fate.String(), 10)
	tail := "  " + tokens
	left := titleWidth
	if d.width > 0 {
		left = d.width - ansi.StringWidth(head+middle+tail) - 2
	}
	if fate == tenfold.Kept {
		middle = d.paint(faint, middle)
	} else {
		middle = d.paint(yellow, middle)
	}
	if d.tags > 0 && left > d.tags+2 { // else the terminal is too narrow for it
		tail += "  " + d.paint(faint, pad(tagFor(by), d.tags))
		left -= 2 + d.tags
	}
	tail += "  "
	text := ""
	if left >= 8 {
		text = excerpt(entryText(e.Payload), left)
	}
	d.printf("%s\n", strings.TrimRight(head+middle+tail+text, " "))
}

// sums adds up the entries shown, by what became of them.
func (d *differ) sums() {
	var all tenfold.Count
	d.printf("\n")
	rows := [][3]string{}
	for _, fate := range tenfold.Fates() {
		if c, ok := d.fates[fate]; ok {
			rows = append(rows, [3]string{fate.String(), count(c.Entries, "entry", "entries"), tokens(c.Before, c.After)})
			all = tenfold.Count{Entries: all.Entries + c.Entries, Before: all.Before + c.Before, After: all.After + c.After}
		}
	}
	rows = append(rows, [3]string{"together", count(all.Entries, "entry", "entries"), tokens(all.Before, all.After)})
	t := d.view.Totals()
	if t.Added.Entries > 0 {
		rows = append(rows, [3]string{"added", count(t.Added.Entries, "text", "texts"), thousands(t.Added.After) + " tokens"})
	}
	if t.Config.Before > 0 || t.Config.After > 0 {
		rows = append(rows, [3]string{"prompt and tools", "", tokens(t.Config.Before, t.Config.After)})
	}
	var width [2]int
	for _, r := range rows {
		width[0], width[1] = max(width[0], len(r[0])), max(width[1], len(r[1]))
	}
	for _, r := range rows {
		d.printf("%s  %s  %s\n", pad(r[0], width[0]), padLeft(r[1], width[1]), r[2])
	}
	for o := range d.view.Overlays() {
		if o.Live {
			d.printf("%s  %s, %s\n", d.paint(faint, tagFor(o.ID)), overlayWhere(o.Compaction), overlayWhy(o.Compaction))
		}
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
	if len(id) <= show+5 {
		return visibleLine(id)
	}
	return visibleLine("cmp_…" + id[len(id)-show:])
}
