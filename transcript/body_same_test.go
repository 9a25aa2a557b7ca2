package transcript

import (
	"bytes"
	"strings"
	"testing"
)

// A body in the form in which bodies are written comes back byte for byte.
func TestBodiesComeBackAsTheyWentIn(t *testing.T) {
	for format, body := range map[Format]string{
		OpenAIChat: `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"go"},` +
			`{"role":"assistant","content":"yes","reasoning_content":"hm","tool_calls":[` +
			`{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\": 1}"}},` +
			`{"id":"c2","type":"custom","custom":{"name":"patch","input":"*** Begin\n\"x\""}}]},` +
			`{"role":"tool","content":"one","tool_call_id":"c1"},{"role":"tool","content":"two","tool_call_id":"c2"},` +
			`{"role":"developer","content":"Mind the time."},{"role":"system","content":"And the place."},{"role":"user","content":"on"}]}`,
		AnthropicBody: `{"system":"Be brief.","messages":[{"role":"user","content":[{"type":"text","text":"go"}]},` +
			`{"role":"system","content":[{"type":"text","text":"Skills: none."}]},` +
			`{"role":"assistant","content":[` + strings.Repeat(`{"type":"text","text":"hm"},`, 9) +
			`{"type":"tool_use","id":"c1","name":"look","input":{"a":1}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"one"}]},{"type":"text","text":"on"}]},` +
			`{"role":"system","content":[{"type":"text","text":"Mind the time."}]}]}`,
		OpenAIResponses: `{"instructions":"Be brief.","tools":[{"type":"function","name":"look","parameters":{"type":"object"}},` +
			`{"type":"custom","name":"patch","format":{"type":"text"}},{"type":"web_search"}],"input":[` +
			`{"type":"message","role":"developer","content":[{"type":"input_text","text":"Rules."}]},` +
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},` +
			`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"Z0FB"},` +
			`{"type":"custom_tool_call","call_id":"c1","name":"patch","input":"*** Begin\n\"x\""},` +
			`{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,QQ=="}]},` +
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I see."}],"phase":"commentary"},` +
			`{"type":"message","role":"system","content":[{"type":"input_text","text":"Mind the time."}]}]}`,
	} {
		if got, err := Detect([]byte(body), "body.json"); got != format {
			t.Errorf("%s: read as %q, %v", format, got, err)
		}
		again, err := reexported([]byte(body), format)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(bytes.TrimSuffix(again, []byte("\n"))); got != body {
			t.Errorf("%s: came back as\n%s\nwant\n%s", format, got, body)
		}
	}
}
