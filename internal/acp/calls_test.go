package acp_test

import (
	"context"
	"iter"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/toolbox"
)

// Some servers count the calls of each answer anew, or give them no ids. To an editor an id is
// one call of the session: the second would take the place of the first.
func TestCallsOfOneIDAreSeveral(t *testing.T) {
	t.Parallel()
	call := func(id, path string) tenfold.ToolCall {
		return tenfold.ToolCall{CallID: id, Name: "fs_read_file", Arguments: `{"path":"` + path + `"}`}
	}
	second := call("call_0", "b")
	h := newHost(func(p *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			all := events(
				entry(call("call_0", "a")), entry(textResult("call_0", "A")),
				entry(second), agent.Event{Running: &agent.Running{Call: second}},
				agent.Event{Output: &agent.Output{CallID: "call_0", Text: "half"}},
			)
			for e := range all {
				if e.Stop == nil && !yield(e, nil) {
					return
				}
			}
			if _, err := p.approver.Approve(ctx, agent.Question{Call: second, Intent: toolbox.Intent{Effect: toolbox.Reads}}); err != nil {
				t.Error(err)
			}
			for e := range events(
				entry(textResult("call_0", "B")),
				entry(call("", "c")), entry(call("", "d")), entry(textResult("", "C")), entry(textResult("", "D")),
			) {
				if !yield(e, nil) {
					return
				}
			}
		}
	})
	c := connect(t, h)
	c.answer = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		return sdk.NewRequestPermissionOutcomeSelected("allow")
	}
	id := c.begin(t)
	soon(t, "the greeting", func() bool { return len(c.updates(id)) > 0 })
	c.say(t, id, "go")
	compare(t, outline(c.updates(id)), `
command: /compact
command: /undo
call call_0 [read, pending] fs_read_file a
update call_0 completed | `+"```⏎A⏎```"+`
call call_0#2 [read, pending] fs_read_file b
update call_0#2 in_progress fs_read_file
update call_0#2 | `+"```⏎half⏎```"+`
update call_0#2 completed | `+"```⏎B⏎```"+`
call call [read, pending] fs_read_file c
call call#2 [read, pending] fs_read_file d
update call completed | `+"```⏎C⏎```"+`
update call#2 completed | `+"```⏎D⏎```")
	if len(c.asked) != 1 || c.asked[0].ToolCall.ToolCallId != "call_0#2" {
		t.Errorf("asked about %+v", c.asked)
	}
}
