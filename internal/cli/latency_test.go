package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/cli/live"
	"tenfold/internal/corpustest"
	"tenfold/internal/hook"
	"tenfold/internal/logtest"
	"tenfold/transcript"
)

// TestHookLatency prints how long a real process takes to answer Claude Code's
// compaction, from its start to its end: the table of docs/live.md. It takes minutes,
// and its figures mean something only on a machine with nothing else to do.
func TestHookLatency(t *testing.T) {
	if os.Getenv("TENFOLD_TEST_ALL") == "" {
		t.Skip("measures for minutes; set TENFOLD_TEST_ALL=1")
	}
	if !slices.ContainsFunc(live.Clients(), func(c hook.Client) bool { return c.About().Name == "claude-code" }) {
		t.Skip("Claude Code is not among the clients")
	}
	bin := filepath.Join(t.TempDir(), "tenfold")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "tenfold/cmd/tenfold").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const runs = 30
	var table strings.Builder
	table.WriteString("| conversation | in the store | p50 | p99 | processor time, p50 |\n|---|---|---|---|---|\n")
	sessions := []*timed{made(t, bin, 50_000), made(t, bin, 200_000), made(t, bin, 1_000_000)}
	if corpustest.Dir() != "" {
		sessions = append(sessions, recorded(t, bin, 1_500_000), recorded(t, bin, 4_000_000))
	}
	for _, c := range sessions {
		for _, known := range []bool{false, true} {
			var wall, cpu []time.Duration
			for range runs {
				w, p := c.compact(known)
				wall, cpu = append(wall, w), append(cpu, p)
			}
			slices.Sort(wall)
			slices.Sort(cpu)
			fmt.Fprintf(&table, "| %s, %d messages | %s | %d ms | %d ms | %d ms |\n", c.about, c.messages, map[bool]string{false: "no", true: "all but the last messages"}[known],
				wall[runs/2].Milliseconds(), wall[runs*99/100].Milliseconds(), cpu[runs/2].Milliseconds())
		}
	}
	t.Logf("%d runs each\n%s", runs, &table)
}

// timed is a session of Claude Code to compact again and again.
type timed struct {
	*testing.T
	bin, file string
	event     []byte
	about     string
	messages  int
	store     []byte // that has all but the last messages
}

// made is a session of about so many tokens, 48 in each message and result.
func made(t *testing.T, bin string, tokens int) *timed {
	t.Helper()
	const perEntry = 48
	l := tenfold.NewLog()
	if _, err := l.Append(logtest.Long(tokens / perEntry)...); err != nil {
		t.Fatal(err)
	}
	const id = "0b0e1c1e-0000-4000-8000-000000000001"
	var b bytes.Buffer
	view := transcript.View{Conversation: transcript.Conversation{ID: id, Named: true}, Projection: tenfold.Project(l)}
	if _, err := transcript.Export(&b, transcript.ClaudeCode, view); err != nil {
		t.Fatal(err)
	}
	return newTimed(t, bin, fmt.Sprintf("%dk tokens, made", tokens/1000), id, b.Bytes())
}

// recorded is the smallest session of the corpus that has so many bytes.
func recorded(t *testing.T, bin string, least int64) *timed {
	t.Helper()
	var best corpustest.File
	for _, f := range corpustest.Files(t) {
		if f.Format == string(transcript.ClaudeCode) && f.Conversations == 1 && f.Bytes >= least && (best.Path == "" || f.Bytes < best.Bytes) {
			best = f
		}
	}
	text, err := os.ReadFile(best.Path)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSuffix(filepath.Base(best.Path), ".jsonl")
	return newTimed(t, bin, fmt.Sprintf("recorded, %.1f MB", float64(len(text))/1e6), id, text)
}

// newTimed writes a session, the event that asks for its compaction, and a store
// that has most of it.
func newTimed(t *testing.T, bin, about, id string, text []byte) *timed {
	t.Helper()
	c := &timed{T: t, bin: bin, file: filepath.Join(t.TempDir(), id+".jsonl"), about: about}
	lines := slices.Collect(bytes.Lines(text))
	c.write(lines[:len(lines)-20])
	data := t.TempDir()
	c.run(data, nil, "conversation", "import", c.file)
	var err error
	if c.store, err = os.ReadFile(filepath.Join(data, "tenfold", "tenfold.db")); err != nil {
		t.Fatal(err)
	}
	c.write(lines)
	c.event, c.messages = event(t, c.file, id, lines)
	return c
}

func (c *timed) write(lines [][]byte) {
	c.Helper()
	if err := os.WriteFile(c.file, bytes.Join(lines, nil), 0o600); err != nil {
		c.Fatal(err)
	}
}

// event is what the adapter sends, a row for each message, and how many there are.
func event(t *testing.T, file, id string, lines [][]byte) (_ []byte, messages int) {
	t.Helper()
	type row struct {
		Handle  string   `json:"h"`
		Role    string   `json:"r"`
		Text    string   `json:"t"`
		Length  int      `json:"n"`
		Results []string `json:"d,omitempty"`
	}
	var rows []row
	for _, text := range lines {
		var l struct {
			Type, UUID string
			Message    struct {
				Role    string
				Content jsontext.Value
			}
		}
		if err := json.Unmarshal(text, &l, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if l.Message.Role == "" {
			continue
		}
		r := row{Handle: l.UUID, Role: l.Message.Role, Length: len(l.Message.Content)}
		var blocks []struct {
			Type    string
			Text    string
			Call    string `json:"tool_use_id"`
			Content jsontext.Value
		}
		if json.Unmarshal(l.Message.Content, &r.Text) != nil && json.Unmarshal(l.Message.Content, &blocks, json.MatchCaseInsensitiveNames(true)) == nil {
			for _, b := range blocks {
				r.Text += b.Text
				if b.Call != "" {
					r.Results = append(r.Results, b.Call)
					_ = json.Unmarshal(b.Content, &r.Text)
				}
			}
		}
		r.Text = strings.ToValidUTF8(r.Text[:min(len(r.Text), 200)], "")
		rows = append(rows, r)
	}
	out, err := json.Marshal(map[string]any{
		"version": "2.1.332", "session": id, "transcript": file, "dir": filepath.Dir(file), "trigger": "manual", "window": 200_000, "rows": rows,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, len(rows)
}

// compact times one answer.
func (c *timed) compact(known bool) (wall, cpu time.Duration) {
	c.Helper()
	data, err := os.MkdirTemp(c.TempDir(), "run")
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(data) }()
	if known {
		if err := os.MkdirAll(filepath.Join(data, "tenfold"), 0o700); err != nil {
			c.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, "tenfold", "tenfold.db"), c.store, 0o600); err != nil {
			c.Fatal(err)
		}
	}
	out, wall, cpu := c.run(data, c.event, "hook", "claude-code", "session.compact")
	if !strings.Contains(out, `"messages":[`) {
		failures, _ := os.ReadFile(filepath.Join(data, "tenfold", "failures.jsonl"))
		c.Fatalf("the answer is %.300s\n%s", out, failures)
	}
	return wall, cpu
}

func (c *timed) run(data string, in []byte, args ...string) (out string, wall, cpu time.Duration) {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), c.bin, args...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+data, "XDG_CONFIG_HOME="+data, "TENFOLD_STORE=")
	cmd.Stdin = bytes.NewReader(in)
	began := time.Now()
	text, err := cmd.Output()
	wall = time.Since(began)
	if err != nil {
		c.Fatalf("%v: %v", args, err)
	}
	return string(text), wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
