package transcript

import (
	"strings"
	"testing"
)

// resumedGemini is a chat that was resumed: its history comes again in the
// words of the API. The tool's output is what that list says.
func resumedGemini(output string) string {
	const at = `"timestamp":"2026-01-01T00:00:00.000Z"`
	context := `{"id":"c",` + at + `,"type":"user","content":[{"text":"<session_context>Here.</session_context>"}]}`
	response := func(text string) string {
		return `[{"functionResponse":{"id":"r1","name":"read","response":{"output":"` + text + `"}}}]`
	}
	return strings.Join([]string{
		`{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00.000Z","kind":"main"}`,
		`{"$set":{"messages":[` + context + `]}}`,
		`{"id":"u",` + at + `,"type":"user","content":[{"text":"Look"}]}`,
		`{"id":"i",` + at + `,"type":"info","content":"Updated."}`,
		`{"id":"g",` + at + `,"type":"gemini","content":"I look.","thoughts":[{"subject":"Plan","description":"Read."}],"model":"m"}`,
		`{"id":"g",` + at + `,"type":"gemini","content":"I look.","thoughts":[{"subject":"Plan","description":"Read."}],"model":"m","toolCalls":[{"id":"r1","name":"read","args":{"p":"x"},"status":"success","result":` + response("hello") + `}]}`,
		`{"id":"v",` + at + `,"type":"user","content":` + response("hello") + `}`,
		`{"id":"h",` + at + `,"type":"gemini","content":"It says hello.","model":"m"}`,
		`{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:01:00.000Z","kind":"main"}`,
		`{"$set":{"messages":[` + context + `]}}`,
		`{"$set":{"sessionId":"s"}}`,
		`{"$set":{"messages":[` + strings.Replace(context, "Here.", "There.", 1) +
			`,{"id":"u",` + at + `,"type":"user","content":[{"text":"Look"}]}` +
			`,{"id":"g",` + at + `,"type":"gemini","content":[{"text":"**Plan** Read.","thought":true},{"text":"I look."},{"functionCall":{"id":"r1","name":"read","args":{"p":"x"}}}]}` +
			`,{"id":"g_response",` + at + `,"type":"user","content":` + response(output) + `}` +
			`,{"id":"v",` + at + `,"type":"user","content":` + response(output) + `}` +
			`,{"id":"h",` + at + `,"type":"gemini","content":[{"text":"It says hello."}]}]}}`,
		`{"id":"w",` + at + `,"type":"user","content":[{"text":"Thanks"}]}`,
	}, "\n")
}

// A chat that was resumed shows its calls with their results, once.
func TestGeminiCLIResumed(t *testing.T) {
	for _, output := range []string{"hello", "[masked]"} {
		got, err := importText(t, "session.jsonl", resumedGemini(output))
		if err != nil {
			t.Fatal(err)
		}
		checkLaws(t, got)
		have := seen(t, got.Entries)
		for i, line := range have {
			if kind, _, _ := strings.Cut(line, " "); kind == "reasoning" {
				have[i] = kind
			}
		}
		want := []string{
			`user "<session_context>Here.</session_context>"`, `user "Look"`, "reasoning", `assistant "I look."`,
			`call r1 read {"p":"x"}`, `result r1 "` + output + `"`, `assistant "It says hello."`, `user "Thanks"`,
		}
		if a, b := squeeze(have), squeeze(want); a != b {
			t.Errorf("seen\n%s\nwant\n%s", a, b)
		}
		if hidden := strings.Contains(strings.Join(got.Warnings, "\n"), "is hidden"); hidden != (output != "hello") {
			t.Errorf("warnings %v with the output %s", got.Warnings, output)
		}
	}
}

// Where the list has calls beside the parts, each with the results of all that
// were made at once, the parts tell.
func TestGeminiCLIResumedWithCalls(t *testing.T) {
	plain := resumedGemini("hello")
	part := `{"functionCall":{"id":"r1","name":"read","args":{"p":"x"}}}]`
	text := strings.Replace(plain, part, part+`,"toolCalls":[{"id":"r1","name":"read","args":{"p":"x"},"status":"success","result":[`+
		`{"functionResponse":{"id":"r0","name":"read","response":{"output":"other"}}},{"functionResponse":{"id":"r1","name":"read","response":{"output":"hello"}}}]}]`, 1)
	if text == plain {
		t.Fatal("nothing is added")
	}
	want, err := importText(t, "session.jsonl", plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := importText(t, "session.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := squeeze(seen(t, got.Entries)), squeeze(seen(t, want.Entries)); a != b || len(got.Warnings) != len(want.Warnings) {
		t.Errorf("seen\n%s\nwant\n%s\n%q", a, b, got.Warnings)
	}
}
