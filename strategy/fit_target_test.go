package strategy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/atom"
	"tenfold/excerpt"
	"tenfold/internal/logtest"
	"tenfold/internal/number"
	"tenfold/strategy"
)

// holdTarget checks F1 to F5 of a plan of fit over a view.
func holdTarget(t interface {
	Helper()
	Errorf(format string, args ...any)
}, name string, now *tenfold.Projection, made strategy.Plan,
) {
	t.Helper()
	f := made.Fitted
	if f == nil {
		t.Errorf("%s: the plan does not say what the target came to", name)
		return
	}
	if f.After != made.After || made.After != made.View().Tokens() || f.Now != now.Tokens() {
		t.Errorf("%s: it says %d of %d tokens, the view has %d of %d", name, f.After, f.Now, made.View().Tokens(), now.Tokens())
	}
	switch {
	case f.Met() && now.Tokens() <= f.Target: // F2
		if len(made.Compactions) > 0 || !strings.Contains(made.Nothing, "within the target") {
			t.Errorf("%s: %d compactions of a view within the target: %q", name, len(made.Compactions), made.Nothing)
		}
		return
	case f.Met(): // F3
		if seq := unused(now, made.View(), f.Target); made.After*100 < f.Target*92 && seq > 0 {
			e, _ := now.Log().Entry(seq)
			fate, _, after := made.View().Fate(seq)
			t.Errorf("%s: %d tokens of %d are used, and %s %d would fit, which is %s (%s), %d of %d tokens",
				name, made.After, f.Target, e.Payload.Kind(), seq, fate, made.View().Why(seq), after, e.Tokens)
		}
	case len(made.Compactions) > 0: // F4: then nothing stays but what always does
		within := f.Least() == made.After // nothing else stays
		if f.Room > 0 && f.Least() < f.Room {
			within = made.After <= f.Room && f.Room > f.Target
		}
		if !within || f.Over() != made.After-f.Target || made.After >= now.Tokens() {
			t.Errorf("%s: missed by %d with %d tokens, %d of which always stay, in a room of %d", name, f.Over(), made.After, f.Least(), f.Room)
		}
	}
	l := now.Log()
	shown, before := payloads(made.View()), payloads(now)
	last := int64(0)
	for seq := l.Version(); seq > 0 && last == 0; seq-- {
		if e, _ := l.Entry(seq); now.Reads(seq) {
			if m, ok := e.Payload.(tenfold.UserMessage); ok && m.IsRequest() {
				last = seq
			}
		}
	}
	for seq, was := range before {
		e, _ := l.Entry(seq)
		m, isUser := was.(tenfold.UserMessage)
		left, _ := shown[seq].(tenfold.UserMessage)
		got := texts(left)
		switch {
		case now.Why(seq) == tenfold.ReasonPinned && shown[seq] == nil && made.View().Why(seq) != tenfold.ReasonBound:
			t.Errorf("%s: pinned entry %d is not shown", name, seq)
		case !isUser || !m.IsRequest() || e.Tokens > 500 && seq != last || texts(m) == "":
		case (f.GaveWay == 0 || seq == last) && got != texts(m) && got != texts(e.Payload.(tenfold.UserMessage)):
			t.Errorf("%s: message %d is %q, it was %q", name, seq, got, texts(m))
		case len(texts(m)) < 400:
			for line := range strings.Lines(texts(m)) {
				if atom.StatesConstraint(line) && !strings.Contains(got, strings.Trim(line, "… \r\n")) {
					t.Errorf("%s: message %d lost what it demands: %q, of %q", name, seq, got, line)
				}
			}
		}
	}
}

// unused is an entry that a view could show whole within a target and does not:
// 0 for none. What other overlays hide is not counted, nor are files, nor
// thoughts, of which only an unbroken run at the end may stand, nor calls and results with
// text that their file has no longer.
func unused(now, view *tenfold.Projection, target int) int64 {
	left := target - view.Tokens()
	l, index := view.Log(), excerpt.NewIndex()
	index.Advance(view)
	for e := range l.Entries() {
		fate, by, after := view.Fate(e.Seq)
		o, _ := l.Lookup(by)
		c, _ := o.Payload.(tenfold.Compaction)
		if m, ok := e.Payload.(tenfold.UserMessage); ok && m.Purpose == tenfold.Notice {
			continue // they go first
		}
		if fate == tenfold.Kept || fate == tenfold.Summarised || !view.Reads(e.Seq) || !strings.HasPrefix(c.Strategy, "fit") || e.Payload.Kind() == tenfold.KindReasoning || view.Why(e.Seq) == tenfold.ReasonFiles {
			continue
		}
		if was, _, _ := now.Fate(e.Seq); was == tenfold.Omitted && view.Why(e.Seq) == tenfold.ReasonTurns {
			continue
		}
		r, _ := l.Entry(l.Pair(e.Seq))
		if hasFile(e.Payload) || hasFile(r.Payload) {
			continue
		}
		_, _, pair := view.Fate(r.Seq)
		if lacks := e.Tokens - after + r.Tokens - pair; lacks > 0 && lacks+60 < left && !index.IsOutdated(e.Seq) && !index.IsOutdated(r.Seq) {
			return e.Seq
		}
	}
	return 0
}

// hasFile reports whether an entry is a result with a file.
func hasFile(p tenfold.Payload) bool {
	r, _ := p.(tenfold.ToolResult)
	return slices.ContainsFunc(r.Parts, func(p tenfold.Part) bool { return p.File != nil })
}

// work is a log of turns, each with a request, a call with a result of so many
// lines that say something, and an answer.
func work(turns, lines int) []string {
	var out []string
	for i := range turns {
		out = append(out, "t", fmt.Sprintf("u ask %d", i), fmt.Sprintf("c %d Bash {}", i), fmt.Sprintf("r %d ", i))
		for j := range lines {
			out[len(out)-1] += fmt.Sprintf("func name_%d_%d() and the words of a line\n", i, j)
		}
		out = append(out, "a fine")
	}
	return out
}

// F1, F3: the target is the size of the whole view, and it is used.
func TestF1F3TheTargetIsTheWholeViewAndUsed(t *testing.T) {
	raw := tenfold.Project(script(t, work(40, 30)...))
	for _, c := range []struct {
		text string
		most int
	}{
		{"fit:target=5%", raw.Tokens() / 20},
		{"fit:target=10%", raw.Tokens() / 10},
		{"fit", raw.Tokens() / 10},
		{"fit:target=30%", raw.Tokens() * 3 / 10},
		{"fit:target=75%", raw.Tokens() * 3 / 4},
		{"fit:target=700", 700},
	} {
		made := plan(t, raw, strategy.Options{}, c.text)
		holdTarget(t, c.text, raw, made)
		if made.After > c.most || made.After*100 < c.most*92 || made.Fitted.Target != c.most {
			t.Errorf("%s: %d tokens of %d, %+v", c.text, made.After, c.most, made.Fitted)
		}
	}
}

// F1: a share is of what a model saw before the command, whatever strategies
// of the same command did first.
func TestF1AShareIsOfWhatWasThereBeforeTheCommand(t *testing.T) {
	raw := tenfold.Project(script(t, work(40, 30)...))
	made := plan(t, raw, strategy.Options{}, "micro:keep_recent=5", "fit:target=20%")
	if want := raw.Tokens() / 5; made.Fitted.Target != want || made.Fitted.Now != raw.Tokens() {
		t.Errorf("%+v, want a target of %d of %d", made.Fitted, want, raw.Tokens())
	}
	// What another tool's compaction had hidden is not counted.
	smaller := raw.With(tenfold.Compaction{ToTurn: 19, Turns: tenfold.Omit, Source: "import"})
	made = plan(t, smaller, strategy.Options{}, "fit:target=20%")
	if made.Fitted.Target != smaller.Tokens()/5 {
		t.Errorf("%+v of %d", made.Fitted, smaller.Tokens())
	}
}

// F2: a view within the target is left alone.
func TestF2AViewWithinTheTargetIsLeftAlone(t *testing.T) {
	raw := tenfold.Project(script(t, work(4, 30)...))
	text := fmt.Sprintf("fit:target=%d", raw.Tokens())
	made := plan(t, raw, strategy.Options{}, text)
	if want := fmt.Sprintf("the view costs %s tokens, which is within the target of %[1]s", number.Thousands(raw.Tokens())); made.Nothing != want || !made.Fitted.Met() {
		t.Errorf("%q, %+v", made.Nothing, made.Fitted)
	}
	// And so is one that fit made.
	made = plan(t, raw, strategy.Options{}, "fit:target=500")
	smaller := raw.With(made.Compactions...)
	if again := plan(t, smaller, strategy.Options{}, "fit:target=500"); len(again.Compactions) != 0 || again.Nothing == "" {
		t.Errorf("again: %d compactions, %q", len(again.Compactions), again.Nothing)
	}
}

// F3: where lines run out, whole results are shown, the newest first, and then
// the newest steps as they are, thoughts included.
func TestF3WhatIsLeftGoesToWholeResultsAndToTheTail(t *testing.T) {
	var lines []string
	for i := range 20 { // no line says anything that could be needed again
		lines = append(lines, "t", fmt.Sprintf("u ask %d", i), "k hm *200", fmt.Sprintf("c %d Bash {}", i), fmt.Sprintf("r %d *900", i), "a fine")
	}
	raw := tenfold.Project(script(t, lines...))
	made := plan(t, raw, strategy.Options{}, "fit:target=40%,without=blocks")
	holdTarget(t, "40%", raw, made)
	got := payloads(made.View())
	whole := 0
	for seq := raw.Version(); seq > 0; seq-- {
		e, _ := raw.Log().Entry(seq)
		if e.Payload.Kind() != tenfold.KindToolResult {
			continue
		}
		is := got[seq] != nil && tenfold.TextLines(got[seq]) == tenfold.TextLines(e.Payload)
		if is {
			whole++
		} else if whole < 5 {
			t.Fatalf("result %d is not whole, %d newer ones are", seq, whole)
		}
	}
	// Thoughts take more than a tenth here: more than a few of them must stand.
	made = plan(t, raw, strategy.Options{}, "fit:target=97%")
	if made.After*100 < made.Fitted.Target*92 {
		t.Errorf("97%%: %d of %d are used", made.After, made.Fitted.Target)
	}
}

// F3: of one result that is longer than the target as much is shown as fits, also where a part
// of it stands already.
func TestF3AResultLongerThanTheTargetFillsIt(t *testing.T) {
	var line strings.Builder
	for i := range 200 {
		fmt.Fprintf(&line, `{"number":%d,"title":"some words of bread and butter"},`, 1000+i)
	}
	for name, result := range map[string]string{
		"a line":     line.String(),
		"many lines": strings.ReplaceAll(line.String(), "},", "},\n"),
	} {
		l := script(t, "t", "u list them", "c 1 mcp__list {}")
		for _, p := range []tenfold.Payload{tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(result)}, tenfold.AssistantMessage{Text: "1180 is it"}, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("and then")}} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		for percent := 20; percent < 90; percent += 10 {
			made := plan(t, tenfold.Project(l), strategy.Options{}, fmt.Sprintf("fit:target=%d%%", percent))
			if f := made.Fitted; made.After*100 < f.Target*92 || !f.Met() {
				t.Errorf("%s, %d %%: %d of %d are used", name, percent, made.After, f.Target)
			}
		}
	}
}

// F4, P8a: what the client puts there anew is not counted, is left as it is, and
// the rest of the view uses the target.
func TestF4P8aWhatIsPutThereAnewIsNotCounted(t *testing.T) {
	rules := "# AGENTS.md instructions for /work\n\n" + strings.Repeat("Never touch the vendor directory of the house.\n\n", 300) + "</INSTRUCTIONS>"
	raw := tenfold.Project(script(t, append([]string{"t", "x " + rules, "x Ask twice before a deployment."}, work(20, 30)[1:]...)...))
	o := strategy.Options{Renewed: func(p tenfold.Payload) bool {
		return strings.HasPrefix(tenfold.TextLines(p), "# AGENTS.md")
	}}
	e, _ := raw.Log().Entry(2)
	made := plan(t, raw, o, "fit:target=1200")
	f := made.Fitted
	if f.Injected != e.Tokens || f.After != made.View().Tokens()-e.Tokens || f.Now != raw.Tokens() {
		t.Errorf("%+v of a view of %d tokens, %d of them not counted", f, made.View().Tokens(), e.Tokens)
	}
	if !f.Met() || f.After*100 < f.Target*92 {
		t.Errorf("the target is not used: %+v", f)
	}
	if fate, _, _ := made.View().Fate(2); fate != tenfold.Kept {
		t.Errorf("what is put there anew is %s", fate)
	}
	sum := 0
	for _, s := range f.Always {
		if sum += s.Tokens; s.What == strategy.StandsContext && s.Entries != 1 || s.Tokens < 0 {
			t.Errorf("what always stays: %+v", f.Always)
		}
	}
	if sum != f.Least() || sum > f.After {
		t.Errorf("%d tokens always stay of %d", sum, f.After)
	}
	// Without it a plan over the same log counts all.
	if all := plan(t, raw, strategy.Options{}, "fit:target=1200").Fitted; all.Injected != 0 {
		t.Errorf("%+v", all)
	}
	// A view that is within the target without it is left alone (F2).
	least := tenfold.Project(script(t, "t", "x "+rules, "u hello", "a fine"))
	if made := plan(t, least, o, "fit:target=1200"); !made.Fitted.Met() || len(made.Compactions) > 0 || made.Fitted.Injected == 0 {
		t.Errorf("%+v, %d compactions", made.Fitted, len(made.Compactions))
	}
}

// F4: a target that cannot be met is missed, and the plan says by how much and
// because of what.
func TestF4WhatCannotGiveWayMissesTheTarget(t *testing.T) {
	l := script(t, append(work(5, 30), "t", "u the last request *3000", "c x Bash {}", "r x *2000", "a end")...)
	raw := tenfold.Project(l)
	made := plan(t, raw, strategy.Options{}, "fit:target=100")
	holdTarget(t, "100", raw, made)
	f := made.Fitted
	if f.Met() || f.Over() != made.After-100 || len(made.Compactions) != 1 {
		t.Errorf("%+v", f)
	}
	sorts := map[string]int{}
	for _, s := range f.Always {
		sorts[s.What] = s.Tokens
	}
	last, _ := l.Entry(l.Version() - 3)
	if sorts[strategy.StandsLastRequest] != last.Tokens || sorts[strategy.StandsLastStep] == 0 {
		t.Errorf("because of %+v", f.Always)
	}
}

// F4: where a range holds the last step alone, what stands before it is told as
// outside the range, not as the last step.
func TestF4WhatIsBeforeTheRangeIsNotTheLastStep(t *testing.T) {
	l := script(t, "t", "u one", "a before *900", "t", "u two", "a end")
	made := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{FromTurn: 1, ToTurn: 1}}, "fit:target=100")
	if made.Nothing == "" || made.Fitted.Met() {
		t.Fatalf("%q, %+v", made.Nothing, made.Fitted)
	}
	before, _ := l.Entry(3)
	end, _ := l.Entry(6)
	sorts := map[string]int{}
	for _, s := range made.Fitted.Always {
		sorts[s.What] = s.Tokens
	}
	if sorts[strategy.StandsLastStep] != end.Tokens || sorts[strategy.StandsOutside] < before.Tokens {
		t.Errorf("because of %+v, want %d of the last step", made.Fitted.Always, end.Tokens)
	}
}

// F4: where the system prompt and the tools alone leave no room in a share of all, the
// share is one of the rest, and the target is missed; a number of tokens is what it is.
func TestF4PromptAndToolsLeaveTheRestItsShare(t *testing.T) {
	l := script(t, work(40, 30)...)
	rest := tenfold.Project(l).Tokens()
	system := strings.Repeat("You are a baker, and these are the words of the house. ", 180)
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.ConfigDelta{System: &system}}); err != nil {
		t.Fatal(err)
	}
	raw := tenfold.Project(l)
	prompt := raw.Tokens() - rest
	if prompt < raw.Tokens()/10 || prompt > raw.Tokens()/5 {
		t.Fatalf("the prompt takes %d of %d tokens", prompt, raw.Tokens())
	}
	made := plan(t, raw, strategy.Options{}, "fit:target=10%")
	holdTarget(t, "10%", raw, made)
	if f, room := made.Fitted, prompt+rest/10; f.Met() || f.Target != raw.Tokens()/10 || f.Room != room || f.After*100 < room*92 || f.After > room || f.GaveWay != 0 {
		t.Errorf("of %d and %d tokens it makes %+v", prompt, rest, made.Fitted)
	}
	made = plan(t, raw, strategy.Options{}, "fit:target=20%") // there is room
	holdTarget(t, "20%", raw, made)
	if f := made.Fitted; !f.Met() || f.Room != 0 {
		t.Errorf("with room it makes %+v", f)
	}
	made = plan(t, raw, strategy.Options{}, fmt.Sprint("fit:target=", prompt/2))
	holdTarget(t, "tokens", raw, made)
	if f := made.Fitted; f.Met() || f.Room != 0 || f.After != f.Least() {
		t.Errorf("of half the tokens that the prompt has it makes %+v", f)
	}
}

// F5: what always stays is told by sorts that add up.
func TestF5WhatAlwaysStaysIsToldBySorts(t *testing.T) {
	lines := []string{"t", "u the task", "c 1 " + todo1, "r 1 ok", `c 2 Bash {"command":"make"}`, "e 2 it broke", "a *2000", "c 3 Skill {\"skill\":\"review\"}", "r 3 how to review", "c 4 Bash {}", "r 4 *900", "a end"}
	raw := tenfold.Project(script(t, lines...))
	made := plan(t, raw, strategy.Options{}, "fit:target=40%")
	sorts, sum := map[string]int{}, 0
	for _, s := range made.Fitted.Always {
		sorts[s.What] = s.Entries
		sum += s.Tokens
	}
	if sum != made.Fitted.Least() || sum > made.After {
		t.Errorf("%d tokens always, %d in all", sum, made.After)
	}
	for what, entries := range map[string]int{
		strategy.StandsLastRequest: 1, strategy.StandsPlan: 2, strategy.StandsError: 2, strategy.StandsHandles: 2, strategy.StandsLastStep: 1,
	} {
		if sorts[what] != entries {
			t.Errorf("%s: %d entries, want %d: %+v", what, sorts[what], entries, made.Fitted.Always)
		}
	}
}

// F5: a failure is open until the same command goes well, be it with more set for it
// and with other quotes.
func TestF5AnErrorMadeGoodIsNotOpen(t *testing.T) {
	for _, c := range []struct {
		then string
		open bool
	}{
		{"", true},
		{`sh run.sh b`, true},
		{`sh  '/w/run.sh' a`, false},
		{`CONV=1 sh /w/run.sh a`, false},
	} {
		raw := tenfold.Project(script(t, "t", "u the task", `c 1 Bash {"command":"sh '/w/run.sh' a"}`, "e 1 Exit code 127\nno such file", "a *2000",
			`c 2 Bash {"command":"`+c.then+`"}`, "r 2 ok", "a *2000", "c 3 Bash {}", "r 3 *900", "a end"))
		open := slices.ContainsFunc(plan(t, raw, strategy.Options{}, "fit:target=40%").Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError })
		if open != c.open {
			t.Errorf("then %s: open is %t", c.then, open)
		}
	}
}

// F5: what was put right in a call that went well then is not open, and no person's word is an
// error: it hides none either.
func TestF5AmendedAndRefusedCallsAreNotOpen(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		open  bool
	}{
		"a flag that is unknown":        {[]string{`c 1 Bash {"command":"gh pr view 5 --json a,b"}`, `e 1 Unknown JSON field: "b"`, `c 2 Bash {"command":"gh pr view 5 --json a,c"}`, "r 2 ok"}, false},
		"then another verb":             {[]string{`c 1 Bash {"command":"gh pr view 5 --json a,b"}`, `e 1 Unknown JSON field: "b"`, `c 2 Bash {"command":"gh issue view 5"}`, "r 2 ok"}, true},
		"tests, then others":            {[]string{`c 1 Bash {"command":"go test ./a"}`, "e 1 --- FAIL: TestA", `c 2 Bash {"command":"go test ./b"}`, "r 2 ok"}, true},
		"a test of a flag, then others": {[]string{`c 1 Bash {"command":"go test ./a"}`, `e 1 --- FAIL: TestA: unknown flag: --foo`, `c 2 Bash {"command":"go test ./b"}`, "r 2 ok"}, true},
		"another by the same runner":    {[]string{`c 1 Bash {"command":"uv run pytest --cov"}`, `e 1 pytest: error: unrecognized arguments: --cov`, `c 2 Bash {"command":"uv run ruff check"}`, "r 2 ok"}, true},
		"another thing by its number":   {[]string{`c 1 merge {"owner":"o","repo":"r","pullNumber":5}`, "e 1 it conflicts", `c 2 merge {"owner":"o","repo":"r","pullNumber":6}`, "r 2 ok"}, true},
		"an argument":                   {[]string{`c 1 book {"a":1,"b":2,"c":3}`, "e 1 Error: no seat", `c 2 book {"a":1,"b":2,"c":4}`, "r 2 ok"}, false},
		"members in another order":      {[]string{`c 1 book {"a":1,"b":2}`, "e 1 Error: no seat", `c 2 book {"b":2,"a":1}`, "r 2 ok"}, false},
		"another thing":                 {[]string{`c 1 book {"a":1,"b":2,"c":3}`, "e 1 Error: no seat", `c 2 book {"a":1,"b":3,"c":4}`, "r 2 ok"}, true},
		"refused":                       {[]string{`c 1 Bash {"command":"make"}`, "e 1 [Operation Cancelled] Reason: User denied execution."}, false},
		"made good, in odd words":       {[]string{`c 0 Bash {"command":"make"}`, "e 0 it broke", `c 1 Bash {"command":"make"}`, "r 1 User denied: 0"}, false},
		"an error, and then a refusal":  {[]string{`c 0 Bash {"command":"make"}`, "e 0 it broke", `c 1 Bash {"command":"rm -r a"}`, "e 1 [Operation Cancelled] Reason: User denied execution."}, true},
	} {
		lines := slices.Concat([]string{"t", "u the task", "a *2000"}, c.lines, []string{"a *2000", "c 3 Bash {}", "r 3 *900", "a end"})
		made := plan(t, tenfold.Project(script(t, lines...)), strategy.Options{}, "fit:target=40%")
		if open := slices.ContainsFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError }); open != c.open {
			t.Errorf("%s: open is %t", name, open)
		}
	}
}

// F5: a look that failed is not open for ever, and hides no other failure: the work went on
// without what it looked at.
func TestF5ALookThatFailedIsLeftBehind(t *testing.T) {
	for name, c := range map[string]struct {
		fails string
		calls int
		open  bool
	}{
		"a look, lately":    {`Read {"file_path":"/w/b.go"}`, 10, true},
		"a look, long ago":  {`Read {"file_path":"/w/b.go"}`, 11, false},
		"looked by command": {`Bash {"command":"cat b.go"}`, 11, false},
		"a command":         {`Bash {"command":"make"}`, 11, true},
		"a change":          {`Edit {"file_path":"/w/b.go"}`, 11, true},
	} {
		lines := []string{"t", "u the task", `c 0 Bash {"command":"./deploy.sh"}`, "e 0 refused", "c 1 " + c.fails, "e 1 *90"}
		for i := range c.calls {
			lines = append(lines, fmt.Sprintf(`c n%d Read {"file_path":"/w/a%d.go"}`, i, i), fmt.Sprintf("r n%d *200", i))
		}
		made := plan(t, tenfold.Project(script(t, append(lines, "a end")...)), strategy.Options{}, "fit:target=60%")
		at := slices.IndexFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError })
		if at < 0 || (made.Fitted.Always[at].Tokens > 50) != c.open { // else the one before it
			t.Errorf("%s: it keeps %+v", name, made.Fitted.Always)
		}
	}
}

// F5: a script of long ago that nobody ran again is not open for ever, once the person went
// on; tests that failed are.
func TestF5AScriptThatFailedIsLeftBehind(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		calls int
		then  string
		open  bool
	}{
		"lately":              {"Error: ENOENT", 30, "u and now this", true},
		"long ago":            {"Error: ENOENT", 31, "u and now this", false},
		"of the last request": {"Error: ENOENT", 31, "n <system-reminder>be good</system-reminder>", true},
		"tests, long ago":     {"--- FAIL: TestOven (0.1s)", 31, "u and now this", true},
		"their sum, long ago": {"3 passed, 1 failed", 31, "u and now this", true},
	} {
		lines := []string{"t", "u the task", `c 0 Bash {"command":"./compare.sh"}`, "e 0 " + c.says, "a *2000", "t", c.then}
		for i := range c.calls {
			lines = append(lines, fmt.Sprintf(`c n%d Read {"file_path":"/w/a%d.go"}`, i, i), fmt.Sprintf("r n%d *200", i))
		}
		made := plan(t, tenfold.Project(script(t, append(lines, "a end")...)), strategy.Options{}, "fit:target=60%")
		if open := slices.ContainsFunc(made.Fitted.Always, func(s strategy.Standing) bool { return s.What == strategy.StandsError }); open != c.open {
			t.Errorf("%s: open is %t", name, open)
		}
	}
}

// F1 to F5 over any log: met or missed, used, the last request, pins and what
// was demanded there; undone to the byte.
func TestF1ToF5Laws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(96).Draw(t, "log")...); err != nil {
			t.Fatal(err)
		}
		if l.Turns() == 0 {
			return
		}
		raw := tenfold.Project(l)
		if raw.Tokens() > 1<<28 {
			return // entries that claim to cost more than any log does
		}
		text := rapid.SampledFrom([]string{"fit:target=5%", "fit:target=10%", "fit:target=20%", "fit:target=30%", "fit:target=60%", "fit:target=90%", "fit:target=30", "fit:target=150"}).Draw(t, "target")
		s, err := strategy.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		made, err := strategy.Pipeline{s}.Plan(context.Background(), raw, able(everything(l)))
		if err != nil {
			t.Fatal(err)
		}
		holdTarget(t, text, raw, made)
	})
}
