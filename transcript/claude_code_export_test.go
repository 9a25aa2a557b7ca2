package transcript

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// sameLog checks that exporting a conversation and importing it again gives
// its log.
func sameLog(tb testing.TB, format Format, name string, got Collected) {
	tb.Helper()
	text := exportOf(tb, format, got)
	var k Collector
	if err := Import(context.Background(), Source{Name: name, Reader: bytes.NewReader(text), Size: int64(len(text))}, format, &k); err != nil {
		tb.Fatal(err)
	}
	again := k.Conversations[0]
	for i, e := range got.Entries {
		if i >= len(again.Entries) {
			break
		}
		if !reflect.DeepEqual(again.Entries[i], e) {
			tb.Fatalf("entry %d of %d came back changed:\n got %s\nwant %s", i+1, len(got.Entries), short(again.Entries[i]), short(e))
		}
	}
	if len(again.Entries) != len(got.Entries) {
		tb.Fatalf("%d entries came back, want %d", len(again.Entries), len(got.Entries))
	}
	if again.ID != got.ID || again.Title != got.Title {
		tb.Errorf("conversation came back as %+v, want %+v", again.Conversation, got.Conversation)
	}
}

func TestClaudeCodeCorpusComesBack(t *testing.T) {
	eachCorpusFile(t, ClaudeCode, func(t *testing.T, path string, _ corpustest.File, got Collected) {
		sameLog(t, ClaudeCode, path, got)
		got.Format = Tenfold // as a store gives it: lines are known by their shape
		sameLog(t, ClaudeCode, path, got)
	})
}

// bodyMessages gives the messages of an Anthropic request, system and tools
// aside.
func bodyMessages(tb testing.TB, p *tenfold.Projection) any {
	tb.Helper()
	body, err := tenfold.Anthropic().Body(p)
	if err != nil {
		tb.Fatal(err)
	}
	return decodeJSON(tb, body).(map[string]any)["messages"]
}
