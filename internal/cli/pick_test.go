package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// pick runs "compact --dry-run" at a terminal of a width, with answers typed in,
// and gives what it wrote.
func pick(t *testing.T, width int, typed string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &command.App{Now: func() time.Time { return time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) }, Terminal: &terminal.Terminal{
		In: strings.NewReader(typed), Out: bufio.NewWriter(&stdout), Err: &stderr, InTTY: true, ErrTTY: true, ErrWidth: width,
	}}
	code = Execute(t.Context(), a, []string{"compact", "--dry-run"})
	return code, stdout.String(), stderr.String()
}

// manySessions makes a home with so many sessions of Claude Code, the first the
// newest.
func manySessions(t *testing.T, n int) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TENFOLD_STORE", "memory:")
	t.Setenv("XDG_CONFIG_HOME", home)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, "")
	}
	dir := filepath.Join(home, ".claude", "projects", "p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i)
		line := func(typ, uuid, parent, message string) string {
			return `{"type":"` + typ + `","uuid":"` + uuid + `","parentUuid":` + parent + `,"sessionId":"` + id + `","isSidechain":false,"cwd":"/srv/` +
				strings.Repeat("long/", 12) + `project` + fmt.Sprint(i) + `","timestamp":"2026-01-02T03:01:00.000Z","message":` + message + "}\n"
		}
		text := line("user", "u", "null", fmt.Sprintf(`{"role":"user","content":"Request %d \u001b[2Jof many"}`, i)) +
			line("assistant", "a", `"u"`, `{"id":"m","role":"assistant","model":"baker-1","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":41000,"cache_read_input_tokens":500,"output_tokens":7}}`)
		name := filepath.Join(dir, id+".jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC).Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// A list shows what tells sessions apart, the newest first; a number picks one,
// words search, Enter shows more, and q leaves.
func TestPick(t *testing.T) {
	manySessions(t, 20)
	code, out, errs := pick(t, 160, "2\n")
	if code != command.ExitOK || !strings.Contains(out, "Total") && !strings.Contains(out, "Nothing to compact") {
		t.Errorf("%d\n%s", code, out)
	}
	lines := strings.Split(errs, "\n")
	if want := " 1  12 days ago  claude-code  41,507 tokens  …"; !strings.HasPrefix(lines[0], want) ||
		!strings.HasSuffix(lines[0], `/project0  Request 0 \x1b[2Jof many`) {
		t.Errorf("the first line is %q", lines[0])
	}
	if strings.Contains(errs, "Request 15") || !strings.Contains(errs, "Enter for more, q to quit] ") {
		t.Errorf("%s", errs)
	}
	if !strings.Contains(errs, `session 00000001-0000-4000-8000-000000000000  Request 1 \x1b[2Jof many (claude-code, `) {
		t.Errorf("%s", errs)
	}
	if strings.Contains(errs, "\x1b[2J") { // progress of a slow machine has codes of its own
		t.Error("a session controls the terminal")
	}

	for _, tt := range []struct {
		typed string
		want  []string
		not   string
	}{
		{"\n3\n", []string{"Request 15", "session 00000017-", "Enter for all, q to quit] "}, ""},
		{"project18\n1\n", []string{"session 00000018-"}, "session 00000000-"},
		{"nothing says this\n\n1\n", []string{"No session says nothing says this.", "Search? [words, Enter for all, q to quit] ", "session 00000000-"}, ""},
		{"99\n0\n1\n", []string{"session 00000000-"}, ""},
		{"q\n", nil, "session 0"},
		{"", nil, "session 0"},
	} {
		code, out, errs := pick(t, 160, tt.typed)
		for _, want := range tt.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%q: no %q in\n%s", tt.typed, want, errs)
			}
		}
		if code != command.ExitOK || tt.not != "" && (strings.Contains(errs, tt.not) || len(tt.want) == 0 && out != "") {
			t.Errorf("%q: %d, %s\n%s", tt.typed, code, out, errs)
		}
	}
}

// On a narrow terminal no line of the list is too wide.
func TestPickNarrow(t *testing.T) {
	manySessions(t, 3)
	for _, width := range []int{40, 80} {
		_, _, errs := pick(t, width, "q\n")
		list, _, _ := strings.Cut(errs, "Compact which one?")
		for line := range strings.Lines(list) {
			if ansi.StringWidth(strings.TrimRight(line, "\n")) > width {
				t.Errorf("at %d: %q", width, line)
			}
		}
		if !strings.Contains(list, "Request 2") || !strings.Contains(list, "project2") {
			t.Errorf("at %d:\n%s", width, list)
		}
	}
}

// Where there are no sessions the list says so.
func TestPickNone(t *testing.T) {
	manySessions(t, 0)
	code, _, errs := pick(t, 80, "q\n")
	if code != command.ExitFailed || !strings.Contains(errs, "error: find a session: none on this machine among those of claude-code") {
		t.Errorf("%d\n%s", code, errs)
	}
}
