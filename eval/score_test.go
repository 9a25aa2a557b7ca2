package eval_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tenfold"
	"tenfold/eval"
)

// recall is what a view of one line recalls, of the one atom that is carried.
func recall(t *testing.T, c *eval.Cut, seq int64, text string) (present, cur, strict float64) {
	t.Helper()
	r := c.Score(c.ViewOfLines([]eval.Line{{Seq: seq, Text: text}}), eval.All).Recalls[0]
	if r.Carried != 1 {
		t.Fatalf("%d atoms are carried", r.Carried)
	}
	return value(t, r.Presence), value(t, r.CUR), value(t, r.Strict)
}

// words are so many words of their own.
func words(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " %s%d", prefix, i)
	}
	return b.String()
}

// The three measures differ in how much of its line stands beside an atom.
func TestReadability(t *testing.T) {
	// The source line has ten other words.
	source := "the_atom one two three four five six seven eight nine ten"
	k := newTalk(t).user("go").runs("cat a", source+"\nelse").runs("cat b", "the_atom stands here as well").runs("grep the_atom", "x")
	c := k.cut(67)
	const first, second = 4, 6
	for _, tt := range []struct {
		about                string
		seq                  int64
		text                 string
		present, cur, strict float64
	}{
		{"the whole line", first, source, 1, 1, 1},
		{"the line, cleaned", first, "   12→  " + source + " ", 1, 1, 1},
		{"six words of ten", first, "the_atom one two three four five six", 1, 1, 1},
		{"five words of ten", first, "the_atom one two three four five", 1, 0, 0},
		{"two words of ten", first, "the_atom one two", 1, 0, 0},
		{"the name alone", first, "the_atom", 1, 0, 0},
		{"six words, and more of others", first, "the_atom one two three four five six a b c d e f g h", 1, 1, 0},
		{"six words, and as many of others", first, "the_atom one two three four five six a b c d e f g", 1, 1, 1},
		{"without the atom", first, "one two three four five six seven eight nine ten", 0, 0, 0},
		{"a part of the atom", first, "the_atomic one two three four five six", 0, 0, 0},
		{"many more words", first, source + words("a", 50), 1, 0, 0},
		{"wherever it stands", second, source, 1, 1, 1},
		{"the line that entry has", second, "the_atom stands here as well", 1, 1, 1},
		{"a summary", 0, "It said: the_atom one two three four five six.", 1, 1, 1},
		{"a summary of another line", 0, "the_atom stands here", 1, 1, 0},
		{"a summary of names", 0, "the_atom, other_atom, third_atom", 1, 0, 0},
	} {
		present, cur, strict := recall(t, c, tt.seq, tt.text)
		if present != tt.present || cur != tt.cur || strict != tt.strict {
			t.Errorf("%s: presence %g, CUR %g, strict %g; want %g, %g, %g", tt.about, present, cur, strict, tt.present, tt.cur, tt.strict)
		}
	}
}

// Of a line with more than 30 words CUR-strict asks for 30 % of the others, and
// a line that is an atom alone has no other words to ask for.
func TestReadabilityOfLongAndBareLines(t *testing.T) {
	var words []string
	for a := 'a'; a < 'e'; a++ {
		for b := 'a'; b < 'k'; b++ {
			words = append(words, "w"+string(a)+string(b))
		}
	}
	long := "the_atom " + strings.Join(words, " ") // 40 others
	c := newTalk(t).user("go").runs("cat a", long).runs("grep the_atom", "x").cut(50)
	for n, want := range map[int]float64{11: 0, 12: 1, 40: 1} {
		if _, _, strict := recall(t, c, 4, "the_atom "+strings.Join(words[:n], " ")); strict != want {
			t.Errorf("with %d words of 40 strict is %g, want %g", n, strict, want)
		}
	}
	c = newTalk(t).user("go").runs("ls", "src/a/file.go").runs("cat src/a/file.go", "x").cut(50)
	if _, cur, strict := recall(t, c, 4, "src/a/file.go"); cur != 1 || strict != 1 {
		t.Errorf("a bare path has CUR %g, strict %g", cur, strict)
	}
}

// What only results held is told apart, and recall is by weight.
func TestResultOnly(t *testing.T) {
	c := newTalk(t).user("mind said_name").runs("ls", "said_name x y\nlisted_name x y\nother_name x y").
		runs("grep said_name listed_name other_name", "x").cut(50)
	v := c.ViewOfLines([]eval.Line{{Seq: 4, Text: "listed_name x y"}})
	r := c.Score(v, eval.All).Recalls[0]
	// Of three entries the result holds all, the message one more.
	rare, common := math.Log(1+3.0/1), math.Log(1+3.0/2)
	if got, want := value(t, r.CUR), rare/(2*rare+common); math.Abs(got-want) > 1e-9 {
		t.Errorf("CUR is %g, want %g", got, want)
	}
	if got := value(t, r.ResultOnly); got != .5 {
		t.Errorf("CUR of what only results held is %g, want a half", got)
	}
}

// Density is by characters, of lines that are more than 60 % atoms.
func TestDensity(t *testing.T) {
	c := newTalk(t).user("go").runs("ls", "the_atom").runs("grep the_atom", "x").cut(50)
	v := c.ViewOfLines([]eval.Line{
		{Seq: 4, Text: "first_name second"},     // 10 of 17: 59 %
		{Seq: 4, Text: "first_name abcdef"},     // the same length
		{Seq: 4, Text: "first_name second_one"}, // 20 of 21
		{Seq: 4, Text: "…"},                     // no words: no line
	})
	if got, want := value(t, c.Score(v, eval.All).Density), 21.0/(17+17+21); math.Abs(got-want) > 1e-9 {
		t.Errorf("density is %g, want %g", got, want)
	}
}

// Short typed messages stand whole or not at all; long and synthetic ones do
// not count.
func TestUserVerbatim(t *testing.T) {
	k := newTalk(t).user("first line of two\nand the second").runs("ls", "the_atom").user("another wish").
		user(strings.Repeat("very many words ", 300))
	k.add(tenfold.UserMessage{Parts: tenfold.Text("a reminder"), Synthetic: true})
	c := k.runs("ls", "x").runs("grep the_atom", "x").cut(67)
	for _, tt := range []struct {
		lines []eval.Line
		want  float64
	}{
		{nil, 0},
		{[]eval.Line{{Seq: 2, Text: "first line of two"}}, 0},
		{[]eval.Line{{Seq: 2, Text: "first line of two\nand the second"}}, .5},
		{[]eval.Line{{Seq: 2, Text: "and the second"}, {Seq: 2, Text: "first line of two"}}, 0},
		{[]eval.Line{{Seq: 6, Text: "another wish"}}, .5},
		{[]eval.Line{{Seq: 0, Text: "another wish"}}, 0},
		{[]eval.Line{{Seq: 2, Text: "first line of two\nand the second"}, {Seq: 6, Text: "another wish"}}, 1},
	} {
		if got := value(t, c.Score(c.ViewOfLines(tt.lines), eval.All).User); got != tt.want {
			t.Errorf("%v: %g, want %g", tt.lines, got, tt.want)
		}
	}
}

// A changed file is told of if the last call that changed it names it, or a
// summary does. Paths may be a Windows machine's.
func TestTrail(t *testing.T) {
	k := newTalk(t).user("go").
		call("Write", "file_path", "src/one.go", "content", "the_atom").gives("ok").      // 3, 4
		call("Edit", "file_path", "src/one.go", "new_string", "x").gives("ok").           // 5, 6
		call("Write", "file_path", `C:\repo\two.go`, "content", "y").gives("ok").         // 7, 8
		call("Read", "file_path", "src/three.go").gives("it reads the_atom in no change") // 9, 10
	c := k.runs("grep the_atom", "x").cut(80)
	for _, tt := range []struct {
		seq  int64
		text string
		want float64
	}{
		{3, "Write src/one.go the_atom", 0},
		{5, "Edit src/one.go x", .5},
		{6, "src/one.go was edited", 0},
		{0, "modified src/one.go", .5},
		{0, "src/one.go", 0},
		{7, `Write C:\repo\two.go y`, .5},
		{0, "wrote c:/repo/two.go", .5},
		{9, "Read src/three.go", 0},
	} {
		v := c.ViewOfLines([]eval.Line{{Seq: tt.seq, Text: tt.text}})
		if got := value(t, c.Score(v, eval.All).Trail); got != tt.want {
			t.Errorf("%d %q: %g, want %g", tt.seq, tt.text, got, tt.want)
		}
	}
	if got := value(t, c.Score(view(t, c, "none"), eval.All).Trail); got != 1 {
		t.Errorf("of all there is the trail is %g", got)
	}
}

// A read is stale if its file was changed after it.
func TestStale(t *testing.T) {
	k := newTalk(t).user("go").
		call("Read", "file_path", "src/one.go").gives("old text of the_atom").
		call("Read", "file_path", "src/two.go").gives("other text").
		call("Edit", "file_path", "src/one.go", "new_string", "x").gives("ok").
		call("Read", "file_path", "src/one.go").gives("new text of the_atom")
	c := k.runs("grep the_atom", "x").cut(80)
	v := view(t, c, "none")
	stale := tenfold.CountPayload(tenfold.Chars4{}, tenfold.ToolResult{Parts: tenfold.Text("old text of the_atom")})
	if got, want := value(t, c.Score(v, eval.All).Stale), float64(stale)/float64(v.Tokens); got != want {
		t.Errorf("stale is %g, want %g", got, want)
	}
	fresh := c.ViewOfLines([]eval.Line{{Seq: 10, Text: "new text of the_atom"}, {Seq: 6, Text: "other text"}})
	if got := value(t, c.Score(fresh, eval.All).Stale); got != 0 {
		t.Errorf("of fresh reads %g is stale", got)
	}
}

// What can be sent is checked for each provider; lines are not.
func TestCheck(t *testing.T) {
	c := newTalk(t).user("go").runs("ls", "the_atom").runs("grep the_atom", "x").cut(50)
	v := view(t, c, "keep-newest-0")
	sc := c.Score(v, eval.All)
	if sc.Violations != -1 {
		t.Errorf("%d violations before anybody looked", sc.Violations)
	}
	if err := v.Check(&sc); err != nil || sc.Violations != 0 {
		t.Errorf("%d violations (%s), %v", sc.Violations, sc.Problem, err)
	}
	sc = c.Score(view(t, c, "suffix:target=50%"), eval.All)
	if sc.Violations != -1 {
		t.Errorf("lines have %d violations", sc.Violations)
	}
}
