package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// The path tells the protocol, whatever stands before it (X2a).
func TestX2aPathsOfOpenAI(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/responses": "openai-responses", "/responses?api-version=1": "openai-responses", "/backend-api/codex/responses": "openai-responses",
		"/openai/v1/responses": "openai-responses", "/v1/chat/completions": "openai-chat", "/chat/completions/": "openai-chat",
		"/openai/deployments/gpt/chat/completions?api-version=1": "openai-chat",
		"/v1/responses/resp_1": "", "/v1/responses/compact": "", "/v1/completions": "", "/v1/models": "", "/v1/responses/input_tokens": "",
	} {
		p, kind, ok := wire.Of("POST", path)
		if ok != (want != "") || (ok && (p.Name() != want || kind != wire.Generate)) {
			t.Errorf("%s: %v, %v", path, p, ok)
		}
		if _, _, ok := wire.Of("GET", path); ok {
			t.Errorf("GET %s is a request to a model", path)
		}
	}
}

// What goes on with something that the vendor keeps passes through: what stands
// before its items is not known.
func TestX2aHistoriesKeptByTheVendorPass(t *testing.T) {
	t.Parallel()
	for body, ok := range map[string]bool{
		`{"input":"Hi"}`: true,
		`{"input":[{"role":"user","content":"Hi"}]}`:     true,
		`{"previous_response_id":null,"input":"Hi"}`:     true,
		`{"input":"Hi","previous_response_id":"resp_1"}`: false,
		`{"conversation":{"id":"conv_1"},"input":"Hi"}`:  false,
		`{"conversation":"conv_1","input":[]}`:           false,
		`{"model":"gpt-5.5"}`:                            false,
		`{"input":7}`:                                    false,
		`{"input":["Hi"]}`:                               false,
		"{\"input\":\"\xff\"}":                           false,
		`{"input":[],"input":[]}`:                        false,
		`[]`:                                             false,
	} {
		if _, err := (wire.OpenAIResponses{}).Scan("/v1/responses", []byte(body), nil); (err == nil) != ok {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// An input that is one text is a message of the user's, which nothing edits.
func TestX2aAnInputMayBeOneText(t *testing.T) {
	t.Parallel()
	v := openAI()[0]
	raw := []byte(`{"model":"m","input":"Fix \"it\"."}`)
	r, pieces, log := v.read(t, raw)
	if len(r.Messages) != 1 || len(pieces[0]) != 2 || fmt.Sprint(pieces[0][1].Entry.Payload) != fmt.Sprint(tenfold.UserMessage{Parts: tenfold.Text(`Fix "it".`)}) {
		t.Fatalf("%+v", pieces)
	}
	if _, err := v.Edit(r, 1, pieces, tenfold.Project(log).List()); err == nil {
		t.Error("it was edited")
	}
}

// head and turns of one request of each protocol, as clients write them.
const (
	codexLike = `{"model":"gpt-5.5","instructions":"Be brief.","tools":[{"type":"function","name":"exec","description":"Runs.","parameters":{"type":"object"}},{"type":"custom","name":"apply_patch","description":"Edits."},{"type":"web_search"}],
"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>ask</permissions instructions>"}]},
{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/x</cwd>\n</environment_context>"}]},
{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."},{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"high"}]},
{"type":"additional_tools","role":"developer","tools":[]},
{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
{"type":"local_shell_call","id":"ls_1","call_id":"c1","action":{"type":"exec","command":["ls","-l"]}},
{"type":"local_shell_call_output","call_id":"c1","output":"a.go\nb.go"},
{"type":"tool_search_call","call_id":"c2","arguments":{"query":"x"}},
{"type":"tool_search_output","call_id":"c2","tools":[{"type":"function","name":"found"}]},
{"type":"function_call","id":"fc_1","call_id":"c3","name":"exec","arguments":"{\"cmd\":\"ls\"}"},
{"type":"function_call_output","call_id":"c3","output":[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"data:image/png;base64,BBBB"}]},
{"type":"compaction","encrypted_content":"gBBB"},
{"role":"assistant","content":"Done."}]}`
	chatLike = `{"model":"m","stream":true,"messages":[{"role":"system","content":"Be brief."},{"role":"developer","content":[{"type":"text","text":"And kind.","cache_control":{"type":"ephemeral"}}]},
{"role":"user","content":[{"type":"text","text":"<environment_details>x</environment_details>"},{"type":"text","text":"Fix it."},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,CCCC"}}]},
{"role":"assistant","content":null,"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","signature":"s"}],"tool_calls":[{"id":"c1","type":"function","function":{"name":"exec","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},
{"role":"system","content":"Now in plan mode."},
{"role":"assistant","content":"","function_call":{"name":"old","arguments":"{\"a\":1}"}},
{"role":"function","name":"old","content":"{\"b\":2}"},
{"role":"assistant","content":[{"type":"text","text":"Done."},{"type":"refusal","refusal":"No."}]}],
"functions":[{"name":"old","parameters":{"type":"object"}}]}`
)

// Each kind of item is read as what it is (X2a, L5, L11).
func TestX2aItemsOfOpenAIAreRead(t *testing.T) {
	t.Parallel()
	for i, want := range []string{
		`config_delta system="Be brief." tools=exec apply_patch web_search|user_message developer context <permissions|user_message context <environment_|` +
			`turn_start|user_message Fix it. [image/png]|reasoning gAAA|tool_call c1 local_shell {"type":"exec","command":["ls","-l"]}|tool_result c1 a.go|` +
			`tool_call c2 tool_search {"query":"x"}|tool_result c2 [{"type":"function","name":"found"}]|tool_call c3 exec {"cmd":"ls"}|tool_result c3 one [image/png]|assistant_message Done.`,
		`config_delta system="Be brief.\n\nAnd kind." tools=old|user_message context <environment_|turn_start|user_message Fix it. [image/png] [application/pdf]|` +
			`reasoning Hm.|tool_call c1 exec {}|tool_result c1 one two|user_message system context Now|tool_call old old {"a":1}|tool_result old {"b":2}|assistant_message Done.|assistant_message No.`,
	} {
		_, _, log := openAI()[i].read(t, []byte([]string{codexLike, chatLike}[i]))
		var got []string
		for e := range log.Entries() {
			got = append(got, described(e.Payload))
		}
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("read\n%s\nwant\n%s", all, want)
		}
	}
}

// described is a payload in a few words.
func described(p tenfold.Payload) string {
	words := []string{string(p.Kind())}
	parts := func(list []tenfold.Part) {
		for _, p := range list {
			if p.File != nil {
				words = append(words, "["+p.File.MediaType+"]")
				continue
			}
			words = append(words, strings.Split(p.Text, "\n")[0])
		}
	}
	switch p := p.(type) {
	case tenfold.ConfigDelta:
		words = append(words, fmt.Sprintf("system=%q", *p.System))
		for i, t := range *p.Tools {
			if t.Name == "" {
				t.Name = "web_search"
			}
			words = append(words, strings.Repeat("tools=", max(0, 1-i))+t.Name)
		}
	case tenfold.UserMessage:
		if p.Role != "" {
			words = append(words, p.Role)
		}
		if p.Purpose != "" {
			words = append(words, string(p.Purpose))
			p.Parts[0].Text = p.Parts[0].Text[:min(len(p.Parts[0].Text), 13)]
			p.Parts[0].Text = strings.Fields(p.Parts[0].Text)[0]
		}
		parts(p.Parts)
	case tenfold.ToolCall:
		words = append(words, p.CallID, p.Name, p.Arguments)
	case tenfold.ToolResult:
		words = append(words, p.CallID)
		parts(p.Parts)
	case tenfold.Reasoning:
		words = append(words, strings.TrimSpace(p.Text+p.Encrypted))
	case tenfold.AssistantMessage:
		words = append(words, p.Text)
	}
	return strings.Join(words, " ")
}
