package tenfold_test

import (
	"strings"
	"testing"

	"tenfold"
)

func TestRefusal(t *testing.T) {
	for text, want := range map[string]string{
		"The user doesn't want to proceed with this. To tell you how to proceed, the user said:\nnot like that":  "\nnot like that",
		"The user doesn't want to proceed with this tool use.":                                                   "",
		"Error: The user rejected permission to use this specific tool call with the following feedback: no":     " no",
		"The user rejected this tool call. User feedback: no":                                                    " no",
		"[write_to_file for 'a'] Result:\nThe user denied this operation and said:\n<feedback>\nno\n</feedback>": "\nno\n</feedback>",
		`{"status":"denied","message":"The user denied this operation and so on","feedback":"no, \"b\""}`:        `no, \"b\""}`,
		`{"status":"denied","message":"The user denied this operation."}`:                                        "",
		`{"status":"denied","was":`:       "",
		"The user denied this operation.": "",
		"grep: the user said: nothing":    "",
		"":                                "",
	} {
		if got, ok := tenfold.Refusal(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

// P5: the stub of a refused call quotes the person, in whatever words and lines, and
// never what the host says around them.
func TestP5StubsOfRefusedCallsQuoteThePerson(t *testing.T) {
	const (
		host   = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
		said   = host + " To tell you how to proceed, the user said:\n"
		advice = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."
	)
	for text, want := range map[string]string{
		said + "No, use the other oven.":                                                                        "No, use the other oven.",
		said + "No.\nUse the other oven,\n  and never the first." + advice:                                      "No. Use the other oven, and never the first.",
		"The user denied this operation and said:\n<feedback>\nNo, wait.\n</feedback>":                          "No, wait.",
		`{"status":"denied","message":"The user denied this operation and so on","feedback":"No,\nuse \"b\"."}`: `No, use "b".`,
		host + " STOP what you are doing and wait." + advice:                                                    host + " STOP what you are doing and wait.",
		"it broke" + advice: "Note: The user's next message may contain a correction or preference. Pay close attention.",
	} {
		l := tenfold.NewLog()
		for _, p := range []tenfold.Payload{
			tenfold.UserMessage{Parts: tenfold.Text("bake")},
			tenfold.ToolCall{CallID: "c", Name: "Bash", Arguments: "{}"},
			tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(text), IsError: true},
			tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}},
		} {
			if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		for it := range tenfold.Project(l).Items() {
			if it.Seq == 3 {
				_, got, _ = strings.Cut(tenfold.TextLines(it.Payload), "\n")
			}
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
