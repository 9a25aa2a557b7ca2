package transcript

import (
	"os"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/prose"
)

// eachText imports the text files of a format and checks that the entries make
// the file again.
func eachText(t *testing.T, format Format, f func(t *testing.T, want corpustest.File, text string, got []Collected)) {
	for _, want := range corpustest.Sample(corpustest.Files(t, string(format))) {
		t.Run(want.Name, func(t *testing.T) {
			data, err := os.ReadFile(want.Path)
			if err != nil {
				t.Fatal(err)
			}
			got := importAll(t, want.Path)
			var all strings.Builder
			for _, c := range got {
				all.WriteString(rebuildText(t, c.Entries))
				if len(c.Warnings) > 0 {
					t.Log(c.ID, c.Warnings)
				}
			}
			if format != Plain && all.String() != strings.TrimPrefix(string(data), string(intake.Bom)) {
				t.Errorf("the file is not rebuilt: %d bytes of %d", all.Len(), len(data))
			}
			f(t, want, string(data), got)
		})
	}
}

// aiderIndexed gives the sessions that the index counts: those with a prompt,
// without what stands before the first heading when there is one.
func aiderIndexed(text string) (sessions []string) {
	parts := strings.Split("\n"+text, "\n"+prose.AiderHeading)
	if len(parts) > 1 {
		parts = parts[1:]
	}
	for _, s := range parts {
		if strings.Contains(s, "\n"+prose.AiderUser) {
			sessions = append(sessions, s)
		}
	}
	return sessions
}

// The index counts a block of "####" lines as one message of the user, commands
// too, and takes for granted that each is answered; it counts sessions with
// such a block, interrupts in those alone, and nothing before the first
// heading. One file begins in the middle of a session.
func TestAiderCorpus(t *testing.T) {
	eachText(t, Aider, func(t *testing.T, want corpustest.File, text string, got []Collected) {
		var have corpustest.File
		for _, s := range aiderIndexed(text) {
			have.Interrupts += strings.Count(s, "^C")
		}
		if before, _, found := strings.Cut("\n"+text, "\n"+prose.AiderHeading); found && strings.Contains(before, "\n"+prose.AiderUser) {
			want.Conversations++
			want.User++
		}
		for _, c := range got {
			blocks := 0
			for _, e := range c.Entries {
				switch p := e.Payload.(type) {
				case tenfold.UserMessage:
					if !p.Synthetic {
						blocks++
					}
				case tenfold.Unknown:
					if p.Name == "aider-md.command" {
						blocks++
					}
				}
			}
			if have.User += blocks; blocks > 0 {
				have.Conversations++
			}
		}
		index := corpustest.File{Conversations: want.Conversations, User: want.User, Interrupts: want.Interrupts}
		if have != index {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, index)
		}
		if len(got) > want.Conversations+1 {
			t.Errorf("%d conversations, of %d with a prompt", len(got), want.Conversations)
		}
	})
}

// The index counts headers, and each place where the tag of a tool's use or of
// thinking stands, also those that a tool's output or a text quotes.
func TestSpecStoryCorpus(t *testing.T) {
	eachText(t, SpecStory, func(t *testing.T, want corpustest.File, text string, got []Collected) {
		have := corpustest.File{Conversations: len(got)}
		for _, c := range got {
			for _, e := range c.Entries {
				for line := range strings.SplitSeq(strings.ReplaceAll(e.Source, `\n`, "\n"), "\n") {
					line = strings.TrimSuffix(strings.TrimSuffix(line, `"]`), `",null`)
					if h, ok := prose.SpecHeader(strings.TrimPrefix(line, `["`)); ok {
						if h.Role == "user" {
							have.User++
						} else {
							have.Assistant++
						}
					}
				}
				switch e.Payload.(type) {
				case tenfold.ToolCall:
					have.Calls++
				case tenfold.ToolResult:
					have.Results++
				case tenfold.Reasoning:
					have.Reasoning++
				}
			}
		}
		quoted := strings.Count(text, prose.SpecTool) - strings.Count("\n"+text, "\n"+prose.SpecTool)
		have.Calls, have.Results = have.Calls+quoted, have.Results+quoted
		have.Reasoning += strings.Count(text, "<think>") - strings.Count("\n"+text, "\n<think>")
		index := corpustest.File{
			Conversations: want.Conversations, User: want.User, Assistant: want.Assistant,
			Calls: want.Calls, Results: want.Results, Reasoning: want.Reasoning,
		}
		if have != index {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, index)
		}
	})
}

func TestPlainCorpus(t *testing.T) {
	eachText(t, Plain, func(t *testing.T, want corpustest.File, text string, got []Collected) {
		have := 0
		var lines []any
		for line := range strings.Lines(text) {
			lines = append(lines, decodeJSON(t, []byte(line)))
		}
		if len(got) != want.Conversations || len(got) != len(lines) {
			t.Fatalf("%d conversations, want %d", len(got), want.Conversations)
		}
		for i, c := range got {
			for _, e := range c.Entries {
				if k := e.Payload.Kind(); k == tenfold.KindUserMessage || k == tenfold.KindAssistantMessage {
					have++
				}
			}
			if rebuildText(t, c.Entries) != lines[i].(map[string]any)["messages_display"] {
				t.Errorf("conversation %d is not rebuilt", i)
			}
		}
		if have != want.Msgs {
			t.Errorf("%d messages, want %d", have, want.Msgs)
		}
	})
}
