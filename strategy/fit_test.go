package strategy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// least is a target that is met by nothing: all that may give way has.
const least = "fit:target=1"

// always is the view of what always stays of a log (F5), before any of it gives
// way.
func always(l *tenfold.Log) *tenfold.Projection {
	return strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)})
}

// payloads are what a model sees of the entries of a log, by seq.
func payloads(p *tenfold.Projection) map[int64]tenfold.Payload {
	all := map[int64]tenfold.Payload{}
	for it := range p.Items() {
		if it.Seq > 0 {
			all[it.Seq] = withoutNote(it.Payload)
		}
	}
	return all
}

// withoutNote is a payload without the note of P5a.
func withoutNote(p tenfold.Payload) tenfold.Payload {
	if m, ok := p.(tenfold.UserMessage); ok && len(m.Parts) > 0 && tenfold.IsNote(m.Parts[0].Text) {
		m.Parts = m.Parts[1:]
		return m
	}
	return p
}

// result is the text a model sees of a result.
func result(t testing.TB, p *tenfold.Projection, seq int64) string {
	t.Helper()
	r, ok := payloads(p)[seq].(tenfold.ToolResult)
	if !ok {
		t.Fatalf("no result %d is shown: %s", seq, shown(p))
	}
	return tenfold.TextLines(r)
}

func TestS13aShortMessagesOfThePersonStayVerbatim(t *testing.T) {
	short := "please " + strings.Repeat("do it well. ", 120) // below 500 tokens
	lines := []string{"t", "u " + short, "a *900", "t", "u and\n\n  \tthis, äöü ", "s nobody typed it", "a *900", "t", "u go on", "a *100", "c 1 Bash {}", "r 1 x", "a end"}
	l := script(t, lines...)
	p := always(l)
	got := payloads(p)
	for _, seq := range []int64{2, 5, 9} {
		e, _ := l.Entry(seq)
		if text := tenfold.TextLines(got[seq]); text != tenfold.TextLines(e.Payload) {
			t.Errorf("message %d is %q", seq, text)
		}
	}
	if _, ok := got[6]; ok {
		t.Error("a message that nobody typed stays")
	}
}

func TestS13aLongMessagesBeginAndEndAsTheyDid(t *testing.T) {
	long := "first line of it\n" + strings.Repeat("words that say nothing\n", 400) + "but open_file matters\n" + strings.Repeat("and nothing more\n", 400)
	wide := strings.Repeat("one line of many words ", 500)
	l := script(t, "t", "u "+long, "a fine", "t", "u "+wide, "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end")
	p := always(l)
	begins := strings.TrimSuffix(long[:strings.LastIndex(long[:400], "\n")], "\n") + " …"
	ends := strings.TrimSuffix(strings.Repeat("\nand nothing more", 12), "\n")
	if got := tenfold.TextLines(payloads(p)[2]); got != begins+ends {
		t.Errorf("the long one is %q", got)
	}
	if got := tenfold.TextLines(payloads(p)[5]); !strings.HasPrefix(got, "…one line") || !strings.HasSuffix(got, " …") || len(got) > 450 {
		t.Errorf("the wide one is %q", got)
	}
	p = plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=300,without=blocks").View()
	if got := tenfold.TextLines(payloads(p)[2]); !strings.HasPrefix(got, "first line of it\n") || !strings.Contains(got, " …\nbut open_file matters …") {
		t.Errorf("with lines the long one is %q", got)
	}
}

// A line chosen from the middle of the first does not take its beginning away.
func TestS13aAFragmentOfTheFirstLineComesAfterItsBeginning(t *testing.T) {
	wide := strings.Repeat("one line of many words ", 100) + "open_file " + strings.Repeat("one line of many words ", 100)
	l := script(t, "t", "u "+wide, "a fine", "t", "u go", "a x", "c 1 Bash {}", "r 1 x", "a end")
	p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=900").View()
	got := tenfold.TextLines(payloads(p)[2])
	if !strings.HasPrefix(got, "…"+wide[:390]) || !strings.Contains(got, "open_file") || len(got) >= len(wide) {
		t.Errorf("it is %d bytes of %d: %q", len(got), len(wide), got)
	}
}

// The last request stays whole, however long.
func TestS13aTheLastRequestAndTheLastStepAreWhole(t *testing.T) {
	l := script(t, "t", "u ask", "a *800", "t", "u last *9000", "k hm", "c 1 Bash {}", "r 1 *500", "k now", "a yes *600", "c 2 Bash {}", "r 2 *700")
	p := always(l)
	if got, want := shown(p), "u ask | u last wor…9005 | k now | a yes word…604 | c 2 {} | r 2 words an…700"; got != want {
		t.Errorf("shown: %s\nwant:  %s", got, want)
	}
}

// The last step of a log goes on in its turn, whose requests P9 shields: they
// stand in the view, so that no line of them is paid for.
func TestP9S13aRequestsOfTheLastTurnStand(t *testing.T) {
	l := script(t, "t", "u ask", "a fine", "t", "u first open_file *9000", "a so", "c 1 Bash {}", "r 1 open_file", "u more", "a well", "c 2 Bash {}", "r 2 x", "a end")
	p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=9%").View()
	if got, want := shown(p), "u ask | u first op…9016 | u more | a end"; got != want {
		t.Errorf("shown: %s\nwant:  %s", got, want)
	}
}

func TestP8S13aPinsStayVerbatim(t *testing.T) {
	l := script(t, "t", "u ask", "a said *300", "c 1 Bash {}", "r 1 *900", "c 2 Bash {}", "r 2 *900", "a x", "c 3 Bash {}", "r 3 y", "a end")
	ids := func(seqs ...int64) (out []string) {
		for _, seq := range seqs {
			e, _ := l.Entry(seq)
			out = append(out, e.ID)
		}
		return out
	}
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.Pin{Entries: ids(3, 5)}}); err != nil {
		t.Fatal(err)
	}
	p := always(l)
	if got, want := shown(p), "u ask | a said wor…305 | c 1 {} | r 1 words an…900 | a end"; got != want {
		t.Errorf("shown: %s\nwant:  %s", got, want)
	}
}

const (
	todo1 = `TodoWrite {"todos":[{"content":"first","status":"pending"}]}`
	todo2 = `TodoWrite {"todos":[{"content":"second","status":"pending"}]}`
)

func TestS13aTheLatestPlanStays(t *testing.T) {
	l := script(t, "t", "u ask", "c 1 "+todo1, "r 1 *300", "c 2 "+todo2, "r 2 *300", "c 3 Bash {}", "r 3 y", "a end")
	if got := shown(always(l)); !strings.Contains(got, "c 2") || strings.Contains(got, "c 1") {
		t.Errorf("shown: %s", got)
	}
	// Where the last step has a plan, that is the latest.
	l = script(t, "t", "u ask", "c 1 "+todo1, "r 1 *300", "c 3 Bash {}", "r 3 y", "c 2 "+todo2, "r 2 ok")
	if got := shown(always(l)); !strings.Contains(got, "c 2") || strings.Contains(got, "c 1") {
		t.Errorf("shown: %s", got)
	}
	// A result that says the list again says it once too often.
	for result, again := range map[string]bool{`[{"content":"first","status":"pending"}]`: true, "ok, noted": false} {
		l := script(t, "t", "u ask", "c 1 "+todo1, "r 1 "+result, "c 4 Bash {}", "r 4 *900", "c 3 Bash {}", "r 3 y", "a end")
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=90%")
		if text := shownTexts(made.View()); strings.Contains(text, "[compacted] TodoWrite: done") != again {
			t.Errorf("with %s the view is %s", result, text)
		}
	}
}

func TestS13aTheOpenErrorStays(t *testing.T) {
	const build = `Bash {"command":"make all"}`
	for name, tt := range map[string]struct {
		lines []string
		stays bool
	}{
		"open":                     {[]string{"c 1 " + build, "e 1 broken *900", "c 2 Bash {}", "r 2 y"}, true},
		"mended":                   {[]string{"c 1 " + build, "e 1 broken *900", "c 2 " + build, "r 2 y"}, false},
		"mended with other blanks": {[]string{"c 1 " + build, "e 1 broken *900", `c 2 Bash {"command":" make  all"}`, "r 2 y"}, false},
		"huge":                     {[]string{"c 1 " + build, "e 1 broken *90000", "c 2 Bash {}", "r 2 y"}, true},
		"mended by the last step":  {[]string{"c 1 " + build, "e 1 broken *900", "a so", "c 2 " + build, "r 2 y"}, false},
		"an older one":             {[]string{"c 1 " + build, "e 1 broken *900", `c 2 Bash {"command":"b"}`, "e 2 *90", `c 3 Bash {"command":"b"}`, "r 3 *90"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{"t", "u ask"}, tt.lines...)
			if name != "mended by the last step" {
				lines = append(lines, "a end")
			}
			p := always(script(t, lines...))
			if _, stays := payloads(p)[4]; stays != tt.stays {
				t.Errorf("shown: %s", shown(p))
			}
		})
	}
}

func TestS13aWhatIsHiddenStaysHidden(t *testing.T) {
	lines := []string{"t", "u one", "c 1 Bash {}", "r 1 open_file", "t", "u two", "c 2 Bash {}", "r 2 close_file", "t", "u three", "a read_file is it", "a *900", "c 3 Bash {}", "r 3 x", "a end"}
	for name, hide := range map[string]tenfold.Compaction{
		"summary": {Summary: &tenfold.Summary{Text: "before"}},
		"turns":   {Turns: tenfold.Omit},
	} {
		l := script(t, lines...)
		hide.ToTurn = 0
		if _, err := l.Append(tenfold.Entry{Payload: hide}); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		made := plan(t, p, strategy.Options{}, "fit:target=400")
		for seq := int64(1); seq <= 4; seq++ {
			was, _, _ := p.Fate(seq)
			if is, _, _ := made.View().Fate(seq); is != was {
				t.Errorf("%s: entry %d was %s, is %s", name, seq, was, is)
			}
		}
		if got := shown(made.View()); !strings.Contains(got, "u two") || !strings.Contains(got, "read_file") || strings.Contains(got, "open_file") {
			t.Errorf("%s: shown: %s", name, got)
		}
	}
}

// B2: reasoning goes, and what the open loop holds as well, since the view before it
// changes.
func TestB2S13aReasoningGoes(t *testing.T) {
	l := tenfold.NewLog()
	signed := tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2ln"}
	for _, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("one")},
		signed,
		tenfold.AssistantMessage{Text: long("*700")},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("two")},
		signed,
		tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("x")},
		signed,
		tenfold.ToolCall{CallID: "2", Name: "Bash", Arguments: `{}`},
		tenfold.ToolResult{CallID: "2", Parts: tenfold.Text("y")},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	p := always(l)
	got := payloads(p)
	if got[3] != nil || got[7] != nil || got[10] != nil || got[11] == nil {
		t.Errorf("shown: %s", shown(p))
	}
	checkValid(t, "held", allBodies(t, p))
}

func TestS13aLargeAttachmentsGo(t *testing.T) {
	l := tenfold.NewLog()
	for _, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("see"), Attachments: []tenfold.Attachment{
			{Name: "small.md", MediaType: "text/markdown", Content: "short"},
			{Name: "large.md", MediaType: "text/markdown", Content: long("*5000")},
		}},
		tenfold.AssistantMessage{Text: "fine"},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("go")},
		tenfold.AssistantMessage{Text: "a"},
		tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("x")},
		tenfold.AssistantMessage{Text: "end"},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	p := always(l)
	m, ok := payloads(p)[2].(tenfold.UserMessage)
	if !ok || len(m.Attachments) != 1 || m.Attachments[0].Name != "small.md" || m.Parts[0].Text != "see" {
		t.Errorf("the message is %+v", m)
	}
}

func turnsOfWork(n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, "t", fmt.Sprintf("u ask %d", i), fmt.Sprintf(`c %d Read {"file_path":"src/part_%d.go"}`, i, i),
			fmt.Sprintf("r %d func name_%d()\n*600", i, i), fmt.Sprintf("a say %d *300", i))
	}
	return lines
}

func TestS13aARangeIsHonoured(t *testing.T) {
	l := script(t, turnsOfWork(6)...)
	raw := tenfold.Project(l)
	for _, span := range []tenfold.Range{{ToTurn: 2}, {FromTurn: 2, ToTurn: 4}, {FromTurn: 1, ToTurn: 3, ToStep: step(0)}} {
		made := plan(t, raw, strategy.Options{Range: span}, least)
		if len(made.Compactions) != 1 {
			t.Fatalf("%s: %s", span, made.Nothing)
		}
		for seq := int64(1); seq <= raw.Version(); seq++ {
			turn, at, _ := l.Where(seq)
			outside := turn < span.FromTurn || turn > span.ToTurn || span.ToStep != nil && turn == span.ToTurn && at > *span.ToStep
			if fate, _, _ := made.View().Fate(seq); outside && fate != tenfold.Kept {
				t.Errorf("%s: entry %d is %s", span, seq, fate)
			}
		}
		// Where the end was chosen by default, it goes on to the end.
		all := everything(l)
		reached := plan(t, raw, strategy.Options{Range: span, Reach: &all}, least)
		if c := reached.Compactions[0]; c.FromTurn != 0 || c.ToTurn != 5 {
			t.Errorf("%s: it reaches over turns %d to %d", span, c.FromTurn, c.ToTurn)
		}
	}
	if made := plan(t, raw, strategy.Options{Range: tenfold.Range{FromTurn: 5, ToTurn: 5}}, least); len(made.Compactions) != 1 {
		t.Errorf("of a turn of two steps the first may go: %s", made.Nothing)
	}
	l = script(t, "t", "u only", "a one *900")
	if made := plan(t, tenfold.Project(l), strategy.Options{}, least); len(made.Compactions) != 0 || made.Nothing == "" {
		t.Errorf("of what a model said in its only step: %q", made.Nothing)
	}
	l = script(t, "t", "u one", "a one", "t", "u two")
	if made := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{FromTurn: 1, ToTurn: 1}}, least); !strings.HasSuffix(made.Nothing, "hold nothing before the last step of the conversation, which stays") {
		t.Errorf("of a turn without a step: %q", made.Nothing)
	}
}

func TestS13aRunsOfFoldedCallsAreTold(t *testing.T) {
	lines := []string{"t", "u see to it"}
	for i, text := range []string{"*400", "*400", "keep_this", "*400", "keep_that", "*400", "*400", "*400"} {
		lines = append(lines, fmt.Sprintf("c %d Bash {}", i), fmt.Sprintf("r %d %s", i, text))
	}
	l := script(t, append(lines, "a end")...)
	p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=120,without=always+blocks").View()
	if _, shownToo := payloads(p)[4]; shownToo {
		t.Fatalf("shown: %s", shown(p))
	}
	for seq, want := range map[int64]string{
		8:  "[2 earlier calls not shown: Bash ×2]\nkeep_this",
		12: "[1 earlier call not shown: Bash]\nkeep_that\n[3 later calls not shown: Bash ×3]",
	} {
		if got := result(t, p, seq); got != want {
			t.Errorf("result %d is %q", seq, got)
		}
	}
	for text, want := range map[string]bool{"fit:target=5%": false, "fit:target=5%,recall=true": true} {
		c := plan(t, tenfold.Project(l), strategy.Options{}, text).Compactions[0]
		if c.ToolCalls.Recall != want || c.Texts.Recall != want {
			t.Errorf("%s: what is cut has references: %v", text, c.ToolCalls.Recall)
		}
	}
}

// F7: where no call is left to tell of the others, the last words that stay do; and
// the target holds.
func TestS13aFoldedCallsAreToldBesideWords(t *testing.T) {
	lines := []string{"t", "u see to the parser", "a The parser is broken, as I_thought it would be."}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("c %d Bash {}", i), fmt.Sprintf("r %d *900", i))
	}
	lines = append(lines, "a The parser is whole, as I_thought it would be.", "c late Bash {}", "r late *900", "t", "u thanks, is it?", "a so far")
	l := script(t, lines...)
	for target, want := range map[int]string{
		110: "[20 earlier calls not shown: Bash ×20]\nThe parser is whole, as I_thought it would be.\n[1 later call not shown: Bash]",
		60:  "The parser is whole, as I_thought it would be.",
	} {
		p := plan(t, tenfold.Project(l), strategy.Options{}, fmt.Sprintf("fit:target=%d,without=always+blocks", target)).View()
		var last string
		for it := range p.Items() {
			if m, ok := it.Payload.(tenfold.AssistantMessage); ok && strings.Contains(m.Text, "whole") {
				last = m.Text
			}
		}
		if last != want || p.Tokens() > target {
			t.Errorf("target %d, %d tokens: %q\n%s", target, p.Tokens(), last, shown(p))
		}
	}
}

func TestS13aBodiesAreTrimmedToValidArguments(t *testing.T) {
	body := strings.Repeat("plain words that say nothing\n", 30) + "open_file(\"ä\")\n" + strings.Repeat("more plain words\n", 30)
	arguments, err := json.Marshal(map[string]string{"file_path": "src/some_file.go", "content": body})
	if err != nil {
		t.Fatal(err)
	}
	l := script(t, "t", "u write it", "c 1 Write "+string(arguments), "r 1 ok", "c 2 Bash {}", "r 2 *900", "a end")
	p := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=110,without=blocks").View()
	c, ok := payloads(p)[3].(tenfold.ToolCall)
	if !ok {
		t.Fatalf("shown: %s", shown(p))
	}
	if c.Arguments != `{"file_path":"src/some_file.go"}` {
		t.Errorf("arguments are %s", c.Arguments)
	}
	if got := result(t, p, 4); !strings.Contains(got, "ok\n[argument content] … open_file(\"ä\") …\n[1 later call not shown: Bash]") {
		t.Errorf("the result is %q", got)
	}
}

func TestS13aNamesParseAgain(t *testing.T) {
	for text, name := range map[string]string{
		"fit":                                       "fit:target=10%",
		"fit:target=20k":                            "fit:target=20000",
		"fit:target=12.5%,edits=40":                 "fit:target=12.5%,edits=40",
		"fit:target=5%,recall=true,edits=40":        "fit:target=5%,edits=40,recall=true",
		"fit:target=5%,without=model+coverage":      "fit:target=5%,without=model+coverage",
		"fit:recall=false,without=always,target=1m": "fit:target=1000000,without=always",
	} {
		s := parse(t, text)[0]
		if s.Name() != name {
			t.Errorf("%s is named %s", text, s.Name())
		}
		if again := parse(t, s.Name())[0]; again.Name() != name {
			t.Errorf("%s parses as %s", name, again.Name())
		}
	}
	for text, want := range map[string]string{
		"fit:target=0":       `invalid target "0"`,
		"fit:target=":        "invalid target",
		"fit:target=200%":    "invalid target",
		"fit:edits=some":     "edits",
		"fit:recall=perhaps": "recall",
		"fit:without=luck":   "without=luck: the ingredients are coverage, model, lines, blocks, stale, recent, cost, always, edits, conclusions; more than one are joined by +",
		"fit:size=3":         "size",
	} {
		if _, err := strategy.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What was done last to each file is told before anything else is chosen.
func TestS13aTheLastEditOfEachFileIsTold(t *testing.T) {
	var lines []string
	lines = append(lines, "t", "u change things", "c 1 Edit {\"file_path\":\"a/one.go\",\"old_string\":\"x\",\"new_string\":\"y\"}", "r 1 ok",
		"c 2 Edit {\"file_path\":\"a/one.go\",\"old_string\":\"y\",\"new_string\":\"z\"}", "r 2 ok")
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("c n%d Bash {\"command\":\"look_at thing_%d in dir_%d/file_%d.go\"}", i, i, i, i), fmt.Sprintf("r n%d *200", i))
	}
	l := script(t, append(lines, "a so far")...)
	told := func(text string) map[int64]tenfold.Payload {
		return payloads(plan(t, tenfold.Project(l), strategy.Options{}, text).View())
	}
	if got := told("fit:target=20%"); got[5] == nil || got[3] != nil {
		t.Errorf("the last edit is %v, the one before %v", got[5], got[3])
	}
}

// A message of more than 500 tokens stays whole while all such take a tenth of the target,
// the newest first; what is over 2,000 was pasted.
func TestF5LongerMessagesStayWholeWhereThereIsRoom(t *testing.T) {
	findings := strings.Repeat("it says too little about the oven\n", 100) // 800 tokens
	paste := strings.Repeat("a log of the oven that nobody reads\n", 400)
	log := []string{"t", "u " + findings + "one", "a fine", "t", "u " + findings + "two", "a fine", "t", "u " + paste, "a fine"}
	for i := range 40 {
		var names strings.Builder
		for n := range 200 {
			fmt.Fprintf(&names, "open_file_%d_%d bake_bread_%d_%d\n", i, n, n, i)
		}
		log = append(log, fmt.Sprintf("c %d Bash {}", i), fmt.Sprintf("r %d %s", i, names.String()))
	}
	l := script(t, append(log, "t", "u go", "a end")...)
	for target, want := range map[string][]bool{"fit:target=6k": {false, false, false}, "fit:target=12k": {false, true, false}, "fit:target=20k": {true, true, false}} {
		p := plan(t, tenfold.Project(l), strategy.Options{}, target).View()
		var got []bool
		for _, seq := range []int64{2, 5, 8} {
			got = append(got, !strings.Contains(tenfold.TextLines(payloads(p)[seq]), "…"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: whole are %v, want %v", target, got, want)
		}
	}
}
