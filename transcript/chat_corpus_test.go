package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// eachChatFile runs f on every corpus file of a format of messages, imported,
// after checking that nothing of it was lost.
func eachChatFile(t *testing.T, format Format, f func(t *testing.T, want corpustest.File, got []Collected)) {
	n := 0
	for _, file := range corpustest.Sample(corpustest.Files(t, string(format))) {
		n++
		t.Run(file.Name, func(t *testing.T) {
			data, err := os.ReadFile(file.Path)
			if err != nil {
				t.Fatal(err)
			}
			got := importAll(t, file.Path)
			checkChatSources(t, data, got)
			f(t, file, got)
		})
	}
	if n == 0 {
		t.Fatalf("the corpus index names no %s file", format)
	}
}

// counted is what the index counts, as far as messages have it. A message is
// an entry with a Source; those of a record are none.
func counted(want corpustest.File, all []Collected) corpustest.File {
	have := corpustest.File{Path: want.Path, Name: want.Name, Format: want.Format, Bytes: want.Bytes, Conversations: len(all)}
	for _, c := range all {
		answered := ""
		for _, e := range c.Entries {
			if u, ok := e.Payload.(tenfold.Usage); ok && u.Model != "" && c.Format == LiteLLM {
				answered = e.MessageID
			}
		}
		open := map[string]int{}
		for _, e := range c.Entries {
			if answered != "" && e.MessageID == answered {
				continue // the index counts what was sent, the response is beside it
			}
			message := e.Source != "" && !strings.HasPrefix(e.ID, "request")
			if message {
				have.Msgs++
			}
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				if message && (!p.Synthetic || p.Purpose == tenfold.Notice) { // it counts what hosts say in a person's place
					have.User++
				}
			case tenfold.AssistantMessage, tenfold.Reasoning:
				if message {
					have.Assistant++
				}
			case tenfold.ToolCall:
				if message {
					have.Assistant++
				}
				have.Calls++
				open[p.CallID]++
			case tenfold.ToolResult:
				have.Results++
				if open[p.CallID] == 0 {
					have.Orphan++
				} else {
					open[p.CallID]--
				}
			}
		}
		for _, n := range open {
			have.Missing += n
		}
	}
	return have
}

func TestOpenAIChatCorpus(t *testing.T) {
	corpustest.Unraced(t)
	eachChatFile(t, OpenAIChat, func(t *testing.T, want corpustest.File, got []Collected) {
		if have := counted(want, got); have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
		for _, c := range got {
			if len(c.Warnings) > 0 {
				t.Error(c.ID, c.Warnings)
			}
		}
	})
}

func TestLiteLLMCorpus(t *testing.T) {
	eachChatFile(t, LiteLLM, func(t *testing.T, want corpustest.File, got []Collected) {
		if have := counted(want, got); have != want {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
		last := got[0].Entries[len(got[0].Entries)-1]
		if u, ok := last.Payload.(tenfold.Usage); !ok || u.Cost == nil || u.Input+u.CacheRead+u.CacheWrite == 0 || u.Output == 0 || u.Model == "" {
			t.Errorf("usage is %+v", last.Payload)
		}
	})
}

// The index counts a message a response, and the calls in it.
func TestGeminiResponsesCorpus(t *testing.T) {
	eachChatFile(t, GeminiResponses, func(t *testing.T, want corpustest.File, got []Collected) {
		have := counted(want, got)
		if have.Msgs != want.Msgs || have.Calls != want.Calls || have.Results != 0 || have.Conversations != want.Conversations {
			t.Errorf("counts differ:\n got %+v\nwant %+v", have, want)
		}
	})
}

// What the corpus has of bare API bodies, which the index does not count.
func TestAPIBodiesCorpus(t *testing.T) {
	dir := corpustest.Dir()
	if dir == "" {
		t.Skip("no shared/corpus above this directory")
	}
	for name, format := range apiBodies {
		if strings.HasPrefix(name, "swe-agent/") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Skip(err)
			}
			got := importFile(t, filepath.Join(dir, filepath.FromSlash(name)))
			if got.Format != format {
				t.Errorf("read as %s", got.Format)
			}
			checkLaws(t, got)
			checkBodies(t, got)
			if strings.HasSuffix(name, ".chunks.txt") {
				checkStream(t, data, got)
			} else {
				checkChatSources(t, data, []Collected{got})
			}
			if strings.Contains(name, "compaction") {
				items := 0
				for _, e := range got.Entries {
					if p, ok := e.Payload.(tenfold.ProviderItem); ok {
						items++
						if p.Provider != "anthropic" || !strings.HasPrefix(p.Data, `{"type":"compaction","content":"`) {
							t.Errorf("item is %.80s", p.Data)
						}
					}
				}
				if items != 1 {
					t.Errorf("%d items", items)
				}
			}
		})
	}
}

// checkStream checks that every event of a stream is kept as it is, in order.
func checkStream(t *testing.T, data []byte, got Collected) {
	t.Helper()
	var kept strings.Builder
	for _, e := range got.Entries {
		if e.Source != "" {
			kept.WriteString(e.Source + "\n")
		}
	}
	if strings.TrimSpace(kept.String()) != strings.TrimSpace(string(data)) {
		t.Error("the events kept are not those of the file")
	}
}
