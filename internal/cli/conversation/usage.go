package conversation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/token"
)

// usageJSON breaks down a conversation's tokens, raw and projected.
type usageJSON struct {
	Turns []turnUsage `json:"turns"`
	Kinds []partUsage `json:"kinds"`
	Tools []partUsage `json:"tools"`
}

type turnUsage struct {
	Turn   int `json:"turn"`
	Before int `json:"tokens_before"`
	After  int `json:"tokens_after"`
}

type partUsage struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
	Before  int    `json:"tokens_before"`
	After   int    `json:"tokens_after"`
}

// usageOf sums tokens by turn, by kind, and for calls and results by tool.
func usageOf(view *tenfold.Projection) usageJSON {
	u := usageJSON{Turns: []turnUsage{}}
	kinds, tools := map[string]*partUsage{}, map[string]*partUsage{}
	for e := range view.Log().Entries() {
		if !e.Payload.Kind().Visible() || !view.Reads(e.Seq) {
			continue
		}
		turn, _, _ := view.Log().Where(e.Seq)
		for len(u.Turns) <= turn {
			u.Turns = append(u.Turns, turnUsage{Turn: len(u.Turns)})
		}
		_, _, after := view.Fate(e.Seq)
		u.Turns[turn].Before += e.Tokens
		u.Turns[turn].After += after
		addPart(kinds, report.KindWord(e.Payload.Kind()), e.Tokens, after)
		if name, ok := toolOf(view.Log(), e); ok {
			addPart(tools, name, e.Tokens, after)
		}
	}
	// What a model sees beside the entries, so that the kinds add up to all it sees.
	for name, c := range map[string]tenfold.Count{"added": view.Totals().Added, "prompt": view.Totals().Config} {
		if c.Before > 0 || c.After > 0 {
			kinds[name] = &partUsage{name, c.Entries, c.Before, c.After}
		}
	}
	u.Kinds, u.Tools = sorted(kinds), sorted(tools)
	return u
}

// toolOf names the tool of a call or a result.
func toolOf(l *tenfold.Log, e tenfold.Entry) (string, bool) {
	if _, ok := e.Payload.(tenfold.ToolResult); ok {
		e, _ = l.Entry(l.Pair(e.Seq))
	}
	call, ok := e.Payload.(tenfold.ToolCall)
	return call.Name, ok
}

func addPart(parts map[string]*partUsage, name string, before, after int) {
	p := parts[name]
	if p == nil {
		p = &partUsage{Name: name}
		parts[name] = p
	}
	p.Entries++
	p.Before += before
	p.After += after
}

// sorted lists the largest first.
func sorted(parts map[string]*partUsage) []partUsage {
	list := []partUsage{}
	for _, p := range parts {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(x, y partUsage) int {
		return cmp.Or(cmp.Compare(y.Before, x.Before), cmp.Compare(x.Name, y.Name))
	})
	return list
}

// The most bars in a chart: more turns are grouped, more tools summed up.
const (
	turnBars = 16
	toolBars = 10
)

// chart draws tokens as bars: what a model sees in full blocks, what is hidden in
// light ones.
func chart(a *command.App, u usageJSON) {
	if len(u.Kinds) == 0 {
		return
	}
	var turns []bar
	each := (len(u.Turns) + turnBars - 1) / turnBars
	for i := 0; i < len(u.Turns); i += each {
		last := min(i+each, len(u.Turns)) - 1
		b := bar{label: report.TurnWords(u.Turns[i].Turn, u.Turns[last].Turn)}
		for _, t := range u.Turns[i : last+1] {
			b.before += t.Before
			b.after += t.After
		}
		turns = append(turns, b)
	}
	bars(a, "Tokens by turn", turns)
	bars(a, "Tokens by kind", partBars(u.Kinds))
	if len(u.Tools) > 0 {
		bars(a, "Tokens by tool", partBars(u.Tools))
	}
	a.Line(0, a.Paint(terminal.Faint, "█ what a model sees   ░ hidden by compactions"))
}

func partBars(parts []partUsage) []bar {
	var list []bar
	var rest bar
	for i, p := range parts {
		if i < toolBars || len(parts) == toolBars+1 {
			list = append(list, bar{terminal.VisibleLine(p.Name), p.Before, p.After})
			continue
		}
		rest.before += p.Before
		rest.after += p.After
	}
	if n := len(parts) - len(list); n > 0 {
		rest.label = strconv.Itoa(n) + " others"
		list = append(list, rest)
	}
	return list
}

// bar is one line of a chart.
type bar struct {
	label         string
	before, after int
}

// The length of bars and labels, in columns.
const (
	barMost   = 40
	barLeast  = 8
	labelMost = 24
)

// bars draws bars to one scale.
func bars(a *command.App, title string, list []bar) {
	label, numbers, most := 0, 0, 1
	texts := make([]string, len(list))
	for i, b := range list {
		list[i].label = terminal.Excerpt(b.label, labelMost)
		texts[i] = number.Thousands(b.before)
		if b.after != b.before {
			texts[i] += " → " + number.Thousands(b.after)
		}
		label, numbers = max(label, ansi.StringWidth(list[i].label)), max(numbers, ansi.StringWidth(texts[i]))
		most = max(most, b.before, b.after)
	}
	length := barMost
	if a.Width > 0 {
		length = max(min(length, a.Width-label-numbers-len("  ")*3), barLeast)
	}
	a.Printf("%s\n", a.Paint(terminal.Bold, title))
	for i, b := range list {
		full := share(b.after, most, length)
		light := max(share(b.before, most, length)-full, 0)
		a.Printf("  %s  %s%s%s  %s\n", terminal.Pad(b.label, label), a.Paint(terminal.Cyan, strings.Repeat("█", full)),
			a.Paint(terminal.Faint, strings.Repeat("░", light)), strings.Repeat(" ", length-full-light), texts[i])
	}
}

// share scales a part to a length; anything above zero is at least 1.
func share(part, most, length int) int {
	if part <= 0 {
		return 0
	}
	return max((part*length+most/2)/most, 1)
}

// scaleUsage gives the parts of a conversation as they are shown; those of a kind
// add up.
func scaleUsage(u *usageJSON, scale token.Scale) {
	turns := make([]tenfold.Count, len(u.Turns))
	for i, t := range u.Turns {
		turns[i] = tenfold.Count{Before: t.Before, After: t.After}
	}
	for i, c := range scale.Counts(turns...) {
		u.Turns[i].Before, u.Turns[i].After = c.Before, c.After
	}
	for _, parts := range [][]partUsage{u.Kinds, u.Tools} {
		counts := make([]tenfold.Count, len(parts))
		for i, p := range parts {
			counts[i] = tenfold.Count{Before: p.Before, After: p.After}
		}
		for i, c := range scale.Counts(counts...) {
			parts[i].Before, parts[i].After = c.Before, c.After
		}
	}
}
