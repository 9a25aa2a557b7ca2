package body

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// checkOpenAIChat follows Chat Completions: after a message with calls come
// the tool messages of all of them and nothing else before; contents are not
// empty; the first message that is not a system prompt is the user's.
func checkOpenAIChat(body []byte) []Violation {
	var r report
	var b struct {
		Tools    []checkedChatTool `json:"tools"`
		Messages []struct {
			Role       string         `json:"role"`
			Content    jsontext.Value `json:"content"`
			ToolCallID string         `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
				Custom struct {
					Name  string  `json:"name"`
					Input *string `json:"input"`
				} `json:"custom"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if !r.read("body", body, &b) {
		return r.list
	}
	checkTools(&r, chatFunctions(b.Tools), toolNames())
	ids := newCalls()
	first := true
	for i, m := range b.Messages {
		path := at("messages", i)
		if m.Role != "tool" {
			ids.settled(&r, path)
		}
		if first && m.Role != "system" && m.Role != "developer" {
			first = false
			if m.Role != "user" {
				r.addf(path, "the first message is the %s's, not the user's", m.Role)
			}
		}
		switch m.Role {
		case "system", "developer", "user":
			checkContent(&r, path+".content", m.Content)
		case "assistant":
			if len(m.ToolCalls) == 0 || len(m.Content) > 0 {
				checkContent(&r, path+".content", m.Content)
			}
			for j, call := range m.ToolCalls {
				p := at(path+".tool_calls", j)
				ids.call(&r, p, call.ID)
				if len(call.ID) > 40 {
					r.addf(p, "a call id longer than 40 characters")
				}
				if call.Type == "custom" {
					checkTool(&r, p, call.Custom.Name, toolNames())
					if call.Custom.Input == nil {
						r.addf(p, "a call of a custom tool without input")
					}
					continue
				}
				checkTool(&r, p, call.Function.Name, toolNames())
				checkObject(&r, p+".arguments", jsontext.Value(call.Function.Arguments))
				if call.Type != "function" {
					r.addf(p, "type is %q", call.Type)
				}
			}
		case "tool":
			ids.result(&r, path, m.ToolCallID)
			if m.Content.Kind() != '"' {
				r.addf(path+".content", "a tool message's content is a text")
			}
		default:
			r.addf(path, "role is %q", m.Role)
		}
	}
	checkBegun(&r, "messages", !first)
	ids.settled(&r, "messages")
	return r.list
}

// checkContent checks a text, or a list of parts of which texts are not empty.
func checkContent(r *report, path string, v jsontext.Value) {
	switch v.Kind() {
	case '"':
		var text string
		if r.read(path, v, &text) {
			checkText(r, path, text)
		}
	case '[':
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if !r.read(path, v, &parts) {
			return
		}
		if len(parts) == 0 {
			r.addf(path, "an empty content")
		}
		for i, p := range parts {
			if p.Type == "text" {
				checkText(r, at(path, i), p.Text)
			}
		}
	default:
		r.addf(path, "no content")
	}
}

// checkResponses follows the Responses API: outputs answer calls that stand
// before them, at once; reasoning has the item it was made for after it.
func checkResponses(body []byte) []Violation {
	var r report
	var b struct {
		Tools []jsontext.Value `json:"tools"`
		Input []jsontext.Value `json:"input"`
	}
	if !r.read("body", body, &b) {
		return r.list
	}
	checkTools(&r, functionTools(&r, b.Tools, "function"), toolNames())
	checkBegun(&r, "input", len(b.Input) > 0)
	ids := newCalls()
	reasoning, answered, first := -1, false, true
	for i, raw := range b.Input {
		path := at("input", i)
		var it checkedItem
		if !readTyped(&r, path, raw, &it, "message", "reasoning", "function_call", "function_call_output",
			"custom_tool_call", "custom_tool_call_output") {
			continue
		}
		call := it.Type == "function_call" || it.Type == "custom_tool_call"
		output := it.Type == "function_call_output" || it.Type == "custom_tool_call_output"
		theirs := output || (it.Type == "message" && it.Role == "user")
		if theirs && reasoning >= 0 {
			r.addf(at("input", reasoning), "reasoning without the item it was made for")
		}
		if it.Type != "reasoning" {
			reasoning = -1
		}
		if it.Type == "message" || (call && answered) {
			ids.settled(&r, path)
		}
		answered = output
		if first && it.Role != "system" && it.Role != "developer" {
			first = false
			if output || (it.Type == "message" && it.Role == "assistant") {
				r.addf(path, "the first item is not the user's")
			}
		}
		if it.Type == "reasoning" {
			reasoning = i
		}
		checkResponsesItem(&r, ids, path, it)
	}
	if reasoning >= 0 {
		r.addf(at("input", reasoning), "reasoning without the item it was made for")
	}
	ids.settled(&r, "input")
	return r.list
}

// checkResponsesItem checks what an item holds.
func checkResponsesItem(r *report, ids *calls, path string, it checkedItem) {
	switch it.Type {
	case "message":
		checkContentParts(r, path+".content", it.Content)
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, it.Role) {
			r.addf(path, "role is %q", it.Role)
		}
	case "reasoning":
		if it.Encrypted == "" || it.Summary == nil {
			r.addf(path, "reasoning without encrypted content and summary")
		}
	case "function_call":
		ids.call(r, path, it.CallID)
		checkTool(r, path, it.Name, toolNames())
		checkObject(r, path+".arguments", jsontext.Value(it.Arguments))
	case "custom_tool_call":
		ids.call(r, path, it.CallID)
		checkTool(r, path, it.Name, toolNames())
		if it.Input == nil {
			r.addf(path, "a call of a custom tool without input")
		}
	case "function_call_output", "custom_tool_call_output":
		ids.result(r, path, it.CallID)
		if k := it.Output.Kind(); k != '"' && k != '[' {
			r.addf(path, "an output without text")
		}
	}
}

// checkedChatTool is what is checked of a tool of the Chat Completions API.
type checkedChatTool struct {
	Type     string    `json:"type"`
	Function namedTool `json:"function"`
}

func chatFunctions(tools []checkedChatTool) (functions []namedTool) {
	for _, t := range tools {
		if t.Type == "" || t.Type == "function" {
			functions = append(functions, t.Function)
		}
	}
	return functions
}

// functionTools are the tools that are functions, by the type that says so or for
// want of one: of a provider's own nothing is known but the type.
func functionTools(r *report, tools []jsontext.Value, function string) []namedTool {
	var functions []namedTool
	for i, raw := range tools {
		var t struct {
			Type string `json:"type"`
			namedTool
		}
		if readTyped(r, at("tools", i), raw, &t, function, "") && (t.Type == "" || t.Type == function) {
			functions = append(functions, t.namedTool)
		}
	}
	return functions
}

// checkedItem is what is checked of an item of the Responses API.
type checkedItem struct {
	Type      string           `json:"type"`
	Role      string           `json:"role"`
	Content   []jsontext.Value `json:"content"`
	Encrypted string           `json:"encrypted_content"`
	Summary   *[]any           `json:"summary"`
	CallID    string           `json:"call_id"`
	Name      string           `json:"name"`
	Arguments string           `json:"arguments"`
	Input     *string          `json:"input"`
	Output    jsontext.Value   `json:"output"`
}

func checkContentParts(r *report, path string, content []jsontext.Value) {
	if len(content) == 0 {
		r.addf(path, "an empty message")
	}
	for i, raw := range content {
		var p struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if r.read(at(path, i), raw, &p) && (p.Type == "input_text" || p.Type == "output_text") {
			checkText(r, at(path, i), p.Text)
		}
	}
}
