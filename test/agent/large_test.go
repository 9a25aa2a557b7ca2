package agent_test

import (
	"fmt"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/test/modelserver"
	"tenfold/toolbox"
)

// tooLarge refuses a request as the vendors word it.
func tooLarge(wire modelserver.Wire, size, limit int) *modelserver.Error {
	switch wire {
	case modelserver.Anthropic:
		return &modelserver.Error{Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", size, limit)}
	case modelserver.Gemini:
		return &modelserver.Error{Status: 400, Type: "INVALID_ARGUMENT", Message: fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", size, limit)}
	default:
		return &modelserver.Error{Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", limit, size,
		)}
	}
}

// A server whose context is smaller than anybody said refuses a request. That is
// answered by one compaction, and the size it names is kept to from then on.
func TestAWindowThatIsSmallerThanThoughtIsLearnt(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	for i, wire := range append(wires, wires...) {
		silent := i >= len(wires) // it does not say how much it holds
		t.Run(fmt.Sprintf("%s silent %t", wire, silent), func(t *testing.T) {
			t.Parallel()
			refused := 0
			work := reads("local", 5)
			server := modelserver.New(func(r modelserver.Request) modelserver.Reply {
				if n := size(r); n > limit {
					refused++
					e := tooLarge(wire, n, limit)
					if silent {
						e.Message = "Input is too long for requested model."
					}
					return modelserver.Reply{Error: e}
				}
				return work(r)
			})
			a := worker(t, model(t, "local", wire, server, ""), agent.Options{Live: live(200_000), Tools: []toolbox.Tool{reader{lines: 120}}})
			compacted := 0
			for turn := range 3 {
				got := watch(t, a.Run(t.Context(), tenfold.Text(fmt.Sprintf("Question %d.", turn))...))
				if got.err != nil || got.stop.Reason != agent.Answered {
					t.Fatalf("turn %d: %+v, %v", turn, got.stop, got.err)
				}
				compacted += got.compacted()
			}
			if refused < 1 || (refused > 1 && !silent) || refused > compacted || compacted < 3 || len(problems(server)) > 0 {
				t.Errorf("%d requests were too large, %d compactions; refused for other reasons: %v", refused, compacted, problems(server))
			}
			holds(t, a)
		})
	}
}
