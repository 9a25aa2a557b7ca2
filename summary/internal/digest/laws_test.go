package digest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// words is all that the entries of a log say, as it is quoted: each text by
// itself, calls as name and arguments, and the strings in their arguments.
func words(entries []tenfold.Entry) string {
	var b strings.Builder
	put := func(text string) {
		text = digest.Visible(text)
		b.WriteString(text + "\n\n" + strings.ReplaceAll(text, "\n", "␊") + "\n\n")
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			put(v)
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	for _, e := range entries {
		put(e.Branch)
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			var texts []string
			for _, part := range p.Parts {
				if part.Text != "" {
					texts = append(texts, part.Text)
				}
			}
			put(strings.Join(texts, "\n"))
		case tenfold.AssistantMessage:
			put(p.Text)
		case tenfold.ToolCall:
			put(p.Name)
			put(p.Name + " " + p.Arguments)
			var v any
			if json.Unmarshal([]byte(p.Arguments), &v) == nil {
				walk(v)
			}
		case tenfold.ToolResult:
			for _, part := range p.Parts {
				put(part.Text)
			}
		case tenfold.Approval:
			put(p.Reason)
			put(p.CallID)
		}
	}
	return b.String()
}

// quotes gives what a digest quotes: lines behind a mark, and code.
func quotes(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		if quoted, ok := strings.CutPrefix(line, "  > "); ok {
			all = append(all, strings.TrimSuffix(quoted, "…"))
			continue
		}
		for {
			at := strings.IndexByte(line, '`')
			if at < 0 {
				break
			}
			fence := line[at:]
			fence = fence[:len(fence)-len(strings.TrimLeft(fence, "`"))]
			rest := line[at+len(fence):]
			end := strings.Index(rest, fence)
			if end < 0 {
				all = append(all, "an open code span: "+line)
				break
			}
			all = append(all, strings.TrimSuffix(strings.TrimSpace(rest[:end]), "…"))
			line = rest[end+len(fence):]
		}
	}
	return all
}

// checkQuotes holds a digest to quoting only what the log says.
func checkQuotes(t interface {
	Helper()
	Errorf(format string, args ...any)
}, text, said string,
) {
	t.Helper()
	if strings.Contains(text, " in backticks is quoted;") {
		_, text, _ = strings.Cut(text, "\n")
	}
	for _, q := range quotes(text) {
		for piece := range strings.SplitSeq(q, "…") { // long values of arguments are shortened
			if !strings.Contains(said, strings.TrimSpace(piece)) {
				t.Errorf("the log has no %q of %q", piece, q)
			}
		}
	}
}

// atWork draws what logtest does not: people who demand, and tools of the
// table that plan, ask, fail and change files, with every kind of ending.
func atWork() *rapid.Generator[[]tenfold.Entry] {
	calls := [][2]string{
		{"Bash", `{"command":"make  test 2>&1 | tail -5"}`},
		{"Bash", `{"command":"make test | tail -9"}`},
		{"exec_command", `{"cmd":"ls","workdir":"/w"}`},
		{"Edit", `{"file_path":"/w/a.go"}`},
		{"Edit", `{"file_path":"/w/` + "`b" + `"}`},
		{"Read", `{"file_path":"/w/a.go"}`},
		{"Write", `{"file_path":"/w/c.go"}`},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: d\n*** Delete File: e\n"}`},
		{"TodoWrite", `{"todos":[{"content":"one ` + "``" + `","status":"pending"},{"content":"two","status":"completed"}]}`},
		{"TaskCreate", `{"subject":"three"}`},
		{"TaskUpdate", `{"taskId":"1","status":"in_progress"}`},
		{"AskUserQuestion", `{"questions":[{"question":"Which one?"},{"question":"And when?"}]}`},
		{"ExitPlanMode", `{"plan":"# First\nthis"}`},
		{"Skill", `{"skill":"review"}`},
		{"finish", `{}`},
		{"mcp__x", `{"a":1}`},
		{"cargo_check", `{"package":"p"}`},
		{"Bash", `{"command":"cat <<X\n# y\nX"}`},
	}
	texts := []string{
		"Never do that.\nAnd this is why.", "ok", "Exit code 1\nmake: no rule\n\x1b[31mFAIL\x1b[0m", "File created successfully at: /w/c.go", "</summary>\n# Ha",
		"I chose the table because it is short. It works.\nShall I go on?", strings.Repeat("We must keep line 7 as it is. ", 40), strings.Repeat("word ", 150),
		"- must one\n- " + strings.Repeat("never two ", 60) + "\n- only three", "ünï\u202ecode – 走る",
	}
	return rapid.Custom(func(t *rapid.T) []tenfold.Entry {
		var all []tenfold.Entry
		for i := range rapid.IntRange(0, 40).Draw(t, "n") {
			text := tenfold.Text(rapid.SampledFrom(texts).Draw(t, "text"))
			id := rapid.SampledFrom([]string{"w1", "w2", "w3"}).Draw(t, "id")
			e := tenfold.Entry{ID: fmt.Sprintf("work%d", i)}
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				e.Payload = tenfold.TurnStart{}
			case 1, 2:
				e.Payload = tenfold.UserMessage{Parts: text}
			case 3:
				e.Payload = tenfold.AssistantMessage{Text: text[0].Text}
			case 4:
				e.Payload = tenfold.Approval{State: rapid.SampledFrom([]tenfold.ApprovalState{"requested", "denied"}).Draw(t, "state"), CallID: id, Reason: text[0].Text}
			case 5, 6, 7:
				call := rapid.SampledFrom(calls).Draw(t, "call")
				e.Payload = tenfold.ToolCall{CallID: id, Name: call[0], Arguments: call[1]}
			default:
				e.Payload = tenfold.ToolResult{CallID: id, Parts: text, IsError: rapid.Bool().Draw(t, "failed")}
			}
			all = append(all, e)
		}
		return all
	})
}

// M3, M4 over any log: the same every time, within the budget, nothing quoted
// that the log does not say, and as a ledger kept entry by entry as one made
// at once.
func TestM4DigestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := append(logtest.Entries(80).Draw(t, "log"), atWork().Draw(t, "work")...)
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		all := slices.Collect(l.Entries())
		budget := rapid.IntRange(1, 3000).Draw(t, "budget")
		from := rapid.IntRange(0, max(l.Turns()-1, 0)).Draw(t, "from")
		r := strategy.SummaryRequest{
			Log: l, Range: tenfold.Range{FromTurn: from, ToTurn: max(l.Turns()-1, from)},
			Focus: rapid.SampledFrom([]string{"", "line answer", "words about"}).Draw(t, "focus"),
		}
		for _, e := range all {
			if turn, _, ok := l.Where(e.Seq); ok && turn >= from {
				r.Entries = append(r.Entries, e)
			}
		}
		if rapid.Bool().Draw(t, "recursive") {
			r.Prior = []string{"What a model wrote before."}
			r.Entries = r.Entries[len(r.Entries)/2:]
		}
		d := digest.Digest{Tokens: budget}
		one, err := d.Summarize(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		two, err := d.Summarize(t.Context(), r)
		if err != nil || one.Text != two.Text {
			t.Fatalf("the same request gives two digests: %v\n%s\n%s", err, one.Text, two.Text)
		}
		said := words(all) + "What a model wrote before."
		checkQuotes(t, one.Text, said)
		size := 0
		for _, e := range all {
			size += e.Tokens
		}
		// The first line, and the one that tells of the facts, come on top.
		if n := l.Counter().Count(one.Text); n > max(budget, size/2)+75 {
			t.Errorf("%d tokens with a budget of %d for %d", n, budget, size)
		}

		ledger, again := digest.NewLedger(nil), digest.NewLedger(nil)
		for i, e := range all {
			ledger.Add(e)
			if i%7 == 0 {
				ledger.Text(budget)
			}
		}
		for _, e := range all {
			again.Add(e)
		}
		text := ledger.Text(budget)
		if text != again.Text(budget) {
			t.Error("to ask for the text changes the ledger")
		}
		checkQuotes(t, text, said)
	})
}

// The ledger reads whatever a log holds without harm.
func FuzzLedger(f *testing.F) {
	f.Add("Bash", `{"command":"make"}`, "Exit code 1\nno rule", true)
	f.Add("TodoWrite", `{"todos":"- [x] a"}`, "", false)
	f.Add("AskUserQuestion", `{"questions":[{"question":"A?"}]}`, "yes", false)
	f.Add("apply_patch", "*** Begin Patch\n*** Delete File: `a\n", "\x1b[0m</summary>", true)
	f.Add("Edit", `{"file_path":"a\nb"}`, "{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}", false)
	f.Fuzz(func(t *testing.T, name, arguments, result string, failed bool) {
		l := digest.NewLedger(tenfold.Chars4{})
		for i := range 2 {
			l.AddAt(i, tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c", Name: name, Arguments: arguments}})
			l.AddAt(i, tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(result), IsError: failed}})
			l.AddAt(i, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: result}})
		}
		text := l.Text(500)
		if n := (tenfold.Chars4{}).Count(text); n > 500 {
			t.Errorf("%d tokens", n)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "## ") {
				t.Errorf("%q is not a line of a ledger", line)
			}
		}
		checkLines(t, text)
	})
}
