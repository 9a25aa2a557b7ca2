package hook_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/store"
	"tenfold/token"
)

// build is the output of a build with a failure in the middle.
func build(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "compiled internal/pkg%d/file_%d.go in %d ms\n", i%17, i, i*7%31)
		if i == lines/2 {
			b.WriteString("--- FAIL: TestOrders (0.03s)\n    orders_test.go:117: got 3, want 4\n")
		}
	}
	return b.String() + "exit status 1\n"
}

// limited has results over so many tokens shortened.
func limited(h *hook.Host, over string) {
	h.Configure = func(dir string) (*config.Effective, error) {
		l, err := config.Read(config.Sources{Dir: dir, Flags: []string{"conversation.compaction.hook.trim_over=" + over}})
		if err != nil {
			return nil, err
		}
		return l.With()
	}
}

// A result over the limit is shortened, what tells of a failure stays, and all of
// it is in the store (V3).
func TestV3ResultsAreTrimmedAtBirthAndKept(t *testing.T) {
	h, st := newHost(t)
	limited(h, "2k")
	born := hook.Born{Session: "a/b c", Call: "toolu_1", Tool: "Bash", Arguments: `{"command":"make"}`, Text: build(3000), IsError: true}
	got, err := h.Trim(t.Context(), born)
	if err != nil || got == nil {
		t.Fatalf("it is %+v, %v", got, err)
	}
	if n := token.O200k().Count(got.Text); n > 2000 || n != got.After || n < 1000 || got.Before != token.O200k().Count(born.Text) {
		t.Errorf("%d tokens, said to be %d → %d", n, got.Before, got.After)
	}
	if n := strings.Count(got.Text, "file_0.go in"); n != 1 {
		t.Errorf("the first line is there %d times", n)
	}
	for _, want := range []string{"compiled internal/pkg0/file_0.go in 0 ms\n", "--- FAIL: TestOrders (0.03s)\n    orders_test.go:117: got 3, want 4\n", "exit status 1", " lines left out …"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is not in\n%s", want, got.Text)
		}
	}
	s, err := must(h.Service(t.Context())).Open(t.Context(), "results-a-b-c")
	if err != nil || got.Conversation != s.ID() {
		t.Fatalf("the whole result is in %s: %v", got.Conversation, err)
	}
	e, _ := s.Log().Entry(got.Seq)
	if r, ok := e.Payload.(tenfold.ToolResult); !ok || r.Parts[0].Text != born.Text || !r.IsError {
		t.Errorf("entry %d is %+v", got.Seq, e)
	}
	if hits, err := st.Search(t.Context(), store.Query{Text: "pkg7/file_1401"}); err != nil || len(hits) != 1 {
		t.Errorf("search finds %v, %v", hits, err)
	}
	// The same again is stored once, and another result of a call of that id beside it.
	version := s.Log().Version()
	if again, err := h.Trim(t.Context(), born); err != nil || *again != *got {
		t.Errorf("again it is %+v, %v", again, err)
	}
	if err := s.Refresh(t.Context()); err != nil || s.Log().Version() != version {
		t.Errorf("the log grew to %d: %v", s.Log().Version(), err)
	}
	born.Text += "more"
	other, err := h.Trim(t.Context(), born)
	if err != nil || other == nil || other.Seq == got.Seq || s.Refresh(t.Context()) != nil {
		t.Fatalf("another result of the call is %+v, %v", other, err)
	}
	if e, _ := s.Log().Entry(other.Seq); e.Payload.(tenfold.ToolResult).Parts[0].Text != born.Text {
		t.Errorf("entry %d is %+v", other.Seq, e)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestV3ShortResultsStay(t *testing.T) {
	h, st := newHost(t)
	for name, c := range map[string]struct{ over, text string }{
		"short": {"2k", "ok"}, "just within": {"2k", strings.Repeat("word ", 1990)}, "off": {"off", build(3000)},
	} {
		limited(h, c.over)
		if got, err := h.Trim(t.Context(), hook.Born{Session: "s", Call: "c", Tool: "Bash", Text: c.text}); got != nil || err != nil {
			t.Errorf("%s: it is %+v, %v", name, got, err)
		}
	}
	for c := range st.Conversations(t.Context()) {
		t.Errorf("conversation %s was made", c.ID)
	}
}

// Whatever the text, what is left is within the limit.
func TestV3TheLimitHolds(t *testing.T) {
	h, _ := newHost(t)
	limited(h, "500")
	for name, text := range map[string]string{
		"one line":   strings.Repeat("abc def,", 5000),
		"failures":   strings.Repeat("error: it failed\n", 5000),
		"characters": strings.Repeat("漢字かな交じり文", 3000),
		"dense tail": strings.Repeat("plain words here\n", 2000) + strings.Repeat("0x9f3!@#$%^", 3000),
	} {
		got, err := h.Trim(t.Context(), hook.Born{Session: "s", Call: name, Tool: "Bash", Text: text})
		if err != nil || got == nil || got.After > 500 || token.O200k().Count(got.Text) > 500 {
			t.Errorf("%s: it is %+v, %v", name, got, err)
		}
	}
}

// Where the original cannot be stored, nothing is shortened (V3, V7).
func TestV3NothingIsTrimmedThatIsNotKept(t *testing.T) {
	h, st := newHost(t)
	limited(h, "500")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Trim(t.Context(), hook.Born{Session: "s", Call: "c", Tool: "Bash", Text: build(3000)}); got != nil || err == nil {
		t.Errorf("it is %+v, %v", got, err)
	}
}

// Room is not spent on failures that stand in the beginning anyway (V3).
func TestV3FailuresInTheMiddleStay(t *testing.T) {
	h, _ := newHost(t)
	limited(h, "700")
	plain := strings.Repeat("a plain line of the build, which says nothing of interest to anybody at all\n", 100)
	early := strings.Repeat("warning: an error early in the output, which is one of several just like it\n", 4)
	text := early + plain
	failures := []string{"FAIL one", "FAIL two", "FAIL three", "FAIL four", "FAIL five"}
	for _, f := range failures {
		text += f + " of the tests, which is a line that matters to whoever reads on\n" + plain
	}
	got, err := h.Trim(t.Context(), hook.Born{Session: "s", Call: "c", Tool: "Bash", Text: text})
	if err != nil || got == nil {
		t.Fatalf("it is %+v, %v", got, err)
	}
	for _, want := range failures {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is not in\n%s", want, got.Text)
		}
	}
}
