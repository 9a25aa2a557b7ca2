package transcript

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/pi"
	"tenfold/transcript/internal/walk"
)

// fileLines decodes the lines of a file.
func fileLines(tb testing.TB, data []byte) []any {
	tb.Helper()
	var lines []any
	for line := range bytes.Lines(bytes.TrimPrefix(data, intake.Bom)) {
		if len(bytes.Trim(line, " \t\r\n")) > 0 {
			lines = append(lines, decodeJSON(tb, line))
		}
	}
	return lines
}

// rebuildPi gives the lines of a session file, in order.
func rebuildPi(tb testing.TB, entries []tenfold.Entry) []any {
	tb.Helper()
	var lines []any
	var s walk.Scanner
	for group := range engine.Groups(slices.Values(entries)) {
		if line := pi.RestorePi(&s, group); line != "" {
			lines = append(lines, decodeJSON(tb, []byte(line)))
		}
	}
	return lines
}

func TestPiCorpusIsRebuilt(t *testing.T) {
	corpustest.Unraced(t)
	eachCorpusFile(t, Pi, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		checkLaws(t, got)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameLines(t, rebuildPi(t, got.Entries), fileLines(t, data))
	})
}

// tally counts what the index counts, over entries; a conversation's own
// differences are up to the caller.
func tally(want corpustest.File, entries []tenfold.Entry) corpustest.File {
	have := corpustest.File{Path: want.Path, Name: want.Name, Format: want.Format, Conversations: 1, Bytes: want.Bytes, DupID: want.DupID}
	calls, answered := map[string]int{}, map[string]bool{}
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			have.Calls++
			calls[p.CallID]++
		case tenfold.ToolResult:
			have.Results++
			if p.IsError {
				have.Errors++
			}
			if calls[p.CallID] == 0 {
				have.Orphan++
			}
			answered[p.CallID] = true
			for _, part := range p.Parts {
				if part.File != nil && part.File.Type == tenfold.PartImage {
					have.Images++
				}
			}
		case tenfold.Reasoning:
			have.Reasoning++
		case tenfold.Compaction:
			if p.Summary != nil {
				have.Summaries++
			}
		case tenfold.UserMessage:
			for _, part := range p.Parts {
				if part.File != nil && part.File.Type == tenfold.PartImage {
					have.Images++
				}
			}
		}
	}
	for id := range calls {
		if !answered[id] {
			have.Missing++
		}
	}
	return have
}

// TestPiCorpusCounts compares with the index. It counts messages, and a
// command that a person ran as a message of neither side; interrupts are the
// messages that were aborted.
func TestPiCorpusCounts(t *testing.T) {
	eachCorpusFile(t, Pi, func(t *testing.T, _ string, want corpustest.File, got Collected) {
		t.Log(got.ID, got.Title, got.Warnings)
		have := tally(want, got.Entries)
		for _, e := range got.Entries {
			if e.Source == "" {
				continue
			}
			for role, count := range map[string]*int{
				`"role":"user"`: &have.User, `"role":"assistant"`: &have.Assistant, `"role":"bashExecution"`: new(int), `"role":"toolResult"`: new(int),
			} {
				if strings.Contains(e.Source, `"type":"message"`) && strings.Contains(e.Source, role) {
					*count++
					have.Msgs++
				}
			}
			if strings.Contains(e.Source, `"stopReason":"aborted"`) {
				have.Interrupts++
			}
		}
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

// seen words what a model sees, one text a line.
func seen(tb testing.TB, entries []tenfold.Entry) []string {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(entries...); err != nil {
		tb.Fatal(err)
	}
	var out []string
	for it := range tenfold.Project(log).Items() {
		if it.Added == tenfold.AddedPlaceholder || it.Added == tenfold.AddedOpening {
			continue
		}
		out = append(out, said1(it.Payload))
	}
	return out
}

func said1(p tenfold.Payload) string {
	e := describeEntry(tenfold.Entry{Payload: p})
	kind, rest, _ := strings.Cut(e, " ")
	switch kind {
	case "injected", "context", "notice":
		kind = "user" // to the model there is no difference
	}
	return kind + " " + strings.TrimSpace(rest)
}

// piSent gives what pi sends after the first n lines of a file without
// branches: the last summary, then what was kept and what came after.
func piSent(tb testing.TB, lines [][]byte) []string {
	tb.Helper()
	var got []string
	starts := make([]int, len(lines))
	summary, kept, at := "", 0, 0
	for i, line := range lines {
		starts[i] = len(got)
		var s walk.Scanner
		var r pi.Record
		r.Parse(&s, line)
		if r.Typ == "compaction" {
			summary, _ = s.Unquote(r.Summary)
			kept, at = s.Number(r.FirstIndex), starts[i]
			continue
		}
		if r.Msg.Failed() {
			continue
		}
		one, err := importText(tb, "x.jsonl", `{"type":"session","id":"s","timestamp":"","cwd":"/"}`+"\n"+string(line)+"\n")
		if err != nil {
			tb.Fatal(err)
		}
		for _, e := range one.Entries {
			if e.Payload.Kind().Visible() {
				got = append(got, said1(e.Payload))
			}
		}
	}
	if summary != "" {
		// Signed reasoning of what is kept is bound to what the summary replaces: pi
		// sends it, and the provider refuses or drops it (B1).
		tail := slices.DeleteFunc(slices.Clone(got[starts[kept]:at]), func(s string) bool {
			return strings.HasPrefix(s, "reasoning ") && !strings.HasSuffix(s, `"`)
		})
		got = slices.Concat([]string{said1(tenfold.UserMessage{Parts: tenfold.Text(pi.CompactionSummary(summary))})}, tail, got[at:])
	}
	return got
}

// TestPiCorpusCompactions checks that after each recorded compaction, and at
// the end, the view equals what pi sends next. Results that came late stand
// with their calls, so that the order among them is not compared.
func TestPiCorpusCompactions(t *testing.T) {
	corpustest.Unraced(t)
	eachCorpusFile(t, Pi, func(t *testing.T, path string, _ corpustest.File, _ Collected) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		for i, line := range lines {
			if i < len(lines)-1 && !bytes.Contains(line, []byte(`"type":"compaction"`)) {
				continue
			}
			part, err := importText(t, path, string(bytes.Join(lines[:i+1], []byte("\n"))))
			if err != nil {
				t.Fatal(err)
			}
			want, got := piSent(t, lines[:i+1]), seen(t, part.Entries)
			if len(got) != len(want) {
				t.Errorf("after line %d: %d blocks seen, pi sends %d", i+1, len(got), len(want))
			}
			for k := range min(len(got), len(want)) {
				if got[k] != want[k] {
					t.Fatalf("after line %d, block %d of %d differs:\n got %.200s\nwant %.200s", i+1, k, len(want), got[k], want[k])
				}
			}
		}
	})
}
