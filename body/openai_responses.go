package body

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// OpenAIResponses is the profile of OpenAI's Responses API used without stored
// state: encrypted reasoning goes back as it came, ahead of the item it was
// made for. Newer models drop what follows a change of the messages before it, and a
// projection has let go of that (P10a).
func OpenAIResponses() Profile {
	return Profile{
		Name: "openai-responses", Provider: "openai",
		write: writeResponses, check: checkResponses,
	}
}

type (
	responsesBody struct {
		Instructions string           `json:"instructions,omitzero"`
		Tools        []jsontext.Value `json:"tools,omitzero"`
		Input        []jsontext.Value `json:"input"`
	}
	responsesTool struct {
		Type        string         `json:"type"`
		Name        string         `json:"name"`
		Description string         `json:"description,omitzero"`
		Parameters  jsontext.Value `json:"parameters"`
	}
	responsesItem struct {
		Type      string           `json:"type"`
		Role      string           `json:"role,omitzero"`
		Content   []responsesPart  `json:"content,omitzero"`
		ID        string           `json:"id,omitzero"`
		Phase     string           `json:"phase,omitzero"`
		Summary   *[]responsesPart `json:"summary,omitzero"`
		Encrypted string           `json:"encrypted_content,omitzero"`
		CallID    string           `json:"call_id,omitzero"`
		Name      string           `json:"name,omitzero"`
		Arguments *string          `json:"arguments,omitzero"`
		Input     *string          `json:"input,omitzero"`
		Output    jsontext.Value   `json:"output,omitzero"`
	}
	responsesPart struct {
		Type  string `json:"type"`
		Text  string `json:"text,omitzero"`
		Image string `json:"image_url,omitzero"`
	}
)

func writeResponses(w *wire) any {
	body := responsesBody{Instructions: nonBlank(w.config.System), Input: []jsontext.Value{}}
	body.Tools = w.tellTools(func(name string, t tenfold.ToolDefinition) any {
		return responsesTool{"function", name, t.Description, schemaObject(t.Schema)}
	})
	for _, m := range w.messages {
		items := m.items
		if !m.user {
			// Reasoning stands for nothing without the item after it.
			for len(items) > 0 && items[len(items)-1].Payload.Kind() == tenfold.KindReasoning {
				items = items[:len(items)-1]
			}
		}
		for _, it := range items {
			body.Input = append(body.Input, w.responsesInput(it)...)
		}
	}
	return body
}

func (w *wire) responsesInput(it wireItem) []jsontext.Value {
	switch p := it.Payload.(type) {
	case tenfold.UserMessage:
		if parts := responsesParts(userParts(p)); len(parts) > 0 {
			return []jsontext.Value{rawBlock(responsesItem{Type: "message", Role: cmp.Or(w.role(it), "user"), Content: parts})}
		}
	case tenfold.AssistantMessage:
		if p.Phase != "commentary" && p.Phase != "final_answer" {
			p.Phase = "" // any other is refused
		}
		return []jsontext.Value{rawBlock(responsesItem{
			Type: "message", Role: "assistant", Content: []responsesPart{{Type: "output_text", Text: p.Text}}, Phase: p.Phase,
		})}
	case tenfold.Reasoning:
		summary := []responsesPart{}
		if !tenfold.Blank(p.Text) {
			summary = append(summary, responsesPart{Type: "summary_text", Text: p.Text})
		}
		return []jsontext.Value{rawBlock(responsesItem{
			Type: "reasoning", ID: p.ItemID, Summary: &summary, Encrypted: p.Encrypted,
		})}
	case tenfold.ToolCall:
		if p.Custom {
			w.custom[it.callID] = true
			input := customInput(p.Arguments)
			return []jsontext.Value{rawBlock(responsesItem{
				Type: "custom_tool_call", CallID: it.callID, Name: w.toolName(p.Name), Input: &input,
			})}
		}
		arguments := string(argumentsObject(p.Arguments))
		return []jsontext.Value{rawBlock(responsesItem{
			Type: "function_call", CallID: it.callID, Name: w.toolName(p.Name), Arguments: &arguments,
		})}
	case tenfold.ToolResult:
		kind := "function_call_output"
		if w.custom[it.callID] {
			kind = "custom_tool_call_output"
		}
		return []jsontext.Value{rawBlock(responsesItem{Type: kind, CallID: it.callID, Output: responsesOutput(p.Parts)})}
	case tenfold.ProviderItem:
		return []jsontext.Value{jsontext.Value(p.Data)}
	}
	return nil
}

// responsesOutput is a text, or a list where there are images to be seen.
func responsesOutput(result []tenfold.Part) jsontext.Value {
	parts := resultParts(result)
	for _, p := range parts {
		if p.imageURL() != "" {
			return rawBlock(responsesParts(parts))
		}
	}
	return rawBlock(plainText(parts))
}

func responsesParts(parts []bodyPart) []responsesPart {
	out := make([]responsesPart, len(parts))
	for i, p := range parts {
		switch {
		case p.file == nil:
			out[i] = responsesPart{Type: "input_text", Text: p.text}
		case p.imageURL() != "":
			out[i] = responsesPart{Type: "input_image", Image: p.imageURL()}
		default:
			out[i] = responsesPart{Type: "input_text", Text: p.words()}
		}
	}
	return slices.Clip(out)
}
