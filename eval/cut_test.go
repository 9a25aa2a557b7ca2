package eval_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/eval"
	"tenfold/internal/logtest"
)

func newTalk(t testing.TB) *talk { return &talk{t: t} }

// An atom is carried if a tool input uses it from memory, and not if anything
// that the agent reads showed it in between.
func TestCarried(t *testing.T) {
	held := "first_name second_name third_name fourth_name fifth_name"
	start := func() *talk { return newTalk(t).user("look at it").runs("ls", held) }
	for name, tt := range map[string]struct {
		after *talk
		want  []string
	}{
		"used at once":            {start().runs("grep first_name", "x"), []string{"first_name"}},
		"used twice":              {start().runs("grep first_name", "x").runs("cat first_name", "x"), []string{"first_name"}},
		"shown by a result":       {start().runs("ls", "first_name").runs("grep first_name second_name", "x"), []string{"second_name"}},
		"shown by the user":       {start().runs("pwd", "x").user("take first_name").runs("grep first_name", "x"), nil},
		"said before the request": {start().user("take sixth_name").runs("grep sixth_name", "x"), []string{"sixth_name"}},
		"said by the agent":       {start().says("now first_name").runs("grep first_name", "x"), []string{"first_name"}},
		"thought by the agent":    {start().thinks("now first_name").runs("grep first_name", "x"), []string{"first_name"}},
		"new":                     {start().runs("grep sixth_name", "x"), nil},
		"in a nested argument":    {start().call("Bash", "command", "x", "description", "about third_name").gives("x"), []string{"third_name"}},
		"shown after its use":     {start().runs("grep first_name", "first_name"), []string{"first_name"}},
		"used beside the result":  {start().call("Bash", "command", "ls").call("Bash", "command", "grep first_name").gives("first_name", 1).gives("x"), []string{"first_name"}},
		"answered before the next call of the response": {
			start().says("a").call("Bash", "command", "ls").gives("first_name").call("Bash", "command", "grep second_name").gives("x"),
			[]string{"second_name"},
		},
		"only said later": {start().runs("true", "x").says("first_name"), nil},
	} {
		// What comes after the first request is cut off.
		c := tt.after.cut(100/requests(tt.after.log()) + 1)
		if got := carried(c, eval.All); !slices.Equal(got, tt.want) {
			t.Errorf("%s: carried are %q, want %q", name, got, tt.want)
		}
	}
}

func requests(l *tenfold.Log) int { return eval.Open(l).Requests() }

// What the agent thought before the cut it may use after it.
func TestReasoningIsASource(t *testing.T) {
	c := newTalk(t).user("go").thinks("hidden_name").runs("ls", "shown_name").runs("grep hidden_name shown_name", "x").cut(50)
	if got := carried(c, eval.All); !slices.Equal(got, []string{"hidden_name", "shown_name"}) {
		t.Errorf("carried are %q", got)
	}
}

// A horizon ends what counts as a use; requests are counted from the cut on,
// and those that call nothing are requests too.
func TestHorizon(t *testing.T) {
	c := newTalk(t).user("go").runs("ls", "first_name second_name third_name").
		runs("grep first_name", "x").says("well").user("go on").runs("grep second_name", "x").runs("grep third_name", "x").cut(20)
	for horizon, want := range map[int][]string{
		1:        {"first_name"},
		2:        {"first_name"},
		3:        {"first_name", "second_name"},
		eval.All: {"first_name", "second_name", "third_name"},
	} {
		if got := carried(c, horizon); !slices.Equal(got, want) {
			t.Errorf("within %d requests %q are carried, want %q", horizon, got, want)
		}
		if n, _ := c.Carried(horizon); n != len(want) {
			t.Errorf("within %d requests %d are carried, want %d", horizon, n, len(want))
		}
	}
}

// An atom weighs ln(1 + N/df); N counts what the root's reader sees.
func TestWeight(t *testing.T) {
	k := newTalk(t).user("go").thinks("so").runs("ls", "rare_name common_name").runs("cat common_name", "x")
	k.entries = append(k.entries, tenfold.Entry{ID: "side", Branch: "helper", Payload: tenfold.AssistantMessage{Text: "rare_name"}})
	c := k.runs("grep rare_name common_name", "x").cut(67)
	// user, reasoning, call, result, call, result: common_name is in two.
	want := math.Log(1+6.0/1) + math.Log(1+6.0/2)
	if _, weight := c.Carried(eval.All); math.Abs(weight-want) > 1e-9 {
		t.Errorf("the carried atoms weigh %g, want %g", weight, want)
	}
}

// A cut comes after a request with all its results, however late; compactions
// of the conversation's own are left out.
func TestCutHoldsLateResults(t *testing.T) {
	k := newTalk(t).user("go").call("Bash", "command", "sleep").says("meanwhile")
	k.add(tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit, Reason: "rewound"})
	k.call("Bash", "command", "ls").gives("x").gives("late_name", 1).runs("grep late_name", "x").runs("true", "x")
	c := k.cut(40)
	if got := carried(c, eval.All); !slices.Equal(got, []string{"late_name"}) {
		t.Errorf("carried are %q", got)
	}
	if v := view(t, c, "none"); v.Tokens != c.Tokens() || v.Tokens == 0 {
		t.Errorf("all of it costs %d tokens, the prefix %d", v.Tokens, c.Tokens())
	}
}

// What follows a tool's own summary tells what the summary kept: it is not
// measured.
func TestEndsAtTheFirstSummary(t *testing.T) {
	for about, own := range map[string]tenfold.Compaction{
		"a summary":            {Summary: &tenfold.Summary{Text: "so far"}},
		"an encrypted summary": {Turns: tenfold.Omit},
	} {
		k := newTalk(t).user("go").runs("ls", "first_name").runs("pwd", "x").add(own).runs("grep first_name", "x")
		if n := requests(k.log()); n != 2 {
			t.Errorf("%s: %d requests, want 2", about, n)
		}
	}
}

// A cut leaves a request on either side.
func TestCutTooShort(t *testing.T) {
	if _, err := eval.Open(newTalk(t).user("go").runs("ls", "x").log()).Cut(50); !errors.Is(err, eval.ErrShort) {
		t.Errorf("a session of one request: %v", err)
	}
	s := eval.Open(newTalk(t).user("go").runs("ls", "x").runs("ls", "x").runs("ls", "x").log())
	for percent, want := range map[int]error{0: eval.ErrShort, 1: nil, 25: nil, 67: nil, 99: nil, 100: eval.ErrShort} {
		if _, err := s.Cut(percent); !errors.Is(err, want) {
			t.Errorf("a cut at %d %% is %v, want %v", percent, err, want)
		}
	}
}

// A call is the lines of its values, numbers among them; broken arguments are
// one text.
func TestCallsAsLines(t *testing.T) {
	body := strings.Repeat("some words of text\n", 3) + "the inner_name = 1\nand more"
	k := newTalk(t).user("go").call("Write", "file_path", "src/one.go", "content", body).gives("ok")
	k.add(tenfold.ToolCall{CallID: "b", Name: "Write", Arguments: `{"file_path":"src/two.go","content":"a broken_name`})
	k.add(tenfold.ToolResult{CallID: "b", Parts: tenfold.Text("cut off")})
	k.runs("grep inner_name broken_name src/one.go src/two.go", "x")
	c := k.cut(67)
	if got := carried(c, eval.All); !slices.Equal(got, []string{"broken_name", "inner_name", "src/one.go", "src/two.go"}) {
		t.Fatalf("carried are %q", got)
	}
	// The path alone is a value's line, the name stands in the body's.
	first := int64(3)
	for text, want := range map[string][]string{
		"src/one.go":         {"broken_name", "inner_name", "src/two.go"},
		"the inner_name = 1": {"broken_name", "src/one.go", "src/two.go"},
	} {
		var lost []string
		for _, l := range c.Score(c.ViewOfLines([]eval.Line{{Seq: first, Text: text}}), eval.All).Lost {
			lost = append(lost, l.Atom)
		}
		slices.Sort(lost)
		if !slices.Equal(lost, want) {
			t.Errorf("beside %q %q are lost, want %q", text, lost, want)
		}
	}
}

// A target of a policy is a share of what is measured: a system prompt, which only some
// transcripts have, takes nothing of it.
func TestTargetsLeaveThePromptOut(t *testing.T) {
	kept := func(system string) float64 {
		l := tenfold.NewLog()
		entries := append([]tenfold.Entry{{Payload: tenfold.ConfigDelta{System: &system, Tools: &[]tenfold.ToolDefinition{{Name: "read", Description: system, Schema: "{}"}}}}}, logtest.Long(400)...)
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		c, err := eval.Open(l).Cut(75)
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := c.Score(view(t, c, "fit:target=20%"), 30).Kept.Value()
		return kept
	}
	if without, with := kept(""), kept(strings.Repeat("be kind and brief ", 500)); with != without || with < 0.15 {
		t.Errorf("%.3f is kept, without a system prompt %.3f", with, without)
	}
}
