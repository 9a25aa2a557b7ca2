package intake

import (
	"strconv"

	"tenfold"
	"tenfold/tool"
)

// flags says what a result that a format does not mark as an error is (semantics
// L12). Formats that are not here say nothing.
var flags = map[Format]tool.Flag{
	ClaudeCode:  tool.FlagsAll,
	Pi:          tool.FlagsAll,
	OpenCode:    tool.FlagsTools,
	Crush:       tool.FlagsTools,
	JP:          tool.FlagsTools,
	GeminiCLI:   tool.FlagsTools,
	QwenCode:    tool.FlagsTools,
	CopilotCLI:  tool.FlagsTools,
	InspectEval: tool.FlagsTools,
	AgentDojo:   tool.FlagsTools,
	SpecStory:   tool.PlainWords,
}

// outcomes settles how the calls of a conversation ended. Importers set an
// outcome only where a field tells it, such as an exit code.
type outcomes struct {
	flag  tool.Flag
	as    bool                 // entries have the outcomes that they are to have
	calls map[[2]string]string // tools, by the branches and ids of their calls
}

func (o *outcomes) setOutcome(e *tenfold.Entry) {
	if o.as {
		return
	}
	switch p := e.Payload.(type) {
	case tenfold.ToolCall:
		o.calls[[2]string{e.Branch, p.CallID}] = p.Name
	case tenfold.ToolResult:
		if settled := tool.Settle(o.calls[[2]string{e.Branch, p.CallID}], p, o.flag); settled != p.Outcome {
			p.Outcome = settled
			e.Payload = p
		}
	}
}

// ExitCode is the outcome of a field that holds an exit code; unknown where it
// holds none.
func ExitCode(raw []byte) tenfold.Outcome {
	code, err := strconv.Atoi(string(raw))
	if err != nil {
		return ""
	}
	return tenfold.Exit(code)
}
