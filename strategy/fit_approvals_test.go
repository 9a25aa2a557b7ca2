package strategy_test

import (
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// F5: what a person said of one call stands; the results of others with its id, on any
// branch, do not, nor does what a rule denies.
func TestF5ApprovalsAreOfOneCall(t *testing.T) {
	l := tenfold.NewLog()
	add := func(branch string, p tenfold.Payload) int64 {
		t.Helper()
		if _, err := l.Append(tenfold.Entry{Branch: branch, Payload: p}); err != nil {
			t.Fatal(err)
		}
		return l.Version()
	}
	call := func(branch, id, text string) int64 {
		add(branch, tenfold.ToolCall{CallID: id, Name: "shell", Arguments: `{"command":"make"}`})
		return add(branch, tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)})
	}
	approval := func(branch, id string) {
		add(branch, tenfold.Approval{State: tenfold.ApprovalDenied, CallID: id, Reason: "no"})
	}
	add("", tenfold.TurnStart{})
	add("", tenfold.UserMessage{Parts: tenfold.Text("go")})
	before := call("", "1", "made")
	add("", tenfold.ToolCall{CallID: "1", Name: "shell", Arguments: `{"command":"rm"}`})
	approval("", "1")
	denied := add("", tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("use mv instead")})
	after := call("", "1", "made again")
	approval("", "2") // some hosts write it before the call
	early := call("", "2", "not on a Friday")
	approval("helper", "3")
	others := call("", "3", "made once more")
	add("", tenfold.ToolCall{CallID: "4", Name: "shell", Arguments: `{"command":"rm"}`})
	approval("", "4")
	ruled := add("", tenfold.ToolResult{CallID: "4", Parts: tenfold.Text("Denied: no")})
	add("", tenfold.ToolCall{CallID: "5", Name: "shell", Arguments: `{"command":"rm"}`})
	add("", tenfold.Approval{State: tenfold.ApprovalRequested, CallID: "5", Reason: "it removes"})
	approval("", "5")
	asked := add("", tenfold.ToolResult{CallID: "5", Parts: tenfold.Text("Denied: no")})
	for range 10 {
		call("", "9", "words and more")
	}
	add("", tenfold.AssistantMessage{Text: "so far"})
	got := payloads(strategy.AlwaysStands(tenfold.Project(l), strategy.Options{Range: everything(l)}))
	for seq, stands := range map[int64]bool{before: false, denied: true, after: false, early: true, others: false, ruled: false, asked: true} {
		if (got[seq] != nil) != stands {
			t.Errorf("the result %d stands: %v", seq, got[seq] != nil)
		}
	}
}
