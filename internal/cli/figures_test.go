package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
)

// reported writes a session of so many turns in our own format, whose provider
// counts percent tokens for 100 estimated ones and 18,000 more in each request; 0
// for one that reported nothing.
func reported(t *testing.T, turns, percent int) string {
	t.Helper()
	lines := []byte(`{"tenfold":1,"conversation":{"id":"reported","title":"t","created":"2026-01-02T15:04:05Z"}}` + "\n")
	n, seen := 0, 0
	add := func(tokens int, payload tenfold.Payload) {
		n++
		var err error
		if lines, err = tenfold.AppendEntry(lines, tenfold.Entry{Seq: int64(n), ID: "e" + strconv.Itoa(n), Tokens: tokens, Payload: payload}); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, '\n')
		seen += tokens
	}
	for i := range turns {
		add(0, tenfold.TurnStart{})
		add(100, tenfold.UserMessage{Parts: tenfold.Text("do number " + strconv.Itoa(i))})
		for range 3 {
			prompt, id := 18_000+seen*percent/100, "c"+strconv.Itoa(n)
			add(50, tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"cat file` + strconv.Itoa(i) + `"}`})
			if percent > 0 {
				add(0, tenfold.Usage{Model: "claude-opus-4-8", CacheRead: prompt, Output: 70})
			}
			add(1000, tenfold.ToolResult{CallID: id, Parts: tenfold.Text("line of text\nand another\n")})
		}
		add(40, tenfold.AssistantMessage{Text: "done"})
	}
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// T3: reports are in the provider's tokens where the log says how it counts, add
// up, and say so; the tail to keep and a target are in the same.
func TestT3ReportsAreCalibrated(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(t.TempDir(), "t.db"))
	tell := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		var told strings.Builder
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &told}
		if code := Run(t.Context(), args, term); code != command.ExitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, told.String())
		}
		return out.String()
	}
	const turns, percent, each = 20, 140, 3290 // estimated tokens a turn
	path := reported(t, turns, percent)

	var r struct {
		Tokens struct {
			Before, After int
			Method        string
			Ratio         float64
			Outside       int
		}
		Spans []struct {
			FromTurn     int `json:"from_turn"`
			Fate         string
			TokensBefore int `json:"tokens_before"`
			TokensAfter  int `json:"tokens_after"`
		}
		Steps []struct {
			TokensBefore int `json:"tokens_before"`
			TokensAfter  int `json:"tokens_after"`
		}
	}
	if err := json.Unmarshal([]byte(tell("compact", path, "--json", "--keep", "20k")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Tokens.Before != turns*each*percent/100 || r.Tokens.Method != "calibrated" || r.Tokens.Ratio != 1.4 || r.Tokens.Outside != 18_000 {
		t.Errorf("%+v", r.Tokens)
	}
	before, after, kept := 0, 0, 0
	for _, s := range r.Spans {
		before, after = before+s.TokensBefore, after+s.TokensAfter
		if s.Fate == "kept" {
			kept += s.TokensAfter
		}
	}
	if before != r.Tokens.Before || after != r.Tokens.After {
		t.Errorf("spans add up to %d → %d of %+v", before, after, r.Tokens)
	}
	if last := r.Steps[len(r.Steps)-1].TokensAfter; r.Steps[0].TokensBefore != before || last != after {
		t.Errorf("steps go from %d to %d of %d → %d", r.Steps[0].TokensBefore, last, before, after)
	}
	// 20k of the provider's tokens, of which a step of 1,470 may be left out.
	if kept > 20_000 || kept < 18_000 {
		t.Errorf("%d tokens are kept of 20k", kept)
	}

	// A target is in them too, met or missed.
	var fitted struct {
		Tokens struct{ After int }
		Target struct {
			Tokens, Now, After, Always int
			Met                        bool
			AlwaysBy                   []struct{ Tokens int } `json:"always_by"`
		}
	}
	if err := json.Unmarshal([]byte(tell("compact", path, "--json", "--dry-run", "--target", "30k")), &fitted); err != nil {
		t.Fatal(err)
	}
	f, always := fitted.Target, 0
	for _, s := range f.AlwaysBy {
		always += s.Tokens
	}
	if f.Tokens != 30_000 || f.Now != 92_120 || !f.Met || f.After > 30_000 || f.After < 27_600 || f.After != fitted.Tokens.After || f.Always != always {
		t.Errorf("%+v", fitted)
	}

	text := tell("compact", path, "--keep", "20k")
	for _, want := range []string{
		`(?m)^Total +92,120 → [\d,]+ tokens`, `(?m)^Figures    calibrated \(1\.40 × o200k\)$`,
		`(?m)^Outside    about 18,000 more tokens in each request, such as the system prompt and tools$`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the report does not match %s:\n%s", want, text)
		}
	}
	for _, shown := range []struct {
		args []string
		want string
	}{
		{[]string{"c", "show"}, "calibrated (1.40 × o200k)"},
		{[]string{"c", "show"}, "92,120 → "},
		{[]string{"c", "diff"}, "calibrated (1.40 × o200k)"},
		{[]string{"c", "undo"}, "→ 92,120 tokens"},
	} {
		if text := tell(shown.args...); !strings.Contains(text, shown.want) {
			t.Errorf("%v does not say %q:\n%s", shown.args, shown.want, text)
		}
	}
	if text := tell("c", "diff", "--json"); !strings.Contains(text, `"tokens_before":1400,"tokens_after":1400`) {
		t.Errorf("diff --json is not calibrated:\n%s", text)
	}
	var summed struct {
		Compactions []struct{ Summary struct{ Tokens int } }
	}
	if err := json.Unmarshal([]byte(tell("compact", path, "--json", "--keep", "0", "--strategy", "summarize")), &summed); err != nil {
		t.Fatal(err)
	}
	if c := summed.Compactions; len(c) != 1 || c[0].Summary.Tokens != turns*each*percent/100 {
		t.Errorf("of %d tokens the summary stands for %+v", turns*each*percent/100, c)
	}
	// The kinds add up to all that a model sees, the summary included.
	var described struct {
		Tokens struct{ Before, After int }
		Usage  struct {
			Kinds []struct {
				Before int `json:"tokens_before"`
				After  int `json:"tokens_after"`
			}
		}
	}
	if err := json.Unmarshal([]byte(tell("c", "show", "--json")), &described); err != nil {
		t.Fatal(err)
	}
	before, after = 0, 0
	for _, kind := range described.Usage.Kinds {
		before, after = before+kind.Before, after+kind.After
	}
	if before != described.Tokens.Before || after != described.Tokens.After || after == 0 {
		t.Errorf("the kinds add up to %d → %d: %+v", before, after, described)
	}
	text = tell("compact", reported(t, turns, 0), "--dry-run")
	for _, want := range []string{number.Thousands(turns*each) + " → ", "Figures    estimate (o200k)"} {
		if !strings.Contains(text, want) || strings.Contains(text, "Outside") {
			t.Errorf("without usage records, the report does not say %q:\n%s", want, text)
		}
	}
}
