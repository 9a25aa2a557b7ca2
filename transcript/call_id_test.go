package transcript

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"tenfold"
)

// Ids of calls that a provider would refuse are fitted in each client's
// session, apart and on calls and results alike; those that fit stay.
func TestSessionsFitCallIDs(t *testing.T) {
	long := "call|" + strings.Repeat("x", 80)
	c := Collected{Conversation: Conversation{ID: "7b6d0a3e-3c58-4f0e-9d6e-0d1c2b3a4f5e", Format: OpenAIChat}}
	add := func(p tenfold.Payload) {
		c.Entries = append(c.Entries, tenfold.Entry{ID: "e" + string(rune('a'+len(c.Entries))), Payload: p})
	}
	raw := []string{"good_1", "functions.read:0", "functions.read:0", long, long + "y", ""}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("go")})
	for i, id := range raw {
		add(tenfold.ToolCall{CallID: id, Name: "read", Arguments: `{"n":` + string(rune('0'+i)) + `}`})
		add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text("result " + string(rune('0'+i)))})
	}
	add(tenfold.AssistantMessage{Text: "done"})
	for _, to := range []Format{ClaudeCode, Codex, OpenCode, Pi, GeminiCLI} {
		for _, compacted := range []bool{false, true} {
			text, _ := exportText(t, to, c, compacted)
			var k Collector
			if err := Import(context.Background(), Source{Name: "s", Reader: bytes.NewReader(text)}, to, &k); err != nil {
				t.Fatalf("%s: %v", to, err)
			}
			fits := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
			seen := map[string]string{}
			answered := 0
			for _, e := range k.Conversations[0].Entries {
				switch p := e.Payload.(type) {
				case tenfold.ToolCall:
					if !fits.MatchString(p.CallID) || seen[p.CallID] != "" {
						t.Errorf("%s: a call has the id %q", to, p.CallID)
					}
					seen[p.CallID] = p.Arguments
				case tenfold.ToolResult:
					answered++
					if len(p.Parts) == 0 || !strings.Contains(seen[p.CallID], p.Parts[0].Text[len("result "):]) {
						t.Errorf("%s: %v answers %q", to, p.Parts, seen[p.CallID])
					}
				}
			}
			if len(seen) != len(raw) || answered != len(raw) || seen["good_1"] == "" {
				t.Errorf("%s: %d calls and %d results: %v", to, len(seen), answered, seen)
			}
		}
	}
}

// A compaction that names calls by ids that have to be fitted means the same calls in
// a client's session: what it keeps is there (semantics P5).
func TestSessionsFitCallIDsOfPolicies(t *testing.T) {
	c := Collected{Conversation: Conversation{ID: "7b6d0a3e-3c58-4f0e-9d6e-0d1c2b3a4f5e", Format: OpenAIChat}}
	add := func(p tenfold.Payload) {
		c.Entries = append(c.Entries, tenfold.Entry{ID: "e" + string(rune('a'+len(c.Entries))), Payload: p})
	}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("go")})
	for _, id := range []string{"call_a|fc_1", "call_b|fc_2", "same|id", "same|id"} {
		add(tenfold.ToolCall{CallID: id, Name: "read", Arguments: `{}`})
		add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text("result " + string(rune('0'+len(c.Entries))))})
	}
	add(tenfold.AssistantMessage{Text: "done"})
	add(tenfold.Compaction{ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Rest: tenfold.Omit, Calls: map[string]tenfold.CallPolicy{
		"call_b|fc_2": {Action: tenfold.Keep},
		"same|id":     {Action: tenfold.Omit},
		"same|id@9":   {Action: tenfold.Keep},
	}}})
	for _, to := range []Format{ClaudeCode, Codex, OpenCode, Pi, GeminiCLI} {
		text, _ := exportText(t, to, c, true)
		for i, want := range []bool{false, true, false, true} {
			result := "result " + string(rune('3'+2*i))
			if bytes.Contains(text, []byte(result)) != want {
				t.Errorf("%s: %q is in the session: %v, want %v", to, result, !want, want)
			}
		}
	}
}
