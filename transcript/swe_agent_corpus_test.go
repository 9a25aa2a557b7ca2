package transcript

import (
	"os"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// checkSWEAgent checks that a trajectory is rebuilt from its entries.
func checkSWEAgent(tb testing.TB, data []byte, entries []tenfold.Entry) []group {
	tb.Helper()
	got, frames := recordsIn(tb, entries, "swe-agent-traj.document")
	if len(frames) != 1 {
		tb.Fatalf("%d frames", len(frames))
	}
	checkRecords(tb, cutOut(tb, decodeJSON(tb, data), frames[0], ""), got)
	return got
}

// The index counts the thoughts of SWE-agent as reasoning. They are a part of
// what the model wrote, which is imported as the text it is; so they are
// counted here where they stand, in the sources.
func TestSWEAgentCorpus(t *testing.T) {
	eachCorpusFile(t, SWEAgent, func(t *testing.T, path string, want corpustest.File, got Collected) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		records := checkSWEAgent(t, data, got.Entries)
		n, thoughts, system := counts(records), 0, 0
		for _, g := range records {
			m := g.source.(map[string]any)
			if s, ok := m["thought"].(string); ok && s != "" {
				thoughts++
			}
			if m["role"] == "system" {
				system++
			}
		}
		have := corpustest.File{
			Msgs: len(records), User: n.user, Assistant: n.assistant, Calls: n.calls, Results: n.results, Reasoning: thoughts,
		}
		index := corpustest.File{
			Msgs: want.Msgs, User: want.User, Assistant: want.Assistant, Calls: want.Calls, Results: want.Results, Reasoning: want.Reasoning,
		}
		if have != index {
			t.Errorf("counts differ (%d system):\n got %+v\nwant %+v", system, have, index)
		}
		if len(got.Warnings) > 0 {
			t.Log(got.Warnings)
		}
	})
}
