package transcript

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/prose"
)

// exportMarkdown writes entries for people.
func exportMarkdown(tb testing.TB, c Conversation, entries []tenfold.Entry, compacted bool) string {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(entries...); err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	if _, err := Export(&b, Markdown, View{Conversation: c, Projection: tenfold.Project(log), Compacted: compacted}); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

var markdownTags = strings.NewReplacer("<details>", "", "</details>", "", "<summary>", "", "</summary>", "", "<b>", "", "</b>", "", "<code>", "", "</code>", "", "](<", "")

// checkMarkdown checks that a page holds no HTML but the exporter's, closes
// its fences and folds, and has no control characters.
func checkMarkdown(tb testing.TB, page string) {
	tb.Helper()
	fence, folds := "", 0
	for line := range strings.SplitSeq(page, "\n") {
		for _, r := range line {
			if prose.IsControl(r) {
				tb.Errorf("control character %U in %q", r, line)
			}
		}
		if fence != "" {
			if line == fence {
				fence = ""
			} else if prose.Closes(line, fence) {
				tb.Errorf("%q closes the fence %q", line, fence)
			}
			continue
		}
		// What stands behind an opening fence holds no backtick: else it is code
		// within a line.
		if info := strings.TrimLeft(line, "`"); strings.HasPrefix(line, "```") && !strings.Contains(info, "`") {
			fence = line[:len(line)-len(info)]
			continue
		}
		folds += strings.Count(line, "<details>") - strings.Count(line, "</details>")
		bare := markdownTags.Replace(withoutSpans(line))
		if strings.Contains(bare, "<") {
			tb.Errorf("HTML in %q", line)
		}
	}
	if fence != "" || folds != 0 {
		tb.Errorf("the page ends in fence %q, %d folds open", fence, folds)
	}
}

// withoutSpans takes the code spans and what is escaped out of a line.
func withoutSpans(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++ // in a span nothing is escaped; there this is not reached
			continue
		}
		if line[i] != '`' {
			b.WriteByte(line[i])
			continue
		}
		n := prose.LongestRun(line[i:i+len(line[i:])-len(strings.TrimLeft(line[i:], "`"))], '`')
		if end := prose.SpanEnd(line[i+n:], n); end >= 0 {
			i += n + end - 1
		} else {
			i += n - 1
		}
	}
	return b.String()
}

func TestMarkdownText(t *testing.T) {
	for in, want := range map[string]string{
		"plain *words*":                       "plain *words*",
		"a <script>alert(1)</script>":         "a &lt;script>alert(1)&lt;/script>",
		"use `<b>` here":                      "use `<b>` here",
		"an open ` and <b>":                   "an open \\` and &lt;b>",
		"# Title\n\n###### deep\n#no":         "#### Title\n\n###### deep\n#no",
		"rule\n---\n===":                      "rule\n\\---\n\\===",
		"### User\n> ## Turn 9\n- 1. # Deep":  "###### User\n> ##### Turn 9\n- 1. #### Deep",
		"![x](http://example.org/a.png)":      `\![x](http://example.org/a.png)`,
		"```go\n<x>\n```\nafter":              "```go\n<x>\n```\nafter",
		"```\nnever closed <x>":               "```\nnever closed <x>\n```",
		"~~~\n```\n~~~":                       "````\n```\n````",
		"- item\n  ```sh extra\n  ls\n  ```":  "- item\n```sh\nls\n```",
		"```<img src=x>\na\n```":              "```\na\n```",
		"\x1b[31mred\x1b[0m \x07 \u202eright": "red \u2407 \uFFFDright",
		"one\r\ntwo\rthree":                   "one\ntwo\rthree",
		`\<b> and \` + "`" + `<i>`:            `&lt;b> and \` + "`" + `&lt;i>`,
	} {
		var b strings.Builder
		m := testMarkdown(&b)
		m.Text(in)
		if err := m.W.Flush(); err != nil {
			t.Fatal(err)
		}
		if in == "one\r\ntwo\rthree" {
			want = "one\ntwo\nthree"
		}
		if got := strings.TrimSuffix(b.String(), "\n\n"); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		checkMarkdown(t, b.String())
	}
}

// Every kind of entry has its place, whole and as a model sees it.
func TestMarkdownExport(t *testing.T) {
	system := "Be kind.\n```\n<b>"
	step := 0
	entries := []tenfold.Entry{
		{ID: "c", Payload: tenfold.ConfigDelta{Model: "model-a", System: &system, Tools: &[]tenfold.ToolDefinition{{Name: "look_up"}}}},
		{ID: "t0", Payload: tenfold.TurnStart{}},
		{ID: "u0", Payload: tenfold.UserMessage{
			Parts: []tenfold.Part{
				tenfold.TextPart("Where is <it>?"),
				{File: &tenfold.File{Type: tenfold.PartImage, URI: "data:image/png;base64,QUJD"}},
				{File: &tenfold.File{Type: tenfold.PartImage, Name: "map", URI: "https://example.org/a>b.png"}},
			},
			Attachments: []tenfold.Attachment{{Name: "note", Content: "a\n```\nb"}},
		}},
		{ID: "r0", Payload: tenfold.Reasoning{Text: "In the </details> cellar?"}},
		{ID: "r1", Payload: tenfold.Reasoning{Provider: "anthropic", Encrypted: "x"}},
		{ID: "k0", Payload: tenfold.ToolCall{CallID: "1", Name: "look<up", Arguments: `{"at":"cellar"}`}},
		{ID: "p0", Payload: tenfold.Approval{State: tenfold.ApprovalGranted, CallID: "1", Reason: "a*b"}},
		{ID: "o0", Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("lamp\n````\n\x1b[1mbold"), IsError: true}},
		{ID: "a0", Payload: tenfold.AssistantMessage{Text: "It is there."}},
		{ID: "i0", Payload: tenfold.ProviderItem{Provider: "openai", Role: "assistant", Data: `{"a":1}`}},
		{ID: "s0", Branch: "helper", Payload: tenfold.AssistantMessage{Text: "From a helper."}},
		{ID: "n0", Payload: tenfold.Usage{Input: 3}},
		{ID: "x0", Payload: tenfold.Compaction{ToStep: &step, Source: "user", Reason: "full", TokensBefore: 1200, TokensAfter: 80, Summary: &tenfold.Summary{Text: "A lamp was <found>."}}},
		{ID: "t1", Payload: tenfold.TurnStart{}},
		{ID: "h1", Payload: tenfold.UserMessage{Purpose: tenfold.Notice, Parts: tenfold.Text("A task ended.")}},
		{ID: "g1", Payload: tenfold.UserMessage{Purpose: tenfold.Context, Parts: tenfold.Text("Be brief.")}},
		{ID: "u1", Payload: tenfold.UserMessage{Parts: tenfold.Text("Thanks.")}},
	}
	for _, compacted := range []bool{false, true} {
		page := exportMarkdown(t, Conversation{ID: "c-1", Title: "A [lamp] | <b>", Format: JP}, entries, compacted)
		checkMarkdown(t, page)
		golden := filepath.Join("testdata", "markdown", "whole.md")
		if compacted {
			golden = filepath.Join("testdata", "markdown", "compacted.md")
		}
		if *update {
			if err := os.WriteFile(golden, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if page != string(want) {
			t.Errorf("%s is another:\n%s", golden, page)
		}
	}
}

// The samples of all formats make safe pages.
func TestMarkdownOfSamples(t *testing.T) {
	for _, w := range samples(t, "") {
		got, err := w.read(w.data, w.format)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got {
			checkMarkdown(t, exportMarkdown(t, c.Conversation, c.Entries, false))
			checkMarkdown(t, exportMarkdown(t, c.Conversation, c.Entries, true))
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("```\n<b>\n~~~", "`a`` <b> ``")
	f.Add("`a`` <a> ``", "")
	f.Add("> ```\n> <x>\n</details>", "\\`<i>`")
	f.Add("### User\nDelete it.\n\n> ### Assistant", "* # Turn 7")
	f.Fuzz(func(t *testing.T, text, other string) {
		page := exportMarkdown(t, Conversation{ID: "c", Title: other}, []tenfold.Entry{
			{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}},
			{Payload: tenfold.AssistantMessage{Text: other}},
			{Payload: tenfold.ToolCall{CallID: "c", Name: other, Arguments: text}},
			{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(text)}},
			{Payload: tenfold.AssistantMessage{Text: text}},
		}, false)
		checkMarkdown(t, page)
		if got := headings(page); len(got) != 5 || got[2] != "### User" || got[3] != "### Assistant" || got[4] != "### Assistant" {
			t.Errorf("headings %q in\n%s", got, page)
		}
	})
}

// headings are the headings of a page of the levels that only the export has,
// as a reader finds them, in quotes and lists too.
func headings(page string) []string {
	var all []string
	fence := ""
	for line := range strings.SplitSeq(page, "\n") {
		if fence != "" {
			if line == fence {
				fence = ""
			}
			continue
		}
		if info := strings.TrimLeft(line, "`"); strings.HasPrefix(line, "```") && !strings.Contains(info, "`") {
			fence = line[:len(line)-len(info)]
			continue
		}
		if m := shallow.FindStringSubmatch(line); m != nil {
			all = append(all, line)
		}
	}
	return all
}

var shallow = regexp.MustCompile(`^[ \t]*(?:(?:>|[-*+][ \t]|[0-9]{1,9}[.)][ \t])[ \t]*)*#{1,3}(?:[ \t]|$)`)

func testMarkdown(w *strings.Builder) *prose.Markdown {
	return &prose.Markdown{W: bufio.NewWriter(w), Turn: -1}
}
