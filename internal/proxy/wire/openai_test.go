package wire_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// spoken is what a body says, by who says it.
type spoken struct {
	lines, system, thoughts []string
	systems                 int // messages of the system's
	note                    bool
}

// flat gives what a body of OpenAI's says as lines, so that how it is divided into
// messages does not matter; what the system says apart, and the note as well, for
// where it stands may differ.
func flat(t rapid.TB, raw []byte) spoken {
	t.Helper()
	var lines, system, thoughts []string
	systems := 0
	var b struct {
		Messages, Input []map[string]any
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for _, m := range append(b.Messages, b.Input...) {
		if m["role"] == "system" || m["role"] == "developer" {
			systems++
			for _, part := range listOf(m["content"]) {
				system = append(system, strings.Fields(textOf(part))...)
			}
			continue
		}
		say := func(kind, text string) {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); line != "" && !tenfold.IsNote(line+"\n") {
					lines = append(lines, kind+": "+line)
				}
			}
		}
		for _, part := range listOf(m["content"]) {
			say(fmt.Sprint(m["role"]), textOf(part))
		}
		for _, call := range listOf(m["tool_calls"]) {
			lines = append(lines, fmt.Sprint(call))
		}
		thoughts = append(thoughts, strings.Fields(textOf(m["reasoning_content"]))...)
		var out []string
		for _, part := range listOf(m["output"]) { // alone, a text needs no list
			out = append(out, textOf(part))
		}
		m["output"] = strings.Join(out, "\n")
		for _, name := range []string{"content", "tool_calls", "reasoning_content"} {
			delete(m, name)
		}
		if m["type"] != "message" && m["role"] != "user" && m["role"] != "assistant" {
			lines = append(lines, fmt.Sprint(m))
		}
	}
	return spoken{lines, system, thoughts, systems, strings.Contains(string(raw), "[Earlier parts are shortened: ")}
}

func listOf(v any) []any {
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
	}
	return list
}

func textOf(v any) string {
	if part, ok := v.(map[string]any); ok && part["text"] != nil {
		v = part["text"]
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// alike reports whether two bodies say the same.
func alike(t rapid.TB, a, b []byte) bool {
	t.Helper()
	x, y := flat(t, a), flat(t, b)
	systems := slices.Equal(x.system, y.system) || strings.Contains(string(b), "image") // of a prompt the texts alone are read
	return slices.Equal(x.lines, y.lines) && systems && slices.Equal(x.thoughts, y.thoughts)
}

// A result without an id goes to the call without one that stands where it does, or to none.
func TestX2ResultsOfCallsWithoutIDs(t *testing.T) {
	t.Parallel()
	const calls = `{"role":"assistant","tool_calls":[{"function":{"name":"a"}},{"id":"c","function":{"name":"b"}},{"id":"","function":{"name":"d"}}]}`
	const bare, given = `{"role":"tool","content":"x"}`, `{"role":"tool","tool_call_id":"c","content":"x"}`
	for _, c := range []struct{ messages, want string }{
		{bare, ""},
		{`{"role":"user","content":"go"},` + bare, ""},
		{calls + "," + bare, "a"},
		{calls + "," + given, "c"},
		{calls + "," + bare + "," + given + "," + bare, "d"},
		{calls + "," + bare + "," + bare + "," + bare, ""},
		{calls + `,{"role":"tool","name":"d","content":"x"}`, "d"},
		{calls + `,{"role":"function","name":"a","content":"x"}`, "a"},
		{`{"role":"assistant","tool_calls":7},` + bare, ""},
	} {
		r, err := wire.OpenAIChat{}.Scan("", []byte(`{"messages":[`+c.messages+`]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := wire.OpenAIChat{}.Read(r, len(r.Messages)-1)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := pieces[0].Entry.Payload.(tenfold.ToolResult); got.CallID != c.want {
			t.Errorf("%s: the result is of %q, want %q", c.messages, got.CallID, c.want)
		}
	}
}
