package htmlexport_test

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/htmlexport"
	"tenfold/internal/logtest"
	"tenfold/internal/redact"
)

var update = flag.Bool("update", false, "write the golden files")

var at = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// small is a conversation with everything that the page shows.
func small(t testing.TB) *tenfold.Log {
	t.Helper()
	result := func(id, text string, bad bool) tenfold.ToolResult {
		return tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text), IsError: bad}
	}
	system := "You are careful."
	tools := []tenfold.ToolDefinition{{Name: "shell"}, {Name: "read"}}
	step := 0
	l := tenfold.NewLog()
	add := func(payloads ...tenfold.Payload) {
		for _, p := range payloads {
			e := tenfold.Entry{Time: at.Add(time.Duration(l.Version()) * time.Minute), Payload: p}
			if _, ok := p.(tenfold.Compaction); ok {
				e.ID = fmt.Sprintf("cmp_0123456789abcde%d", l.Version())
			}
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(
		tenfold.ConfigDelta{Model: "model-1", System: &system, Tools: &tools},
		tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("fix the login for ann@acme.io in /home/annika/src\nand test it")},
		tenfold.Reasoning{Text: "First the file.\nThen the test."},
		tenfold.ToolCall{CallID: "1", Name: "read", Arguments: `{"path":"/home/annika/src/login.go","limit":20}`}, result("1", "package login\n\n"+strings.Repeat("// a line of it\n", 40), false),
		tenfold.ToolCall{CallID: "2", Name: "shell", Arguments: `{"command":"cat <<E\nPASSWORD=hunter22\nE"}`}, result("2", "exit status 1\nno such file", true),
		tenfold.AssistantMessage{Text: "The file is there, the test fails."},
		tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("go on")}, tenfold.AssistantMessage{Text: "Done."},
		tenfold.Compaction{ToTurn: 0, ToStep: &step, Strategy: "strip-reasoning", Source: "auto", Reason: "80 % of the window", TokensBefore: 300, TokensAfter: 280, Reasoning: &tenfold.Policy{Action: tenfold.Strip}},
		tenfold.Compaction{ToTurn: 0, Profile: "default", Source: "user", TokensBefore: 280, TokensAfter: 90, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}},
		tenfold.Pin{}, tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "2", Reason: "not now"}, tenfold.CompactionFailed{Error: "no model"}, tenfold.Usage{Model: "model-1", Input: 5},
	)
	return l
}

func write(t testing.TB, l *tenfold.Log, o htmlexport.Options) (string, htmlexport.Result) {
	t.Helper()
	var b strings.Builder
	r, err := htmlexport.Write(&b, tenfold.Project(l), o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), r
}

func TestGolden(t *testing.T) {
	t.Parallel()
	l := small(t)
	for name, o := range map[string]htmlexport.Options{"small": {}, "small-compacted": {Compacted: true}} {
		o.ID, o.Title, o.Tool, o.Directory, o.Created = "c1", "Fix the login", "codex", "/home/annika/src", at
		got, r := write(t, l, o)
		if want := (redact.Counts{redact.Password: 1, redact.Email: 1, redact.User: 3}); r.Redacted != want || r.Cut != 0 {
			t.Errorf("%s: %v", name, r)
		}
		// Style and script are files of their own.
		got = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(got, "<$1>…</$1>")
		got = regexp.MustCompile(`(?s)<svg xmlns.*?</svg>`).ReplaceAllString(got, "<svg>…</svg>")
		got = regexp.MustCompile(`sha256-[^']+`).ReplaceAllString(got, "sha256-…")
		path := filepath.Join("testdata", name+".html")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s differs (-update writes it): %v\n%s", path, err, got)
		}
	}
}

// What a transcript holds is text wherever it stands: no tag, attribute or script of it
// reaches the page, and nothing that turns the direction of text.
func TestHostile(t *testing.T) {
	t.Parallel()
	const evil = "</pre></title></style><script>alert(1)</script><img src=x onerror=alert(1)>\" onclick=\"x' \u202eevil\u2066 \x00\x1b[2J \xff ]]>--> &lt;b&gt; \u2028"
	l := tenfold.NewLog()
	step := tenfold.Entry{Branch: evil}
	add := func(payloads ...tenfold.Payload) {
		for _, p := range payloads {
			e := step
			e.Payload = p
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	sys := evil
	tools := []tenfold.ToolDefinition{{Name: evil, Description: evil}}
	for _, branch := range []string{"", evil} {
		step.Branch = branch
		add(tenfold.ConfigDelta{Model: evil, System: &sys, Tools: &tools}, tenfold.TurnStart{},
			tenfold.UserMessage{Parts: append(tenfold.Text(evil), tenfold.Part{File: &tenfold.File{Type: "image", Name: evil, MediaType: evil, URI: "data:text/html," + evil, Detail: evil}}), Attachments: []tenfold.Attachment{{Name: evil, MediaType: evil, Content: evil}}},
			tenfold.UserMessage{Parts: tenfold.Text(evil), Purpose: tenfold.Purpose(evil), Synthetic: true},
			tenfold.Reasoning{Text: evil}, tenfold.AssistantMessage{Text: evil},
			tenfold.ToolCall{CallID: evil + branch, Name: evil, Arguments: evil}, tenfold.ToolResult{CallID: evil + branch, Parts: tenfold.Text(evil), Outcome: tenfold.Outcome(evil), IsError: true},
			tenfold.ToolCall{CallID: "2" + branch, Name: evil, Arguments: `{"</pre><script>":"<script>","a":{"b":"<script>"}}`}, tenfold.ToolResult{CallID: "2" + branch, Parts: tenfold.Text(evil)},
			tenfold.ProviderItem{Provider: evil, Role: "assistant", Data: evil},
			tenfold.CompactionFailed{Error: evil}, tenfold.Approval{State: tenfold.ApprovalState(evil), Reason: evil})
	}
	step = tenfold.Entry{ID: evil}
	add(tenfold.Compaction{Strategy: evil, Source: evil, Reason: evil, Turns: tenfold.Omit, ToTurn: 0, Summary: &tenfold.Summary{Text: evil}})
	step = tenfold.Entry{}
	add(tenfold.CompactionRevoked{Target: evil}, tenfold.Compaction{Profile: evil, Reason: evil, ToTurn: 0, Summary: &tenfold.Summary{Text: evil, Heading: evil}})
	for _, compacted := range []bool{false, true} {
		page, _ := write(t, l, htmlexport.Options{ID: evil, Title: evil, Tool: evil, Directory: evil, Compacted: compacted, Unredacted: compacted})
		head, body, ok := strings.Cut(page, "</style>")
		if !ok || strings.Count(page, "<script") != 1 || strings.Count(page, "</script") != 1 || strings.Count(page, "<style") != 1 || strings.Count(head, "<title>") != 1 {
			t.Fatalf("texts of a conversation became markup:\n%s", page)
		}
		for _, bad := range []string{"<img", "<!--", "onerror=alert(1)>", `" onclick="`, "\u202e", "\u2066", "\u2028", "\x00", "\x1b", "\xff", "<b>gt", "javascript:"} {
			if strings.Contains(body, bad) {
				t.Errorf("the page holds %q", bad)
			}
		}
		// Every tag is one of ours, with attributes of ours.
		tag := regexp.MustCompile(`^</?(?:a|b|body|button|dd|details|div|dl|dt|footer|h1|h2|head|header|html|i|input|label|main|p|pre|rect|script|section|span|strong|summary|svg|table|tbody|td|text|th|thead|time|title|tr|tspan|path)(?: [a-z-]+="[^"<>]*"|[ ]?(?:hidden|open)|[ ]?xmlns="[^"]*"| viewBox="[^"]*"|/)*>`)
		script := strings.Index(body, "<script>")
		for i := range body[:script] {
			if body[i] == '<' && !tag.MatchString(body[i:]) {
				t.Errorf("not a tag of ours: %.80q", body[i:])
			}
		}
		if !strings.Contains(page, "<title>&lt;/pre&gt;&lt;/title&gt;") {
			t.Error("the title is not there as text")
		}
	}
}

// The policy of the file names its own style and script, and nothing else runs.
func TestPolicy(t *testing.T) {
	t.Parallel()
	page, _ := write(t, small(t), htmlexport.Options{ID: "c1"})
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'; ") || strings.Contains(policy[1], "unsafe") {
		t.Fatal("the policy is", policy)
	}
	for _, tag := range []string{"style", "script"} {
		text := regexp.MustCompile(`(?s)<` + tag + `>(.*?)</` + tag + `>`).FindStringSubmatch(page)
		sum := sha256.Sum256([]byte(text[1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy[1], want) {
			t.Errorf("the policy %q does not allow %s", policy[1], want)
		}
	}
	if m := regexp.MustCompile(`\s(?:src|href|action|style|on[a-z]+)="[^#][^"]*"|url\(|@import|https?://`).FindAllString(page, -1); len(m) > 1 || len(m) == 1 && m[0] != "http://" {
		t.Errorf("the page refers to %q", m) // the one is the name space of SVG
	}
}

// Every place of the page is redacted, and the page says of what.
func TestRedacted(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("aB3dE6", 6)
	l := tenfold.NewLog()
	sys := "system " + secret
	for _, p := range []tenfold.Payload{
		tenfold.ConfigDelta{Model: "m " + secret, System: &sys},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("user " + secret), Attachments: []tenfold.Attachment{{Name: secret, Content: secret}}},
		tenfold.Reasoning{Text: secret},
		tenfold.AssistantMessage{Text: "long\n" + strings.Repeat("x ", 200) + secret},
		tenfold.ToolCall{CallID: "1", Name: "shell", Arguments: `{"password":"zxcvbn12","a":"\u0067hp_` + secret[4:] + `"}`},
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(secret)},
		tenfold.CompactionFailed{Error: secret},
		tenfold.Approval{State: "denied", Reason: secret},
		tenfold.ToolCall{CallID: "2", Name: "login", Arguments: `{"password":"zxcvbn12","text":"` + strings.Repeat("more ", 99) + `"}`},
		tenfold.ToolResult{CallID: "2"},
		tenfold.Compaction{ToTurn: 0, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true}},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("on")},
		tenfold.Compaction{FromTurn: 1, ToTurn: 1, Reason: secret, Summary: &tenfold.Summary{Text: secret}},
	} {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	for _, compacted := range []bool{false, true} {
		o := htmlexport.Options{ID: "c1", Title: "Acme " + secret, Directory: "/home/annika", Compacted: compacted, Words: []string{"acme"}}
		page, r := write(t, l, o)
		if strings.Contains(page, secret[4:]) || strings.Contains(page, "annika") || strings.Contains(page, "Acme") || strings.Contains(page, "zxcvbn12") {
			t.Error("a secret is in the page")
		}
		for kind, words := range map[redact.Kind]string{redact.Key: "%d keys or tokens", redact.User: "%d user name in a path", redact.Word: "%d given word"} {
			if want := fmt.Sprintf(words, r.Redacted[kind]); r.Redacted[kind] == 0 || !strings.Contains(page, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if !compacted && r.Redacted[redact.Password] != 3 {
			t.Errorf("passwords: %v", r.Redacted)
		}
		o.Unredacted = true
		page, r = write(t, l, o)
		if !strings.Contains(page, secret) || !strings.Contains(page, "Not redacted") || r.Redacted.All() != 0 {
			t.Error("redacted although it was not to be", r)
		}
	}
}

// What a model does not see is counted in what it sees, at the end too.
func TestGaps(t *testing.T) {
	t.Parallel()
	l := logtest.Talk(t, "t", "u one", "a aardvark", "t", "u two", "k badger", "a zebra")
	for _, c := range []tenfold.Compaction{{FromTurn: 0, ToTurn: 0, Turns: tenfold.Omit}, {FromTurn: 1, ToTurn: 1, Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Entries: map[int64]tenfold.TextTrim{7: {Action: tenfold.Omit}}}}} {
		if _, err := l.Append(tenfold.Entry{Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
	page, _ := write(t, l, htmlexport.Options{ID: "c1", Compacted: true})
	first, rest, _ := strings.Cut(page, "<h2>Turn 1</h2>")
	if strings.Count(first, `<p class="gap">× 2 entries, `) != 1 || strings.Count(rest, `<p class="gap">× `) != 1 || !strings.Contains(rest[strings.Index(rest, "badger"):], `<p class="gap">× 1 entry, `) ||
		strings.Contains(page, "aardvark") || strings.Contains(page, "zebra") {
		t.Error(page[strings.Index(page, "<h2>Turn 0"):])
	}
}

// The note of a view that begins with a summary is a part of that to a model, and one line of the page.
func TestTheNoteStandsOnce(t *testing.T) {
	t.Parallel()
	l := logtest.Talk(t, "t", "u one", "a aardvark", "t", "u two", "c 1 Read {}", "r 1 "+strings.Repeat("a line of the result\n", 50), "a done")
	if _, err := l.Append(
		tenfold.Entry{ID: "strip", Payload: tenfold.Compaction{FromTurn: 1, ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}},
		tenfold.Entry{ID: "sum", Payload: tenfold.Compaction{Summary: &tenfold.Summary{Text: "It was summarised.", Placement: tenfold.PlaceUser}}},
	); err != nil {
		t.Fatal(err)
	}
	page, _ := write(t, l, htmlexport.Options{})
	_, shown, _ := strings.Cut(page, "</header>")
	if n := strings.Count(shown, "Earlier parts are shortened"); n != 2 { // in its line, and open
		t.Errorf("the note stands %d times", n)
	}
}

// A saving that is under a percent is said as the command line says it, not as none: in the
// facts, and in the picture.
func TestASmallSavingIsNoNaught(t *testing.T) {
	t.Parallel()
	l := logtest.Talk(t, "t", "u one", "k badger", "a "+strings.Repeat("a word of the answer ", 200))
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}}); err != nil {
		t.Fatal(err)
	}
	page, _ := write(t, l, htmlexport.Options{})
	if strings.Count(page, "under 1 % smaller") != 2 {
		t.Error(page[strings.Index(page, "<dl>"):])
	}
}

// A text that is too long is cut, at a character, and the page says so.
func TestCut(t *testing.T) {
	t.Parallel()
	l := logtest.Talk(t, "t", "u read", "a "+strings.Repeat("é\n", htmlexport.LongestText/2))
	page, r := write(t, l, htmlexport.Options{ID: "c1"})
	if r.Cut != 1 || !strings.Contains(page, "1 text is cut at 256 KB") || !strings.Contains(page, " bytes more are not in this file") || len(page) > 2*htmlexport.LongestText {
		t.Errorf("%v, %d bytes", r, len(page))
	}
}

// An error of the writer is told, and nothing is written any more.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	r.CloseWithError(io.ErrClosedPipe)
	if _, err := htmlexport.Write(w, tenfold.Project(small(t)), htmlexport.Options{ID: "c1"}); err == nil {
		t.Error("no error")
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Long(n)...); err != nil {
			b.Fatal(err)
		}
		view := tenfold.Project(l)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			size := new(counter)
			for b.Loop() {
				*size = 0
				if _, err := htmlexport.Write(size, view, htmlexport.Options{ID: "c1"}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(*size)/float64(n), "B/entry")
		})
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// Two sub-agents may use an id at once; each result is of the call of its branch.
func TestResultsOfOneID(t *testing.T) {
	l := tenfold.NewLog()
	for _, e := range []tenfold.Entry{
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
		{Branch: "a", Payload: tenfold.ToolCall{CallID: "1", Name: "oven", Arguments: "{}"}},
		{Branch: "b", Payload: tenfold.ToolCall{CallID: "1", Name: "tap", Arguments: "{}"}},
		{Branch: "a", Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("hot")}},
		{Branch: "b", Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("wet")}},
	} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	page, _ := write(t, l, htmlexport.Options{})
	for _, want := range []string{"<i>oven</i> hot", "<i>tap</i> wet"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
