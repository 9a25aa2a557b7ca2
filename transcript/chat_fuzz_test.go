package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// fuzzChat fuzzes a format of messages: the samples are the seeds. What comes
// out obeys the laws, and loses nothing of JSON that says each thing once.
func fuzzChat(f *testing.F, format Format) {
	for _, w := range samples(f, format) {
		f.Add(w.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var k Collector
		err := Import(context.Background(), Source{Name: "dir/f.json", Reader: bytes.NewReader(data), Size: int64(len(data))}, format, &k)
		if err != nil {
			var ours *Error
			if !errors.As(err, &ours) {
				t.Fatalf("the error is not ours: %v", err)
			}
			return
		}
		for _, c := range k.Conversations {
			checkLaws(t, c)
		}
		if exactJSON(data) {
			checkChatSources(t, data, k.Conversations)
		}
	})
}

// exactJSON reports whether the data is a JSON value, or lines of them, that
// encoding/json reads as we do: no member twice, no string that is not quite UTF-8, numbers
// as they are.
func exactJSON(data []byte) bool {
	if bytes.Contains(data, []byte(`\u`)) || !bytes.Equal(data, bytes.ToValidUTF8(data, nil)) || bytes.ContainsRune(data, '\uFFFD') {
		return false
	}
	var s walk.Scanner
	s.Reset(bytes.TrimPrefix(data, intake.Bom))
	values := 0
	for ; s.Kind() != 0; values++ {
		if !uniqueNames(&s) {
			return false
		}
	}
	if s.End(); s.Err != nil {
		return false
	}
	// Several values stand on lines of their own.
	for line := range bytes.Lines(bytes.TrimPrefix(data, intake.Bom)) {
		if line = bytes.Trim(line, " \t\r\n"); values > 1 && len(line) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}

func FuzzOpenAIChat(f *testing.F)      { fuzzChat(f, OpenAIChat) }
func FuzzAnthropic(f *testing.F)       { fuzzChat(f, AnthropicBody) }
func FuzzGemini(f *testing.F)          { fuzzChat(f, GeminiBody) }
func FuzzGeminiResponses(f *testing.F) { fuzzChat(f, GeminiResponses) }
func FuzzLiteLLM(f *testing.F)         { fuzzChat(f, LiteLLM) }
func FuzzAgentDojo(f *testing.F)       { fuzzChat(f, AgentDojo) }
func FuzzCline(f *testing.F)           { fuzzChat(f, Cline) }
