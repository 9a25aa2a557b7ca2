package transcript

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

func TestClaudeCodeCorpusIsRebuilt(t *testing.T) {
	eachCorpusFile(t, ClaudeCode, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		checkLaws(t, got)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want []any
		for line := range bytes.Lines(data) {
			if len(bytes.Trim(line, " \t\r\n")) > 0 {
				want = append(want, decodeJSON(t, line))
			}
		}
		sameLines(t, rebuildClaudeLines(t, got), want)
	})
}

// TestClaudeCodeCorpusCounts compares with the index, which counts lines of
// user and assistant messages and their blocks, sub-agents' progress aside.
func TestClaudeCodeCorpusCounts(t *testing.T) {
	eachCorpusFile(t, ClaudeCode, func(t *testing.T, _ string, want corpustest.File, got Collected) {
		t.Log(got.ID, got.Title, got.Warnings)
		have := corpustest.File{Path: want.Path, Name: want.Name, Format: want.Format, Conversations: 1, Bytes: want.Bytes, DupID: want.DupID}
		calls, answered := map[string]int{}, map[string]bool{}
		turns, prompts := 0, 0
		for _, e := range got.Entries {
			if strings.HasPrefix(e.Branch, "agent.") {
				continue // the index leaves agent_progress out
			}
			if strings.Contains(e.Source, `"attachment":{`) || strings.Contains(e.Source, `"subtype":"local_command"`) {
				continue // and attachments, and what commands print
			}
			isUser, isAssistant := false, false
			switch p := e.Payload.(type) {
			case tenfold.TurnStart:
				turns++
			case tenfold.UserMessage:
				isUser = true
				if !p.Synthetic {
					prompts++
				}
				if strings.Contains(e.Source, `"isCompactSummary":true`) {
					have.Summaries++ // of an earlier file
				}
				for _, part := range p.Parts {
					if part.File != nil {
						have.Images++ // the index counts the one document among the images
					}
				}
				have.Interrupts += interrupts(p.Parts)
			case tenfold.Compaction:
				isUser = p.Summary != nil
				if p.Summary != nil {
					have.Summaries++
				}
			case tenfold.ToolResult:
				isUser = true
				have.Results++
				if p.IsError {
					have.Errors++
				}
				for _, part := range p.Parts {
					if part.File != nil && part.File.Type == tenfold.PartImage {
						have.Images++
					}
				}
				if calls[p.CallID] == 0 {
					have.Orphan++
				}
				answered[p.CallID] = true
			case tenfold.ToolCall:
				isAssistant = true
				have.Calls++
				calls[p.CallID]++
			case tenfold.Reasoning:
				isAssistant = true
				have.Reasoning++
			case tenfold.AssistantMessage, tenfold.ProviderItem:
				isAssistant = true
			case tenfold.Unknown:
				// A message that could not be understood still counts, if its
				// message is an object.
				isUser = p.Name == "claude-code.user" && strings.Contains(e.Source, `"message": {`)
			}
			if e.Source == "" {
				continue
			}
			if strings.Contains(e.Source, `"isSidechain":true`) && (isUser || isAssistant) {
				have.Side++
			}
			if isUser {
				have.User++
			}
			if isAssistant {
				have.Assistant++
			}
		}
		for id := range calls {
			if !answered[id] {
				have.Missing++
			}
		}
		have.Msgs = have.User + have.Assistant
		if have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

// interrupts counts texts that hold the marker: the index counts those that
// only quote it too.
func interrupts(parts []tenfold.Part) int {
	n := 0
	for _, p := range parts {
		if strings.Contains(p.Text, "[Request interrupted by user") {
			n++
		}
	}
	return n
}
