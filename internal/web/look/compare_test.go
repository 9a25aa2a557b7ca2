package look

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// Rows of a comparison add up to what both views cost, whatever a log holds, and
// the compaction itself is the only difference between them.
func TestComparisonAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		if _, err := l.Append(logtest.Entries(60).Draw(t, "entries")...); err != nil {
			t.Skip(err)
		}
		view := tenfold.Project(l)
		all := CompareAll(view)
		want := view.Totals().All()
		checkSums(t, all, all.scaled.Tokens(want.Before), all.scaled.Tokens(want.After))
		for o := range view.Overlays() {
			c, ok := CompareOne(view, o.ID)
			if !ok {
				t.Fatalf("compaction %s is not compared", o.ID)
			}
			checkSums(t, c, c.scaled.Tokens(c.before.Totals().All().After), c.scaled.Tokens(c.after.Totals().All().After))
			if c.before.Version() != o.Seq-1 || c.after.Version() != o.Seq {
				t.Fatalf("compared at %d and %d, the compaction is entry %d", c.before.Version(), c.after.Version(), o.Seq)
			}
		}
	})
}

func checkSums(t *rapid.T, c *Compared, before, after int) {
	t.Helper()
	o := c.Out
	var b, a int
	for i := range o.Seq {
		b, a = b+o.Before[i], a+o.After[i]
	}
	if b != before || a != after || o.Tokens.Before != before || o.Tokens.After != after {
		t.Fatalf("%s: rows add up to %d → %d, said %d → %d, views cost %d → %d", c.id, b, a, o.Tokens.Before, o.Tokens.After, before, after)
	}
	for i, row := range c.Window(0, len(o.Seq), 100, func(int64) bool { return false }).Items {
		if row.Index != i || row.Seq != o.Seq[i] || row.Before.Tokens != o.Before[i] || row.After.Tokens != o.After[i] {
			t.Fatalf("row %d says %+v", i, row)
		}
	}
}

func comparedLog(t *testing.T) *tenfold.Projection {
	t.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	result := strings.Repeat("a line of the file\n", 200)
	var entries []tenfold.Entry
	add := func(id string, p tenfold.Payload) { entries = append(entries, tenfold.Entry{ID: id, Payload: p}) }
	add("t0", tenfold.TurnStart{})
	add("u0", tenfold.UserMessage{Parts: tenfold.Text("read the file")})
	add("r0", tenfold.Reasoning{Text: "it must be read first"})
	add("c0", tenfold.ToolCall{CallID: "1", Name: "fs_read_file", Arguments: `{"path":"a.go"}`})
	add("o0", tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(result)})
	add("a0", tenfold.AssistantMessage{Text: "It has two hundred lines."})
	add("cmp_1", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	add("cmp_2", tenfold.Compaction{Summary: &tenfold.Summary{Text: "The file was read."}})
	add("t1", tenfold.TurnStart{})
	add("u1", tenfold.UserMessage{Parts: tenfold.Text("thanks")})
	if _, err := l.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return tenfold.Project(l)
}

func TestComparisonOfOne(t *testing.T) {
	t.Parallel()
	view := comparedLog(t)
	none := func(int64) bool { return false }
	first, ok := CompareOne(view, "cmp_1")
	if !ok {
		t.Fatal("not compared")
	}
	rows := first.Window(0, 100, 1000, none).Items
	if len(rows) != 5 {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	if r := rows[1]; r.Seq != 3 || r.Before.Text != "it must be read first" || r.After.Text != "" || r.After.Tokens != 0 ||
		r.Before.Fate != "kept" || r.After.Fate != "omitted" || r.By != "cmp_1" || r.Why != "reasoning removed" {
		t.Errorf("reasoning: %+v", r)
	}
	second, _ := CompareOne(view, "cmp_2")
	rows = second.Window(0, 100, 10, none).Items
	for _, r := range rows {
		if r.Seq == 3 {
			t.Errorf("what was hidden before and after has a row: %+v", r)
		}
	}
	if !slices.ContainsFunc(rows, func(r ComparedRow) bool {
		return r.Kind == "summary" && r.Before.Text == "" && r.After.Fate == "added" && r.By == "cmp_2"
	}) {
		t.Errorf("no row is the summary: %+v", rows)
	}
	for _, r := range rows {
		if r.Seq == 5 && (r.Before.Text != "a line of " || r.Before.Length != 3800 || r.After.Fate != "summarised") {
			t.Errorf("result: %+v", r)
		}
		if r.Seq > 8 {
			t.Errorf("a later entry has a row: %+v", r)
		}
	}
	for _, id := range []string{"", "u0", "cmp_3"} {
		if _, ok := CompareOne(view, id); ok {
			t.Errorf("%q is compared", id)
		}
	}
}

// What both views put in at a place shares a row; what only one has does not.
func TestComparisonPairsWhatIsPutIn(t *testing.T) {
	t.Parallel()
	l := comparedLog(t).Log()
	add := func(id string, p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{ID: id, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	add("r1", tenfold.Reasoning{Text: "a word of thanks"})
	add("cmp_3", tenfold.Compaction{FromTurn: 1, ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	add("cmp_4", tenfold.Compaction{Summary: &tenfold.Summary{Text: "It was read, in full."}})
	view := tenfold.Project(l)
	sides := func(id string) (same, left, right int) {
		c, _ := CompareOne(view, id)
		for _, r := range c.Window(0, 100, 100, view.Pinned).Items {
			switch {
			case r.Kind != "summary":
			case r.Before.Text == r.After.Text && r.Before.Tokens == r.After.Tokens:
				same++
			case r.After.Text == "":
				left++
			case r.Before.Text == "":
				right++
			}
		}
		return same, left, right
	}
	if same, left, right := sides("cmp_3"); same == 0 || left+right != 0 {
		t.Errorf("the summary stands on both sides in %d rows, before in %d, after in %d", same, left, right)
	}
	if _, left, right := sides("cmp_4"); left != 1 || right != 1 {
		t.Errorf("of two summaries %d stand before, %d after", left, right)
	}
}

// A summary in the system prompt is not an item of the view, and has a row as well.
func TestComparisonShowsASummaryInTheSystemPrompt(t *testing.T) {
	t.Parallel()
	l := comparedLog(t).Log()
	if _, err := l.Append(tenfold.Entry{ID: "cmp_3", Payload: tenfold.Compaction{ToTurn: 1, Summary: &tenfold.Summary{Text: "Read and thanked.", Placement: tenfold.PlaceSystem}}}); err != nil {
		t.Fatal(err)
	}
	view := tenfold.Project(l)
	c := CompareAll(view)
	r := c.Window(0, 1, 1000, view.Pinned).Items[0]
	if r.Kind != "summary" || !strings.Contains(r.After.Text, "Read and thanked.") || c.Out.Tokens.After != view.Tokens() {
		t.Errorf("%d tokens of %d, and the first row is %+v", c.Out.Tokens.After, view.Tokens(), r)
	}
}
