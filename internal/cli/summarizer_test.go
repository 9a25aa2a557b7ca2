package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/strategy"
)

// scripted is a summarizer that gives what it is told to, and keeps what it
// was asked.
type scripted struct {
	result strategy.SummaryResult
	err    error
	asked  []strategy.SummaryRequest
}

func (s *scripted) Summarize(_ context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	s.asked = append(s.asked, r)
	return s.result, s.err
}

// quoted is one that costs something.
type quoted struct{ scripted }

func (*quoted) Quote(strategy.SummaryRequest) strategy.Quote {
	return strategy.Quote{Model: "big", Input: 1200}
}

// runWith runs a command line with a summarizer and with answers typed in, and
// gives what it wrote.
func runWith(t *testing.T, s strategy.Summarizer, typed string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &command.App{Now: time.Now, Summarizer: s, Terminal: &terminal.Terminal{
		In: strings.NewReader(typed), Out: bufio.NewWriter(&stdout), Err: &stderr, InTTY: typed != "",
	}}
	code = Execute(t.Context(), a, args)
	return code, stdout.String(), stderr.String()
}

// TestSummarizer proves the way from the command line to whoever writes
// summaries, and back.
func TestSummarizer(t *testing.T) {
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(t.TempDir(), "t.db"))
	good := strategy.SummaryResult{Text: "Bread was baked.", Model: "m"}
	if code, _, errs := runWith(t, nil, "", "c", "import", "testdata/bakery.jsonl"); code != command.ExitOK {
		t.Fatal(errs)
	}
	compact := func(s strategy.Summarizer, typed string, args ...string) (int, string, string) {
		t.Helper()
		return runWith(t, s, typed, append([]string{"c", "compact", "--strategy", "summarize", "--to", "2"}, args...)...)
	}
	stored := func() bool {
		t.Helper()
		_, out, _ := runWith(t, nil, "", "c", "print", "--compacted")
		return strings.Contains(out, "Bread was baked.")
	}

	s := &scripted{result: good}
	code, out, errs := compact(s, "", "--focus", "paths")
	if code != command.ExitOK || len(s.asked) != 1 || s.asked[0].Focus != "paths" || s.asked[0].Range.String() != "0..2" || !stored() {
		t.Fatalf("%d %+v %s%s", code, s.asked, out, errs)
	}
	if _, out, _ = runWith(t, nil, "", "c", "show", "--json"); !strings.Contains(out, `"strategy":"summarize"`) {
		t.Error(out)
	}
	runWith(t, nil, "", "c", "undo")

	for _, tt := range []struct {
		name   string
		by     strategy.Summarizer
		typed  string
		args   []string
		code   int
		says   string // on either stream
		stored bool
	}{
		{"accepted", &scripted{result: good}, "a\n", []string{"--review"}, command.ExitOK, "Summary of turns 0..2:\n\n  Bread was baked.\n", true},
		{"dropped", &scripted{result: good}, "d\n", []string{"--review"}, command.ExitOK, "dropped in the review", false},
		{"nobody answers", &scripted{result: good}, " ", []string{"--review"}, command.ExitOK, "dropped in the review", false},
		{"taken as it is", &scripted{result: good}, "", []string{"--review", "--yes"}, command.ExitOK, "Bread was baked.", true},
		{"forked", &scripted{result: good}, "a\n", []string{"--review", "--fork"}, command.ExitOK, "created conversation", true},
		{"cut off", &scripted{result: strategy.SummaryResult{Text: "Bread", CutOff: true}}, "a\n", []string{"--review"}, command.ExitFailed, "cut off at the token limit", false},
		{"declined", &scripted{result: strategy.SummaryResult{Declined: true}}, "", nil, command.ExitFailed, "the model declined to write it", false},
		{"fails", &scripted{err: errors.New("no line to the kitchen")}, "", nil, command.ExitFailed, "no line to the kitchen", false},
		{"told and not asked", &quoted{scripted{result: good}}, "", []string{"--dry-run"}, command.ExitOK, "would be summarised by big, 1,200 tokens in", false},
		{"fails, with target", &scripted{result: strategy.SummaryResult{Declined: true}}, "", []string{"--target", "500"}, command.ExitOK, "without a summary: ", false},
	} {
		code, out, errs := compact(tt.by, tt.typed, tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.says) || stored() != tt.stored {
			t.Errorf("%s: %d, stored %v\n%s%s", tt.name, code, stored(), out, errs)
		}
		if tt.name == "forked" {
			runWith(t, nil, "", "c", "use", "7d1f6a30-bakery")
		}
		runWith(t, nil, "", "c", "undo", "--all")
	}
}

// What the person made of a summary is what is stored, and is judged again.
func TestReviewEdits(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell to be the editor")
	}
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	t.Setenv("VISUAL", "")
	runWith(t, nil, "", "c", "import", "testdata/bakery.jsonl")
	s := &scripted{result: strategy.SummaryResult{Text: "Bread was baked.", Model: "m"}}
	for edit, want := range map[string]string{
		"echo Rolls were baked. >":   "  Rolls were baked.\n",
		"printf 'One\\n\\nTwo\\n' >": "  One\n\n  Two\n",
		":":                          "  Bread was baked.\n",
	} {
		script := filepath.Join(dir, "edit.sh")
		if err := os.WriteFile(script, []byte(edit+` "$1"`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("EDITOR", "sh "+script)
		code, out, errs := runWith(t, s, "e\n", "c", "compact", "--strategy", "summarize", "--to", "3", "--review")
		if code != command.ExitOK {
			t.Fatalf("%d %s%s", code, out, errs)
		}
		if _, out, _ = runWith(t, nil, "", "c", "print", "--compacted"); !strings.Contains(out, want) {
			t.Errorf("edited by %s:\n%s", edit, out)
		}
		runWith(t, nil, "", "c", "undo")
	}
	// Too long is too long, whoever wrote it (C6).
	t.Setenv("EDITOR", "cat testdata/bakery.jsonl testdata/bakery.jsonl >")
	code, out, errs := runWith(t, s, "e\n", "c", "compact", "--strategy", "summarize", "--to", "3", "--review")
	if code != command.ExitFailed || !strings.Contains(errs, "not smaller than what it hides") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
