package transcript

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold"
)

// A format that a file is not of is an error that says what the file is, and
// nothing of the file is taken for a whole conversation. Where the file might be
// read both ways, the caller knows better.
func TestNamedFormat(t *testing.T) {
	of := func(parts ...string) []byte {
		data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	claude, err := os.ReadFile("../internal/cli/testdata/bakery.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		data []byte
		as   Format
		want string // in the error; empty for none
	}{
		{"claude as codex", claude, Codex, "bakery.jsonl: not of format codex: it looks like claude-code; try --from claude-code"},
		{"claude as chat", claude, OpenAIChat, "it looks like claude-code"},
		{"codex as claude", of("codex", "compacted.jsonl"), ClaudeCode, "it looks like codex"},
		{"codex as messages", of("codex", "compacted.jsonl"), AnthropicBody, "it looks like codex"},
		{"body as codex", of("anthropic", "request.json"), Codex, "it looks like anthropic"},
		{"right", claude, ClaudeCode, ""},
		{"read both ways", of("litellm-log", "native.json"), OpenAIChat, ""},
		{"another body", of("anthropic", "request.json"), OpenAIChat, ""},
	} {
		var c Collector
		err := Import(t.Context(), Source{Name: "bakery.jsonl", Reader: bytes.NewReader(tt.data)}, tt.as, &c)
		bad := (*Error)(nil)
		if tt.want != "" && (!errors.As(err, &bad) || !strings.Contains(errorText(err), tt.want)) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.want == "" && (err != nil || len(c.Conversations) == 0) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.want != "" && len(c.Conversations) > 0 {
			t.Errorf("%s: a conversation of %d entries was ended", tt.name, len(c.Conversations[0].Entries))
		}
	}
}

// Nothing is lost that a sink would have been given: an empty conversation is one
// where its format is right, and one without words does not hold up the next.
func TestNamedFormatKeepsAll(t *testing.T) {
	const two = `{"tenfold":1,"conversation":{"id":"a"}}
{"id":"1","kind":"turn_start"}
{"tenfold":1,"conversation":{"id":"b"}}
{"id":"2","kind":"user_message","text":"Bake."}
`
	for _, as := range []Format{"", Tenfold} {
		var c Collector
		if err := Import(t.Context(), Source{Name: "x", Reader: strings.NewReader(two)}, as, &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Conversations) != 2 || len(c.Conversations[0].Entries) != 1 || c.Conversations[1].Entries[0].Payload.Kind() != tenfold.KindUserMessage {
			t.Errorf("as %q: %+v", as, c.Conversations)
		}
	}
}
