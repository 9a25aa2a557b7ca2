package body

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// OpenAIChat is the profile of OpenAI's Chat Completions API, and of the many
// servers that speak it. It carries no reasoning but that of such servers.
func OpenAIChat() Profile {
	return Profile{
		Name: "openai-chat", Provider: "openai-chat",
		write: writeOpenAIChat, check: checkOpenAIChat,
	}
}

type (
	chatBody struct {
		Messages []chatMessage    `json:"messages"`
		Tools    []jsontext.Value `json:"tools,omitzero"`
	}
	chatTool struct {
		Type     string       `json:"type"`
		Function chatFunction `json:"function"`
	}
	chatFunction struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitzero"`
		Parameters  jsontext.Value `json:"parameters,omitzero"`
		Arguments   *string        `json:"arguments,omitzero"`
	}
	chatMessage struct {
		Role       string         `json:"role"`
		Content    jsontext.Value `json:"content,omitzero"`
		Reasoning  string         `json:"reasoning_content,omitzero"`
		ToolCalls  []chatCall     `json:"tool_calls,omitzero"`
		ToolCallID string         `json:"tool_call_id,omitzero"`
	}
	chatCall struct {
		ID       string        `json:"id"`
		Type     string        `json:"type"`
		Function *chatFunction `json:"function,omitzero"`
		Custom   *chatCustom   `json:"custom,omitzero"`
	}
	chatCustom struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	}
	chatPart struct {
		Type  string     `json:"type"`
		Text  string     `json:"text,omitzero"`
		Image *chatImage `json:"image_url,omitzero"`
	}
	chatImage struct {
		URL string `json:"url"`
	}
)

func writeOpenAIChat(w *wire) any {
	body := chatBody{Messages: []chatMessage{}}
	if !tenfold.Blank(w.config.System) {
		body.Messages = append(body.Messages, chatMessage{Role: "system", Content: rawBlock(w.config.System)})
	}
	body.Tools = w.tellTools(func(name string, t tenfold.ToolDefinition) any {
		return chatTool{"function", chatFunction{Name: name, Description: t.Description, Parameters: schemaObject(t.Schema)}}
	})
	for _, m := range w.messages {
		if m.user {
			for _, s := range w.roleRuns(m) {
				body.Messages = append(body.Messages, chatUser(s)...)
			}
		} else if a := w.chatAssistant(m.items); a.Content != nil || a.ToolCalls != nil {
			body.Messages = append(body.Messages, a)
		}
	}
	return body
}

// chatUser gives a message of results, each one its own, and then what the
// user said.
func chatUser(m stretch) []chatMessage {
	var out []chatMessage
	var said []bodyPart
	for _, it := range m.items {
		switch p := it.Payload.(type) {
		case tenfold.ToolResult:
			out = append(out, chatMessage{
				Role: "tool", ToolCallID: it.callID, Content: rawBlock(plainText(resultParts(p.Parts))),
			})
		case tenfold.UserMessage:
			said = append(said, userParts(p)...)
		}
	}
	if len(said) > 0 {
		out = append(out, chatMessage{Role: cmp.Or(m.role, "user"), Content: chatContent(said)})
	}
	return out
}

// chatContent is a plain text, or parts where there are images.
func chatContent(parts []bodyPart) jsontext.Value {
	out := make([]chatPart, len(parts))
	plain := true
	for i, p := range parts {
		switch {
		case p.file == nil:
			out[i] = chatPart{Type: "text", Text: p.text}
		case p.imageURL() != "":
			out[i] = chatPart{Type: "image_url", Image: &chatImage{p.imageURL()}}
			plain = false
		default:
			out[i] = chatPart{Type: "text", Text: p.words()}
		}
	}
	if !plain {
		return rawBlock(out)
	}
	texts := make([]string, len(out))
	for i, p := range out {
		texts[i] = p.Text
	}
	return rawBlock(strings.Join(texts, "\n\n"))
}

// takesCustom reports whether a call of a custom tool may stay one. Few servers but
// OpenAI's know those: where tools are offered, this must be one of the server's own.
func (w *wire) takesCustom(name string) bool {
	return len(w.config.Tools) == 0 ||
		slices.ContainsFunc(w.config.Tools, func(t tenfold.ToolDefinition) bool { return t.Name == name && w.profile.own(t) })
}

func (w *wire) chatAssistant(items []wireItem) chatMessage {
	m := chatMessage{Role: "assistant"}
	var texts, thought []string
	for _, it := range items {
		switch p := it.Payload.(type) {
		case tenfold.AssistantMessage:
			texts = append(texts, p.Text)
		case tenfold.Reasoning:
			thought = append(thought, p.Text)
		case tenfold.ToolCall:
			if p.Custom && w.takesCustom(p.Name) {
				m.ToolCalls = append(m.ToolCalls, chatCall{
					ID: it.callID, Type: "custom", Custom: &chatCustom{w.toolName(p.Name), customInput(p.Arguments)},
				})
				continue
			}
			arguments := string(argumentsObject(p.Arguments))
			m.ToolCalls = append(m.ToolCalls, chatCall{
				ID: it.callID, Type: "function",
				Function: &chatFunction{Name: w.toolName(p.Name), Arguments: &arguments},
			})
		}
	}
	if len(texts) > 0 {
		m.Content = rawBlock(strings.Join(texts, "\n\n"))
	}
	m.Reasoning = strings.Join(thought, "\n\n")
	return m
}
