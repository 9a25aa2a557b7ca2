package excerpt

import (
	"math"
	"testing"

	"tenfold"
)

// worked is a small log whose features are worked out by hand below: eight
// entries a choice knows of, four requests. The last is number 3.
func worked(t *testing.T) (*tenfold.Log, *Index) {
	t.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	for _, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("fix parse_token in src/lex.go")},
		tenfold.ToolCall{CallID: "1", Name: "Read", Arguments: `{"file_path":"src/lex.go"}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("func parse_token()\nfunc scan_word()\n\nparse_token again on 8080")},
		tenfold.ToolCall{CallID: "2", Name: "Edit", Arguments: `{"file_path":"src/lex.go","old_string":"x","new_string":"y"}`},
		tenfold.ToolResult{CallID: "2", Parts: tenfold.Text("ok")},
		tenfold.ToolCall{CallID: "3", Name: "Bash", Arguments: `{"command":"go test"}`},
		tenfold.ToolResult{CallID: "3", Parts: tenfold.Text("FAIL other_name scan_line")},
		tenfold.Reasoning{Text: "scan_word looks odd"},
		tenfold.AssistantMessage{Text: "done"},
	} {
		put(t, l, p)
	}
	ix := NewIndex()
	ix.Advance(tenfold.Project(l))
	return l, ix
}

func put(t testing.TB, l *tenfold.Log, p tenfold.Payload) {
	t.Helper()
	if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
		t.Fatal(err)
	}
}

// features are those of fit.md; ages are the numbers under the logarithm, 0
// where the feature is 0.
type features struct {
	age, usedAge float64
	uses         float64
	asked        bool
	n            float64
	sm           float64
	file         float64
	edited       bool
	lines        float64
	onlyres      bool
	df           float64
}

func (f features) score() float64 {
	on := func(b bool, w float64) float64 {
		if b {
			return w
		}
		return 0
	}
	x := -4.139 - 0.432*(math.Log(f.age)-2.5) + 0.496*math.Log(1+f.uses) - 0.195*(math.Log(1+f.n)-4) + 0.648*f.sm + 0.351*math.Log(1+f.lines)
	x += on(f.asked, 0.541) + on(f.edited, -0.841) + on(f.onlyres, -0.808)
	if f.usedAge > 0 {
		x += 0.599 - 0.138*(math.Log(f.usedAge)-2.5)
	}
	if f.file > 0 {
		x += 0.950 - 0.136*(math.Log(f.file)-2)
	}
	return x
}

// Every feature of fit.md and whether a file has the name, worked out by hand, and the
// chance made flatter.
func TestValueOfEachFeature(t *testing.T) {
	_, ix := worked(t)
	values := ix.values(Options{}, every)
	for name, f := range map[string]features{
		// In the request and a read: both at request 0, three lines, two entries.
		"parse_token": {age: 6, asked: true, n: 3, file: 4, edited: true, lines: 3, df: 2},
		// A read and the last reasoning, which is not an entry but names it.
		"scan_word": {age: 3, n: 3, sm: 2, file: 4, edited: true, lines: 1, df: 1},
		// A result alone; no piece of its name was said.
		"8080": {age: 6, n: 3, file: 4, edited: true, lines: 1, onlyres: true, df: 1},
		// In two tool inputs, last at request 1; never in a result, so that the
		// entry with fewest atoms counts.
		"src/lex.go": {age: 5, usedAge: 5, uses: 2, asked: true, n: 1, sm: 2, file: 4, edited: true, lines: 3, df: 3},
		// A result about no file.
		"other_name": {age: 4, n: 2, lines: 1, onlyres: true, df: 1},
		// "scan" was said, and two atoms have it; "line" was not.
		"scan_line": {age: 4, n: 2, sm: math.Sqrt2 / 2 / (1 + math.Sqrt2/2), lines: 1, onlyres: true, df: 1},
	} {
		a, ok := ix.byName[name]
		if !ok {
			t.Fatalf("%s is not an atom", name)
		}
		score := ix.score(&ix.atoms[a], int64(ix.now()), f.asked)
		if want := f.score(); math.Abs(float64(score)/micro-want) > 0.0002 {
			t.Errorf("%s scores %.5f, want %.5f", name, float64(score)/micro, want)
		}
		want := math.Pow(1/(1+math.Exp(-f.score())), .75) * math.Log(1+8/f.df)
		if got := float64(values[a]) / micro; math.Abs(got-want) > 0.0002 {
			t.Errorf("%s is worth %.5f, want %.5f", name, got, want)
		}
	}
}

// Without the model age and mentions stand for it.
func TestValueWithoutTheModel(t *testing.T) {
	_, ix := worked(t)
	values := ix.values(Options{Without: []Ingredient{Model}}, every)
	for name, want := range map[string]float64{
		"parse_token": 3.0 / 7 * math.Log(1+8.0/2),
		"src/lex.go":  7.0 / 6 * math.Log(1+8.0/3),
		"8080":        1.0 / 7 * math.Log(1+8.0),
	} {
		if got := float64(values[ix.byName[name]]) / micro; math.Abs(got-want) > 0.00001 {
			t.Errorf("%s is worth %.5f, want %.5f", name, got, want)
		}
	}
}

// What was said counts for ten requests.
func TestSimilarityIsOfTheLastTenRequests(t *testing.T) {
	l, _ := worked(t)
	for i := range 11 { // the first goes on with the response under way
		ix := NewIndex()
		ix.Advance(tenfold.Project(l))
		got := ix.similar(&ix.atoms[ix.byName["scan_word"]], int64(ix.now()))
		if got != 2*micro {
			t.Errorf("after %d requests it is %d", i, got)
		}
		id := string(rune('A' + i))
		put(t, l, tenfold.ToolCall{CallID: id, Name: "Bash", Arguments: `{"command":"ls"}`})
		put(t, l, tenfold.ToolResult{CallID: id, Parts: tenfold.Text("ok")})
	}
	ix := NewIndex()
	ix.Advance(tenfold.Project(l))
	if got := ix.similar(&ix.atoms[ix.byName["scan_word"]], int64(ix.now())); got != 0 {
		t.Errorf("ten requests later it is %d", got)
	}
}

// A later entry that is not a result can only lower the density; a result sets it.
func TestDensity(t *testing.T) {
	l, ix := worked(t)
	density := func() int32 { return ix.atoms[ix.byName["parse_token"]].density }
	say := func(p tenfold.Payload) {
		put(t, l, p)
		ix.Advance(tenfold.Project(l))
	}
	if density() != 3 {
		t.Errorf("of its last result it is %d", density())
	}
	say(tenfold.AssistantMessage{Text: "parse_token aa_111 bb_222 cc_333 dd_444"})
	if density() != 3 {
		t.Errorf("a message with more makes it %d", density())
	}
	say(tenfold.AssistantMessage{Text: "parse_token"})
	if density() != 1 {
		t.Errorf("a message with less makes it %d", density())
	}
	say(tenfold.ToolCall{CallID: "9", Name: "Bash", Arguments: `{"command":"ls"}`})
	say(tenfold.ToolResult{CallID: "9", Parts: tenfold.Text("parse_token one_two two_three")})
	if density() != 3 {
		t.Errorf("a new result makes it %d", density())
	}
}

// A message of more than 4,000 tokens asks for nothing.
func TestAskedIsTheLastMessageThatIsNoPaste(t *testing.T) {
	l, ix := worked(t)
	before := len(ix.asked)
	paste := make([]byte, 4*maxAsked+40)
	for i := range paste {
		paste[i] = "some_name "[i%10]
	}
	put(t, l, tenfold.UserMessage{Parts: tenfold.Text(string(paste))})
	put(t, l, tenfold.UserMessage{Parts: tenfold.Text("note_of nobody"), Synthetic: true})
	ix.Advance(tenfold.Project(l))
	if len(ix.asked) != before {
		t.Errorf("%d atoms are asked for, before it were %d", len(ix.asked), before)
	}
	if one := ix.atoms[ix.byName["some_name"]]; one.outside || one.told != 0 || one.entries != 1 {
		t.Errorf("what was pasted counts as said: %+v", one)
	}
	put(t, l, tenfold.UserMessage{Parts: tenfold.Text("rather look_at this_one")})
	ix.Advance(tenfold.Project(l))
	if len(ix.asked) != 2 {
		t.Errorf("%d atoms are asked for", len(ix.asked))
	}
}

func every(int) bool { return true }
