package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tenfold/containment"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
)

// childEnv has the test binary be tenfold.
const childEnv = "TENFOLD_CLI_TEST_CHILD"

func TestMain(m *testing.M) {
	containment.Enter()
	if os.Getenv(childEnv) != "" {
		os.Exit(Main())
	}
	os.Exit(m.Run())
}

// TestExample runs the first command of the README on the session that comes
// with the repository.
func TestExample(t *testing.T) {
	const session = "../../examples/session.jsonl"
	t.Setenv("TENFOLD_STORE", "memory:")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out, errs bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}
	if code := Run(t.Context(), []string{"compact", session}, term); code != command.ExitOK {
		t.Fatalf("the exit code is %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "% smaller)") {
		t.Errorf("the report is\n%s", out.String())
	}
}

// T3: what is exported for people tells the sizes that the report tells.
func TestT3ExportsTellTheSizesOfTheReport(t *testing.T) {
	t.Setenv("TENFOLD_STORE", "memory:")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out, errs bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}
	file := filepath.Join(t.TempDir(), "out")
	if code := Run(t.Context(), []string{"compact", "../../examples/session.jsonl", "--json", "--to", "markdown", "--out", file}, term); code != command.ExitOK {
		t.Fatalf("the exit code is %d: %s", code, errs.String())
	}
	made := result[struct{ Tokens struct{ Before, After int } }](t, out.String()).Tokens
	want := fmt.Sprintf("| Tokens | %s, calibrated |\n| Tokens after compaction | %s |", number.Thousands(made.Before), number.Thousands(made.After))
	if text, err := os.ReadFile(file); err != nil || made.After == 0 || !strings.Contains(string(text), want) {
		t.Errorf("the export does not tell %q (%v): it begins %.2000s", want, err, text)
	}
}

// TestNarrow shows the report on a narrow terminal with colour: what does not
// fit goes to lines of its own, and nothing is wider than the terminal.
func TestNarrow(t *testing.T) {
	t.Setenv("TENFOLD_STORE", "memory:")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	show := func(width int, coloured bool) string {
		var out bytes.Buffer
		term := &terminal.Terminal{
			In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: io.Discard,
			OutTTY: true, OutColour: coloured, Width: width,
		}
		if code := Run(t.Context(), []string{"compact", "testdata/bakery.jsonl"}, term); code != command.ExitOK {
			t.Fatalf("the exit code is %d", code)
		}
		return out.String()
	}
	const want = `Compacted  turns 0..2    613 → 148 tokens
           reasoning, tools
           (15 entries: 3 omitted, 3 stripped)
Kept       turns 3..5    596 → 522 tokens
           reasoning
           (15 entries: 3 omitted)
Total                  1,209 → 670 tokens
           (44 % smaller)
Figures    estimate (o200k)
`
	if got := show(50, false); got != want {
		t.Errorf("the report is\n%s, want\n%s", got, want)
	}
	if got := show(50, true); ansi.Strip(got) != want || got == want {
		t.Errorf("in colour the report is\n%q", got)
	}
}

func TestJoinFrom(t *testing.T) {
	root := Root(&command.App{Terminal: &terminal.Terminal{}})
	for _, tt := range []struct{ in, want string }{
		{"compact --from 5 a", "compact --from=5 a"},
		{"compact --from -3 a", "compact --from=-3 a"},
		{"compact --from 2d a", "compact --from=2d a"},
		{"compact --from 3..5 a", "compact --from=3..5 a"},
		{"compact --from -99999999999999999999", "compact --from=-99999999999999999999"},
		{"compact --from a.jsonl", "compact --from a.jsonl"},
		{"compact --from 019ed836-b1da", "compact --from 019ed836-b1da"},
		{"compact --from - --from ..", "compact --from - --from .."},
		{"compact --from --to 3", "compact --from --to 3"},
		{"compact a --from", "compact a --from"},
		{"compact --from=5 a", "compact --from=5 a"},
		{"compact -- --from 5", "compact -- --from 5"},
		{"__complete c compact --from 5 ", "__complete c compact --from=5 "},
		{"--store memory: run claude --from 5", "--store memory: run claude --from 5"}, // the client's own
	} {
		if got := joinFrom(root, strings.Fields(tt.in)); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s becomes %s, want %s", tt.in, strings.Join(got, " "), tt.want)
		}
	}
}

// result reads what a command prints with --json.
func result[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// lines reads what a command prints with --json, an object a line.
func lines[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for line := range strings.Lines(text) {
		all = append(all, result[T](t, line))
	}
	return all
}
