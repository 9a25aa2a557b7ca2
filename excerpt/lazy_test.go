package excerpt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
)

// naive takes the best of all that fits, looking at everything each time.
func (c *chooser) naive() {
	c.takeOpenings()
	for {
		var best *ranked
		for i := range c.all {
			if c.all[i].taken {
				continue
			}
			if r := c.rank(int32(i)); r.gain > 0 && r.cost <= c.left && (best == nil || r.before(*best)) {
				best = &r
			}
		}
		if best == nil {
			return
		}
		c.take(*best)
	}
}

// F6: looking again only at what comes to the front takes the same things in the
// same order as looking at everything.
func TestF6TheLazyChoiceIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := logtest.Entries(48).Draw(t, "log")
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			entries = logtest.Long(rapid.IntRange(20, 150).Draw(t, "n"))
		case 1:
			entries = underLines(t)
		case 2:
			entries = printedLines(t)
		}
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		ix := NewIndex()
		ix.Advance(tenfold.Project(l))
		o := Options{From: 1, To: l.Version(), Budget: rapid.IntRange(20, 4000).Draw(t, "budget"), Edits: rapid.IntRange(0, 200).Draw(t, "edits")}
		lazy := ix.begin(o)
		lazy.run()
		all := ix.begin(o)
		all.naive()
		if !slices.Equal(lazy.picks, all.picks) {
			t.Fatalf("lazily %v\nlooking at all %v", lazy.picks, all.picks)
		}
	})
}

// underLines draws a log of lines that stand under others: of records, of lists in lists, or
// of patches.
func underLines(t *rapid.T) []tenfold.Entry {
	var b strings.Builder
	lines := func(form string, most int) {
		for range rapid.IntRange(0, most).Draw(t, "lines") {
			word := rapid.SampledFrom([]string{"warm_oven", "plain", "main.go", "words that nobody needs and that take some room here, and more of them, and then some more"}).Draw(t, "word")
			fmt.Fprintf(&b, form, fmt.Sprintf("%s_%d", word, rapid.IntRange(0, 20).Draw(t, "number")))
		}
	}
	of := rapid.IntRange(0, 2).Draw(t, "of")
	b.WriteString([]string{"[\n", "", ""}[of])
	for range rapid.IntRange(1, 12).Draw(t, "parts") {
		switch of {
		case 0:
			b.WriteString("{\n")
			lines("\"key\": \"%s\",\n", 8)
			lines("\"title\": \"%s\",\n", 1)
			lines("\"key\": \"%s\",\n", 8)
			b.WriteString("},\n")
		case 1:
			lines("These are %s:\n", 1)
			lines("- %s\n", 8)
			lines("  - %s\n", 4)
		case 2:
			lines("diff --git a/%s b/x.go\n", 1)
			lines("+ %s\n", 12)
		}
	}
	return having(b.String(), of != 1)
}

// printedLines draws a log of a text with tables and stack traces, whole and in pieces.
func printedLines(t *rapid.T) []tenfold.Entry {
	line := rapid.SampledFrom([]string{
		"oven.HeatException: cold", "Caused by: oven.FuelException: none", "\tat open_file(Own.java:%d)", "\tat java.base/oven.call(File.java:%d)", "plain_%d", "", "a plain line that is long enough to say something",
		"Traceback (most recent call last):", "  File \"oven_%d.py\", line 3", "    open_file()", "ValueError: cold_%d", "E   ValueError: %d", "oven.py:%d: in open_file", "panic: cold", "\t/oven.go:%d +0x1",
		"oven,heat,loaves", "7,warm_oven_%d,8", "OVEN   HEAT   LOAVES", "warm   %d   open_file", "---+---", "| oven | heat | main.go_%d |", "diff --git a/main_%d.go b/x.go", "==> oven/main_%d.go <==",
	})
	var b strings.Builder
	for range rapid.IntRange(1, 80).Draw(t, "lines") {
		b.WriteString(strings.ReplaceAll(line.Draw(t, "line"), "%d", fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "number"))) + "\n")
	}
	return having(b.String(), rapid.Bool().Draw(t, "by a tool"))
}

// having is a log of a text, which a tool gave or the agent said.
func having(text string, byTool bool) []tenfold.Entry {
	said := []tenfold.Payload{tenfold.AssistantMessage{Text: text}}
	if byTool {
		said = []tenfold.Payload{tenfold.ToolCall{CallID: "1", Name: "mcp__list", Arguments: "{}"}, tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(text)}}
	}
	entries := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}}
	for _, p := range append(said, tenfold.UserMessage{Parts: tenfold.Text("and warm_oven_3 and plain_5")}, tenfold.AssistantMessage{Text: "main.go_6"}) {
		entries = append(entries, tenfold.Entry{Payload: p})
	}
	return entries
}

// F6: so it is where the words of an agent begin with more lines than a block has.
func TestF6TheLazyChoiceTakesLongBeginnings(t *testing.T) {
	const plain, warm = "plain words of an oven\n", "warm_oven_%d\n"
	words := fmt.Sprintf("  - plain_5\n  - plain_2\n"+plain+plain+warm+plain+"  "+warm+"  - plain_1\n  "+warm+plain+"  "+warm+"  "+warm+"- plain_2:\n- plain_2:\n"+plain+
		"  "+warm+"- plain_2:\n- plain_2:\n  "+warm+"- plain_5:\n"+warm+"  - plain_3\n- plain_1:\n  - plain_1\n  - plain_1\n"+warm+"- plain_4:\n"+warm+"- plain_2:\n  "+warm, 5, 5, 4, 4, 3, 2, 2, 3, 3, 3, 1)
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := l.Append(having(words, false)...); err != nil {
		t.Fatal(err)
	}
	ix := NewIndex()
	ix.Advance(tenfold.Project(l))
	for budget := range 200 {
		o := Options{From: 1, To: l.Version(), Budget: budget}
		lazy := ix.begin(o)
		lazy.run()
		all := ix.begin(o)
		all.naive()
		if !slices.Equal(lazy.picks, all.picks) {
			t.Fatalf("of %d lazily %v\nlooking at all %v", budget, lazy.picks, all.picks)
		}
	}
}

// S-13a: a listing of twice as many lines is looked at about twice as often, though each line
// that is taken makes all others of it worth less.
func TestS13aAListOfRecordsIsLookedAtInTimeByItsSize(t *testing.T) {
	looks := func(n int) int {
		var b strings.Builder
		b.WriteString("[\n")
		for i := range n {
			fmt.Fprintf(&b, "{\n\"id\": \"%d\",\n\"says\": \"some words of bread %d\",\n\"and\": \"plain words here are many more\",\n\"at\": \"warm_oven_%d\"\n},\n", 100_000+i, i, i)
		}
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		for _, p := range []tenfold.Payload{
			tenfold.TurnStart{},
			tenfold.UserMessage{Parts: tenfold.Text("go")},
			tenfold.ToolCall{CallID: "1", Name: "mcp__list", Arguments: "{}"},
			tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(b.String())},
		} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		ix := NewIndex()
		ix.Advance(tenfold.Project(l))
		c := ix.begin(Options{From: 1, To: l.Version(), Budget: 1 << 20, Without: []Ingredient{Blocks}})
		c.run()
		return int(c.looks)
	}
	if few, many := looks(500), looks(2000); many > 7*few {
		t.Errorf("500 records are looked at %d times, 2,000 %d times", few, many)
	}
}
