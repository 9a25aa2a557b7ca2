package eventlog_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/eventlog"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/problem"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// one of each event, with what is written of it.
func events() map[string]struct {
	event agent.Event
	want  string
} {
	type pair = struct {
		event agent.Event
		want  string
	}
	dollars := agent.Gauge{Tokens: 90, Window: 200, Method: "reported", Spent: tenfold.Usage{Input: 80, Output: 10}, Dollars: new(0.25), Compactions: 2}
	return map[string]pair{
		"Text":      {agent.Event{Text: "a\x1b\n"}, `{"event":"text","text":"a\u001b\n"}`},
		"Reasoning": {agent.Event{Branch: "root.task1", Reasoning: "hm"}, `{"event":"reasoning","branch":"root.task1","text":"hm"}`},
		"Appended": {
			agent.Event{Appended: &tenfold.Entry{Seq: 4, ID: "e4", Payload: tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c1", Reason: "no"}}},
			`{"event":"entry","entry":{"seq":4,"id":"e4","kind":"approval","state":"denied","call_id":"c1","reason":"no"}}`,
		},
		"Others": {
			agent.Event{Appended: &tenfold.Entry{Seq: 4, ID: "e4", Payload: tenfold.AssistantMessage{Text: "a"}}, Others: true},
			`{"event":"entry","entry":{"seq":4,"id":"e4","kind":"assistant_message","text":"a"},"others":true}`,
		},
		"Running": {
			agent.Event{Running: &agent.Running{Call: tenfold.ToolCall{CallID: "c1", Name: "shell"}, Intent: toolbox.Intent{Effect: toolbox.Commands, Subject: "go test"}, Contained: true}},
			`{"event":"running","call_id":"c1","tool":"shell","effect":"commands","subject":"go test","contained":true}`,
		},
		"Output":  {agent.Event{Output: &agent.Output{CallID: "c1", Text: "ok\n"}}, `{"event":"output","call_id":"c1","text":"ok\n"}`},
		"Waiting": {agent.Event{Waiting: &agent.Waiting{Attempt: 1, After: 2500 * time.Millisecond, Err: errors.New("busy")}}, `{"event":"waiting","attempt":1,"seconds":2.5,"error":"busy"}`},
		"Compaction": {
			agent.Event{Compaction: &session.Decision{
				Action: session.Compacted, State: session.Ready, By: session.ByPerson, Reason: "asked", Problem: &problem.Error{Hint: "go on"},
				Result: session.Result{Overlays: []tenfold.Overlay{{ID: "cmp_1"}}, Plan: strategy.Plan{Before: 9, After: 3}},
			}},
			`{"event":"compaction","action":"compacted","state":"ready","by":"user","reason":"asked","hint":"go on","tokens":{"before":9,"after":3},"overlays":["cmp_1"]}`,
		},
		"Gauge": {agent.Event{Gauge: &dollars}, `{"event":"context","tokens":90,"window":200,"method":"reported","usage":{"input":80,"output":10},"dollars":0.25,"compactions":2}`},
		"Stop":  {agent.Event{Stop: &agent.Stop{Reason: agent.Limited, Detail: "3 steps", Steps: 3}}, `{"event":"stop","reason":"limit","detail":"3 steps","steps":3}`},
	}
}

// Each kind of event has a form, so that a new one cannot be forgotten here.
func TestEveryEventHasAForm(t *testing.T) {
	all := events()
	kinds := reflect.TypeFor[agent.Event]()
	for i := range kinds.NumField() {
		name := kinds.Field(i).Name
		if name == "Branch" {
			continue
		}
		one, ok := all[name]
		if !ok {
			t.Errorf("no test of the event %s: give it a form in Append", name)
			continue
		}
		line, err := eventlog.Append([]byte("x"), one.event)
		if err != nil || string(line) != "x"+one.want {
			t.Errorf("%s: %v\n%s, want\nx%s", name, err, line, one.want)
		}
	}
	if line, err := eventlog.Append(nil, agent.Event{Branch: "root"}); err == nil {
		t.Errorf("an event that says nothing is %s", line)
	}
	if line, err := eventlog.Append(nil, agent.Event{Gauge: &agent.Gauge{}}); err != nil || !strings.Contains(string(line), `"dollars":null`) {
		t.Errorf("what is not priced is %s %v", line, err)
	}
}

var clock = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func open(tb testing.TB, path string, log *tenfold.Log) (*eventlog.File, int64) {
	tb.Helper()
	f, torn, err := eventlog.Open(path, "c1", log, clock)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	return f, torn
}

func read(tb testing.TB, path string) []string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if len(data) == 0 || data[len(data)-1] != '\n' {
		tb.Errorf("the file ends in the middle of a line: %q", data[max(0, len(data)-60):])
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// The file holds all events but deltas, in order, for its owner alone.
func TestTranscriptFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "of", "it.jsonl")
	f, torn := open(t, path, tenfold.NewLog())
	want := []string{`{"time":"2026-01-02T03:04:05Z","event":"opened","conversation":"c1","version":0}`}
	all := events()
	for _, name := range []string{"Text", "Running", "Output", "Appended", "Reasoning", "Compaction", "Waiting", "Gauge", "Stop"} {
		if err := f.Observe(all[name].event); err != nil {
			t.Fatal(err)
		}
		if name != "Text" && name != "Reasoning" {
			want = append(want, `{"time":"2026-01-02T03:04:05Z",`+all[name].want[1:])
		}
	}
	if got := read(t, path); torn != 0 || !slices.Equal(got, want) {
		t.Errorf("the file is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, mode)
		}
	}
	if err := f.Observe(agent.Event{}); err == nil {
		t.Error("an event that says nothing was written")
	}
}

// L10: a line that a crash tore is dropped, whatever is left of it, and entries
// that the log has and the file lacks are written when it is opened again.
func TestL10TornTranscript(t *testing.T) {
	log := tenfold.NewLog()
	for _, id := range []string{"e1", "e2", "e3"} {
		if _, err := log.Append(tenfold.Entry{ID: id, Payload: tenfold.AssistantMessage{Text: id + strings.Repeat("ü", 40_000)}}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "it.jsonl")
	f, _ := open(t, path, tenfold.NewLog())
	for e := range log.Entries() {
		if err := f.Observe(agent.Event{Appended: &e}); err != nil {
			t.Fatal(err)
		}
	}
	_ = f.Close()
	whole := read(t, path)
	data := []byte(strings.Join(whole, "\n") + "\n")
	ends := []int{0}
	for _, line := range whole {
		ends = append(ends, ends[len(ends)-1]+len(line)+1)
	}
	for lines, end := range ends[:len(ends)-1] {
		for _, more := range []int{0, 1, 30, ends[lines+1] - end - 1} {
			if err := os.WriteFile(path, data[:end+more], 0o600); err != nil {
				t.Fatal(err)
			}
			f, torn := open(t, path, log)
			_ = f.Close()
			got := read(t, path)
			if torn != int64(more) || !slices.Equal(got[:lines], whole[:lines]) {
				t.Fatalf("%d lines and %d bytes: %d are torn, %d lines are left", lines, more, torn, len(got))
			}
			if !strings.HasPrefix(got[lines], `{"time":"2026-01-02T03:04:05Z","event":"opened",`) {
				t.Fatalf("%d lines and %d bytes: what follows is %.120s", lines, more, got[lines])
			}
			if lines == 0 { // nothing says that it began before: it begins now
				if len(got) != 1 || !strings.Contains(got[0], `"version":3`) {
					t.Errorf("a new file begins with %.80s", got)
				}
				continue
			}
			if later := got[lines+1:]; !slices.Equal(later, whole[lines:]) {
				t.Errorf("%d lines and %d bytes: %d entries are written anew, want %d", lines, more, len(later), len(whole)-lines)
			}
		}
	}
}

// What looks like a secret is not in the file (no secrets in artifacts), by its
// form or by its name; the line stays one object with all else in it.
func TestSecretsAreRedacted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it.jsonl")
	f, _ := open(t, path, tenfold.NewLog())
	const byForm, byName = "ghp_a8Kd03jfKq92mXz7Lw51cVb6Nn4RtY0uQeP", "hunter2hunter3Zq8"
	const pem = "-----BEGIN PRIVATE KEY-----\nMIIabc\n"
	arguments := `{"command":"curl","api_key":"` + byName + `","n":[1.50,"` + byForm + `"]}`
	for _, p := range []tenfold.Payload{
		tenfold.ToolCall{CallID: "c", Name: "shell", Arguments: arguments},
		tenfold.ToolResult{CallID: "c", Parts: []tenfold.Part{tenfold.TextPart("password=" + byName + "\n" + pem)}},
	} {
		if err := f.Observe(agent.Event{Appended: &tenfold.Entry{Seq: 1, ID: "e", Payload: p}}); err != nil {
			t.Fatal(err)
		}
	}
	lines := read(t, path)
	text := strings.Join(lines, "\n")
	for _, secret := range []string{byForm, byName, "MIIabc"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in\n%s", secret, text)
		}
	}
	for _, want := range []string{`{"command":"curl","api_key":"[redacted]","n":[1.50,"[redacted]"]}`, `"call_id":"c"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// Any log goes through the file: each line is one object, and its entry is the
// log's, byte for byte.
func TestEntriesComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it.jsonl")
	rapid.Check(t, func(t *rapid.T) {
		log := tenfold.NewLog()
		if _, err := log.Append(logtest.Entries(30).Draw(t, "entries")...); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
		f, _, err := eventlog.Open(path, "c1", tenfold.NewLog(), clock)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		f, _, err = eventlog.Open(path, "c1", log, clock) // writes all that is missing
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))[2:]
		for e := range log.Entries() {
			if len(lines) == 0 {
				t.Fatalf("entry %d is missing", e.Seq)
			}
			var line struct {
				Event string         `json:"event"`
				Entry jsontext.Value `json:"entry"`
			}
			if err := json.Unmarshal(lines[0], &line, jsontext.AllowDuplicateNames(true)); err != nil || line.Event != eventlog.Entry {
				t.Fatalf("%v: %s", err, lines[0])
			}
			want, err := tenfold.AppendEntry(nil, e)
			if err != nil || !bytes.Equal(line.Entry, want) {
				t.Fatalf("entry %d is\n%s, want\n%s", e.Seq, line.Entry, want)
			}
			lines = lines[1:]
		}
		if len(lines) > 0 {
			t.Fatalf("too much: %s", lines[0])
		}
	})
}

// No link leads out of the directory, and what is not a file is refused.
func TestTranscriptStaysInItsDirectory(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(outside, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "it.jsonl")
	if err := os.Symlink(outside, path); err != nil {
		t.Skip(err)
	}
	if _, _, err := eventlog.Open(path, "c1", tenfold.NewLog(), clock); err == nil {
		t.Error("a link was followed")
	}
	if data, _ := os.ReadFile(outside); string(data) != "mine\n" {
		t.Errorf("the file outside is %q", data)
	}
	if err := os.Mkdir(filepath.Join(dir, "d.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := eventlog.Open(filepath.Join(dir, "d.jsonl"), "c1", tenfold.NewLog(), clock); err == nil {
		t.Error("a directory was opened")
	}
}
