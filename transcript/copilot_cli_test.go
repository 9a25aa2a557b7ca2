package transcript

import (
	"testing"

	"tenfold"
)

// How Copilot names what became of a question is nobody's reason: a digest told
// "denied-interactively-by-user" as what the person demanded.
func TestCopilotDenialsGiveNoReason(t *testing.T) {
	const call = `{"requestId":"r","toolCallId":"t1",`
	got, err := importText(t, "events.jsonl", `{"type":"session.start","data":{"sessionId":"s1","version":1,"producer":"copilot-agent","copilotVersion":"1.0"},"id":"e1","timestamp":"2026-04-01T08:00:00Z","parentId":null}
{"type":"user.message","data":{"content":"Mend the gate."},"id":"e2","timestamp":"2026-04-01T08:00:01Z","parentId":"e1"}
{"type":"assistant.message","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"t1","name":"bash","arguments":{"command":"ls"}}]},"id":"e3","timestamp":"2026-04-01T08:00:02Z","parentId":"e2"}
{"type":"permission.completed","data":`+call+`"result":{"kind":"denied-interactively-by-user"}},"id":"e4","timestamp":"2026-04-01T08:00:03Z","parentId":"e3"}
{"type":"permission.completed","data":`+call+`"result":{"kind":"approved-for-session"}},"id":"e5","timestamp":"2026-04-01T08:00:04Z","parentId":"e4"}
`)
	if err != nil {
		t.Fatal(err)
	}
	var all []tenfold.Approval
	for _, e := range got.Entries {
		if a, ok := e.Payload.(tenfold.Approval); ok {
			all = append(all, a)
		}
	}
	if len(all) != 2 || all[0].State != tenfold.ApprovalDenied || all[1].State != tenfold.ApprovalGranted || all[0].Reason+all[1].Reason != "" {
		t.Errorf("%+v", all)
	}
}
