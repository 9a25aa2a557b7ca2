package tenfold_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
)

// The call of a custom tool that is not offered is one of a function to a server of chat
// completions, as few but OpenAI's know others; of one of the server's own it stays.
func TestP10CustomCallsOfChatCompletions(t *testing.T) {
	functions := []tenfold.ToolDefinition{{Name: "read", Schema: `{"type":"object"}`}}
	own := tenfold.ToolDefinition{Name: "apply_patch", Provider: body.OpenAIChat().Provider, Data: `{"type":"custom","custom":{"name":"apply_patch"}}`}
	for want, tools := range map[string][]tenfold.ToolDefinition{
		`"type":"function","function":{"name":"apply_patch","arguments":"{\"input\":\"x\"}"}`: functions,
		`"type":"custom","custom":{"name":"apply_patch","input":"x"}`:                         append(functions, own),
	} {
		customCalls(t, want, tools)
	}
}

func customCalls(t *testing.T, want string, tools []tenfold.ToolDefinition) {
	t.Helper()
	log := tenfold.NewLog()
	for i, p := range []tenfold.Payload{
		tenfold.ConfigDelta{Tools: &tools},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("go")},
		tenfold.ToolCall{CallID: "c", Name: "apply_patch", Arguments: `{"input":"x"}`, Custom: true},
		tenfold.ToolResult{CallID: "c", Parts: tenfold.Text("done")},
	} {
		if _, err := log.Append(tenfold.Entry{ID: string(rune('a' + i)), Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := body.OpenAIChat().Write(tenfold.Project(log))
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("no %s in\n%s (%v)", want, got, err)
	}
}

// Roles, custom tools and a server's own reasoning go back as they came to who
// knows them, and as what everybody knows to the others.
func TestP10Roles(t *testing.T) {
	log := tenfold.NewLog()
	say := func(text, role, provider string) tenfold.UserMessage {
		return tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: role != "", Role: role, Provider: provider}
	}
	tools := []tenfold.ToolDefinition{
		{Name: "patch", Schema: `{"type":"object"}`, Provider: "openai", Data: `{"type":"custom","name":"patch"}`},
		{Name: "web_search", Provider: "openai", Data: `{"type":"web_search"}`},
	}
	for i, p := range []tenfold.Payload{
		tenfold.ConfigDelta{Tools: &tools},
		say("rules", "developer", "openai"),
		tenfold.TurnStart{},
		say("go", "", ""),
		tenfold.Reasoning{Text: "hm", Provider: "openai-chat"},
		tenfold.ToolCall{CallID: "c", Name: "patch", Arguments: `{"input":"a \"b\""}`, Custom: true},
		tenfold.ToolResult{CallID: "c", Parts: tenfold.Text("done")},
		say("mind", "system", "anthropic"),
		say("on", "", ""),
	} {
		if _, err := log.Append(tenfold.Entry{ID: string(rune('a' + i)), Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][]string{
		"openai-responses": {
			`"tools":[{"type":"custom","name":"patch"},{"type":"web_search"}]`,
			`"role":"developer","content":[{"type":"input_text","text":"rules"}]`,
			`{"type":"custom_tool_call","call_id":"c","name":"patch","input":"a \"b\""}`,
			`{"type":"custom_tool_call_output","call_id":"c","output":"done"}`,
			`"role":"system","content":[{"type":"input_text","text":"mind"}]`,
		},
		"openai-chat": {
			`{"role":"developer","content":"rules"},{"role":"user","content":"go"}`,
			`"reasoning_content":"hm"`, `"name":"patch","arguments":"{\"input\":`,
			`{"role":"system","content":"mind"},{"role":"user","content":"on"}`,
		},
		"anthropic": {
			`"system":"rules"`, `{"role":"user","content":[{"type":"text","text":"go"}]}`,
			`{"type":"text","text":"on"}]},{"role":"system","content":[{"type":"text","text":"mind"}]}`,
			`"input":{"input":"a \"b\""}`,
		},
		"gemini": {`"systemInstruction":{"parts":[{"text":"rules"}]}`, `{"text":"mind"},{"text":"on"}`},
	}
	for _, profile := range body.Profiles() {
		body, err := profile.Write(tenfold.Project(log))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want[profile.Name] {
			if !strings.Contains(string(body), part) {
				t.Errorf("%s: no %s in\n%s", profile.Name, part, body)
			}
		}
		if v := profile.Check(body); len(v) > 0 {
			t.Errorf("%s: %v", profile.Name, v)
		}
	}
}

// Anthropic takes texts of the system's amid a conversation, and no files: those are the user's there.
func TestP10FilesOfTheSystemAreTheUsers(t *testing.T) {
	png := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, MediaType: "image/png", URI: "data:image/png;base64,iVBORw0KGgo="}}
	p := project(t, user("look"), entry(tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("here"), png}, Role: "system", Provider: "anthropic"}))
	same(t, "roles", wire(t, body.Anthropic(), p), []string{
		"user look", "user here", `user {"source":{"data":"iVBORw0KGgo=","media_type":"image/png","type":"base64"},"type":"image"}`,
	})
}

// Where no user speaks before the model, a message of another role opens the
// body as the user's, or stands in the system prompt and leaves that to us.
func TestP10RolesLeaveTheUserTheFirstWord(t *testing.T) {
	log := tenfold.NewLog()
	for i, p := range []tenfold.Payload{
		tenfold.UserMessage{Parts: tenfold.Text("rules"), Synthetic: true, Role: "system", Provider: "anthropic"},
		tenfold.AssistantMessage{Text: "hello"},
	} {
		if _, err := log.Append(tenfold.Entry{ID: string(rune('a' + i)), Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	for _, profile := range body.Profiles() {
		body, err := profile.Write(tenfold.Project(log))
		if err != nil {
			t.Fatal(err)
		}
		if v := profile.Check(body); len(v) > 0 || !strings.Contains(string(body), `"role":"user"`) {
			t.Errorf("%s: %v in %s", profile.Name, v, body)
		}
	}
}
