package engine

import (
	"tenfold"
)

// RootLog knows where the root of a conversation stands (L5, L6): it has a log
// count the turns and steps of the entries as they pass, without their texts.
type RootLog struct {
	Place
	log *tenfold.Log
}

// Place is a point of the root.
type Place struct {
	Turn, Step int
	// Opened says that something stands before it.
	Opened bool
	// Answered says that something of the model's stands in the step.
	Answered bool
}

// Here is where the conversation stands now.
func (o *RootLog) Here() Place { return o.Place }

// See takes the next entry of the conversation.
func (o *RootLog) See(e tenfold.Entry) {
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
	o.Opened = true
	if result {
		return // it stands where its call does
	}
	o.Turn, o.Step, _ = o.log.Where(o.log.Version())
	kind := e.Payload.Kind()
	o.Answered = kind != tenfold.KindTurnStart && kind != tenfold.KindUserMessage
}
