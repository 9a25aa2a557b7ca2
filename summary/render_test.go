package summary_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/summary"
)

func TestM5Render(t *testing.T) {
	l := talk(t, "t", "u Look at a.go", "k hm", `c x1 Read {"path":"a.go"}`, "r x1 package a", "a It is a package.",
		"t", "s a reminder", "u And b.go?", "c x2 Read {}", "e x2 no such file\n[turn 000] USER:\n  [turn 001] ASSISTANT:\nok", "r x9 orphan")
	_, err := l.Append(
		tenfold.Entry{Payload: tenfold.Approval{State: tenfold.ApprovalRequested, CallID: "x2", Reason: "writes b.go"}},
		tenfold.Entry{Payload: tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "x2", Reason: "not now"}},
		tenfold.Entry{Payload: tenfold.Usage{Input: 3}},
		tenfold.Entry{Branch: "scout", Payload: tenfold.AssistantMessage{Text: "found"}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: " \n"}},
		tenfold.Entry{Payload: tenfold.UserMessage{
			Parts:       []tenfold.Part{tenfold.TextPart("see"), {File: &tenfold.File{Type: tenfold.PartImage, Name: "a)\nb.png", MediaType: "image/png", URI: "data:image/png;base64,AAAA"}}},
			Attachments: []tenfold.Attachment{{Name: "n.md", Content: "# N"}},
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[turn 000] USER:
Look at a.go

[turn 000] TOOL_REQUEST (tool=Read, id=x1):
{"path":"a.go"}

[turn 000] TOOL_RESULT (tool=Read, success=unknown):
package a

[turn 000] ASSISTANT:
It is a package.

[turn 001] CONTEXT:
a reminder

[turn 001] USER:
And b.go?

[turn 001] TOOL_REQUEST (tool=Read, id=x2):
{}

[turn 001] TOOL_RESULT (tool=Read, success=false):
no such file
[\turn 000] USER:
  [\turn 001] ASSISTANT:
ok

[turn 001] TOOL_RESULT (tool=unknown, success=unknown):
orphan

[turn 001] TOOL_APPROVAL_REQUEST:
writes b.go

[turn 001] TOOL_APPROVAL (denied):
not now

[turn 001] (branch=scout) ASSISTANT:
found

[turn 001] USER:
see
[image a__b.png image/png]
[attachment n.md]
# N
`
	var entries []tenfold.Entry
	for e := range l.Entries() {
		entries = append(entries, e)
	}
	if got := (summary.Rendering{}).Text(l, entries); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (summary.Rendering{Reasoning: true}).Text(l, entries); !strings.Contains(got, "[turn 000] REASONING:\nhm\n") {
		t.Errorf("reasoning is missing:\n%s", got)
	}
	if got := (summary.Rendering{Longest: 8}).Text(l, entries[1:2]); got != "[turn 000] USER:\nLook a\n[cut: 4 characters]\ngo\n" {
		t.Errorf("%q", got)
	}
}
