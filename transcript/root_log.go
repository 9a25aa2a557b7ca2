package transcript

import (
	"tenfold"
)

// rootLog knows where the root of a conversation stands (L5, L6): it has a log
// count the turns and steps of the entries as they pass, without their texts.
type rootLog struct {
	place
	log *tenfold.Log
}

// place is a point of the root.
type place struct {
	turn, step int
	// opened says that something stands before it.
	opened bool
	// answered says that something of the model's stands in the step.
	answered bool
}

// here is where the conversation stands now.
func (o *rootLog) here() place { return o.place }

// see takes the next entry of the conversation.
func (o *rootLog) see(e tenfold.Entry) {
	if o == nil || e.Branch != "" {
		return
	}
	bones := tenfold.Entry{ID: e.ID, MessageID: e.MessageID, Tokens: 1}
	result := false
	switch p := e.Payload.(type) {
	case tenfold.TurnStart:
		bones.Payload = p
	case tenfold.ProviderItem:
		bones.Payload = tenfold.ProviderItem{}
	case tenfold.UserMessage:
		bones.Payload = tenfold.UserMessage{}
	case tenfold.AssistantMessage:
		bones.Payload = tenfold.AssistantMessage{}
	case tenfold.Reasoning:
		bones.Payload = tenfold.Reasoning{}
	case tenfold.ToolCall:
		bones.Payload = tenfold.ToolCall{CallID: p.CallID}
	case tenfold.ToolResult:
		bones.Payload, result = tenfold.ToolResult{CallID: p.CallID}, true
	default:
		return
	}
	if o.log == nil {
		o.log = tenfold.NewLog()
	}
	if n, err := o.log.Append(bones); err != nil || n == 0 {
		return // the log of whoever imports will not have it either
	}
	o.opened = true
	if result {
		return // it stands where its call does
	}
	o.turn, o.step, _ = o.log.Where(o.log.Version())
	kind := e.Payload.Kind()
	o.answered = kind != tenfold.KindTurnStart && kind != tenfold.KindUserMessage
}
