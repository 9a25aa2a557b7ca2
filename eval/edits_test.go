package eval_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/eval"
)

const shown = "func one() {\n\treturn first()\n}\n\nfunc two() {\n\treturn second()\n}"

// edits builds a session that shows a text and cuts it there; what follows is
// told by the caller.
func edits(t testing.TB, follow func(*talk)) *eval.Cut {
	k := newTalk(t).user("go").call("Read", "file_path", "a.go").gives(shown)
	k.says("I see").user("go on").runs("true", "x")
	follow(k)
	for range 60 { // so that one cut in a hundred comes after the read
		k.says("well").user("and")
	}
	return k.cut(1)
}

// An edit counts if its old text was contiguous in the prefix and nothing has
// shown it again since (fit.md, EDR).
func TestEditsThatCount(t *testing.T) {
	edit := func(name, old string) func(*talk) {
		return func(k *talk) { k.call("Edit", "file_path", "a.go", name, old, "new_string", "func one() {}") }
	}
	const patch = "*** Begin Patch\n*** Update File: a.go\n@@ func one\n func one() {\n-\treturn first()\n+\treturn third()\n }\n@@\n-not there at all\n*** End Patch"
	for about, tt := range map[string]struct {
		follow func(*talk)
		want   int
	}{
		"a line":              {edit("old_string", "\treturn first()"), 1},
		"two lines":           {edit("oldText", "func one() {\n\treturn first()"), 1},
		"pi's name":           {edit("oldString", "return second()\n}"), 1},
		"openhands' name":     {edit("old_str", "func two() {"), 1},
		"a short name":        {edit("old", "func two() {"), 1},
		"blanks at line ends": {edit("old_string", "func one() {   \n\treturn first()\n"), 1},
		"line numbers":        {edit("old_string", "  1→func one() {\n  2→\treturn first()"), 1},
		"lines apart":         {edit("old_string", "return first()\n\treturn second()"), 0},
		"another name":        {edit("text", "\treturn first()"), 0},
		"one word":            {edit("old_string", "first().second()"), 0},
		"too short":           {edit("old_string", "one() {"), 0},
		"a patch's hunks":     {func(k *talk) { k.call("apply_patch", "input", patch) }, 1},
		"a patch free in form": {func(k *talk) {
			k.add(tenfold.ToolCall{CallID: "p", Name: "apply_patch", Arguments: patch})
		}, 1},
		"in a list": {func(k *talk) {
			k.add(tenfold.ToolCall{CallID: "p", Name: "Edit", Arguments: `{"edits":[{"oldText":"func one() {"},{"oldText":"func two() {"}]}`})
		}, 2},
		"shown again": {func(k *talk) {
			k.runs("cat a.go", shown)
			edit("old_string", "\treturn first()")(k)
		}, 0},
		"written again": {func(k *talk) {
			k.call("Write", "file_path", "b.go", "content", shown)
			edit("old_string", "\treturn first()")(k)
		}, 0},
		"told by the user": {func(k *talk) {
			k.user("look: func one() {")
			edit("old_string", "func one() {")(k)
		}, 0},
		"shown by the edit itself": {func(k *talk) {
			edit("old_string", "func one() {")(k)
			edit("old_string", "func one() {")(k)
		}, 1},
	} {
		if got := edits(t, tt.follow).Edits(eval.All); got != tt.want {
			t.Errorf("%s: %d edits count, want %d", about, got, tt.want)
		}
	}
}

// Edits count within their horizon, like atoms.
func TestEditHorizon(t *testing.T) {
	c := edits(t, func(k *talk) {
		k.runs("pwd", "x").runs("pwd", "x").call("Edit", "old_string", "func one() {").gives("ok")
	})
	for horizon, want := range map[int]int{1: 0, 4: 0, 5: 1, eval.All: 1} {
		if got := c.Edits(horizon); got != want {
			t.Errorf("within %d requests %d edits count, want %d", horizon, got, want)
		}
	}
}

// An edit is ready if its old text stands contiguous in the view, indentation
// and all; line numbers and blanks at the ends of lines aside.
func TestEditReadyRecall(t *testing.T) {
	c := edits(t, func(k *talk) {
		k.call("Edit", "old_string", "func one() {\n\treturn first()").gives("ok").call("Edit", "old_string", "func two() {").gives("ok")
	})
	for text, want := range map[string]float64{
		shown: 1,
		"func one() {\n\treturn first()\n… 3 lines\nfunc two() {":              1,
		"  1→func one() {  \n  2→\treturn first()":                             .5,
		"func one() {\nreturn first()":                                         0,
		"func one() {\n…\n\treturn first()":                                    0,
		"func two() {":                                                         .5,
		strings.ReplaceAll(shown, "\n", " "):                                   .5,
		"1: func two() {\n" + "2: \treturn second()\n\n\n   77 | func one() {": .5,
	} {
		if got := value(t, c.Score(c.ViewOfLines([]eval.Line{{Seq: 4, Text: text}}), eval.All).Recalls[0].EDR); got != want {
			t.Errorf("%q: EDR %g, want %g", text, got, want)
		}
	}
	if got := value(t, c.Score(view(t, c, "none"), eval.All).Recalls[0].EDR); got != 1 {
		t.Errorf("of everything EDR is %g", got)
	}
}
