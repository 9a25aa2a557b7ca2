package body_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/body"
)

// violations checks what a profile's Check finds in bodies made by hand.
// The want of a body lists violations as "path: problem"; a want that ends in
// "…" is the beginning of one.
func violations(t *testing.T, f body.Profile, bodies map[string][]string) {
	t.Helper()
	for body, want := range bodies {
		var got []string
		for _, v := range f.Check([]byte(body)) {
			got = append(got, v.String())
		}
		if len(got) == len(want) {
			for i, w := range want {
				if begin, ok := strings.CutSuffix(w, "…"); ok && strings.HasPrefix(got[i], begin) {
					got[i] = w
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s %s (-want +got):\n%s", f.Name, body, d)
		}
	}
}

func TestP10CheckFindsWhatIsNoBody(t *testing.T) {
	for _, f := range body.Profiles() {
		for _, body := range []string{"", "{", `{"messages":[}`, "text"} {
			violations(t, f, map[string][]string{body: {"body: is not JSON"}})
		}
		list := map[string]string{"openai-responses": "input", "gemini": "contents"}[f.Name]
		if list == "" {
			list = "messages"
		}
		violations(t, f, map[string][]string{
			`[]`: {"body: has the wrong shape: …"},
			`{}`: {list + ": it has no message of the user"}, `{"` + list + `":[]}`: {list + ": it has no message of the user"},
		})
	}
}

// What was made by hand, or not at all, is told in words.
func TestNoProfileAndNoProjection(t *testing.T) {
	var none body.Profile
	if _, err := none.Write(tenfold.Project(tenfold.NewLog())); err == nil || !strings.Contains(err.Error(), "body.Profiles") {
		t.Errorf("a profile made by hand writes: %v", err)
	}
	for _, found := range [][]body.Violation{none.Check([]byte("{}")), none.Thread().Check([]byte("{}")), new(body.Thread).Check([]byte("{}"))} {
		if len(found) != 1 || found[0].Path != "profile" {
			t.Errorf("a profile made by hand finds %v", found)
		}
	}
	for _, f := range body.Profiles() {
		if _, err := f.Write(nil); err == nil || !strings.Contains(err.Error(), "no projection") {
			t.Errorf("%s writes nothing as %v", f.Name, err)
		}
	}
}

// P10: tools that have no name, which a log takes, are told once, and the provider's own all,
// as they came.
func TestP10NamelessTools(t *testing.T) {
	l := tenfold.NewLog()
	tools := []tenfold.ToolDefinition{
		{Description: "one"},
		{Description: "two"},
		{Provider: "other", Data: `{"type":"x"}`, Schema: `{"type":"object"}`},
		{Provider: "openai", Data: `{"type":"web_search"}`},
		{Provider: "openai", Data: `{"type":"local_shell"}`},
		{Name: "web", Provider: "anthropic", Data: `{"type":"web_search_20250305","name":"web"}`},
		{Provider: "gemini", Data: `{"google_search":{}}`},
		{Provider: "openai-chat", Data: `{"type":"custom","custom":{"name":"patch"}}`},
		{Provider: "anthropic", Data: `no JSON`},
	}
	own := map[string]string{
		"openai": `{"type":"web_search"},{"type":"local_shell"}`, "anthropic": `{"type":"web_search_20250305","name":"web"}`,
		"gemini": `{"google_search":{}}`, "openai-chat": `{"type":"custom","custom":{"name":"patch"}}`,
	}
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.ConfigDelta{Tools: &tools}}); err != nil {
		t.Fatal(err)
	}
	for _, f := range body.Profiles() {
		written, err := f.Write(tenfold.Project(l))
		if err != nil {
			t.Fatal(err)
		}
		if v := f.Check(written); len(v) > 0 {
			t.Errorf("%s: %v\n%s", f.Name, v, written)
		}
		for provider, as := range own {
			if strings.Contains(string(written), as) != (f.Provider == provider) {
				t.Errorf("%s is told %s", f.Name, written)
			}
		}
	}
}

func TestP10CheckAnthropic(t *testing.T) {
	const (
		u    = `{"role":"user","content":[{"type":"text","text":"go"}]}`
		call = `{"type":"tool_use","id":"c","name":"t","input":{}}`
		res  = `{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"r"}]}`
		a    = `{"role":"assistant","content":[` + call + `]}`
	)
	user := func(blocks string) string { return `{"role":"user","content":[` + blocks + `]}` }
	assistant := func(blocks string) string { return `{"role":"assistant","content":[` + blocks + `]}` }
	bodies := map[string][]string{}
	put := func(want []string, messages ...string) {
		bodies[`{"messages":[`+strings.Join(messages, ",")+`]}`] = want
	}
	text := `{"type":"text","text":"x"}`
	system := `{"role":"system","content":[` + text + `]}`

	put(nil, u)
	put(nil, u, a, user(res))
	put(nil, u, assistant(`{"type":"thinking","thinking":"","signature":"s"},`+call), user(res+","+text), assistant(text))
	put([]string{`messages[0]: role is "assistant" where "user" must stand`}, assistant(text))
	put([]string{`messages[1]: role is "user" where "assistant" must stand`}, u, u)
	put([]string{`messages[0]: role is "system" where "user" must stand`}, system, u)
	put([]string{"messages[2].content[0].content[0]: image in a failed result"}, u, a, user(`{"type":"tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"image","source":{}}]}`))
	put(nil, u, system, system, assistant(text), u, system)
	put([]string{`messages[2]: role is "user" right after the system's`}, u, system, u, assistant(text))
	put([]string{`messages[2]: role is "system" right after the assistant's`}, u, assistant(text), system, u)
	put([]string{"messages[0].content[1]: an image over 5 MB"}, user(text+`,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+strings.Repeat("QUJD", 5<<18)+`QUJD"}}`))
	put([]string{"messages[0]: an empty message"}, user(""))
	put([]string{"messages[0].content[0]: an empty text"}, user(`{"type":"text","text":" \n"}`))
	put([]string{"messages[0].content[1]: an empty text"}, user(text+`,{"type":"text"}`))
	put([]string{"messages[0].content[0]: is not a block"}, user(`"go"`))
	put([]string{"messages[0].content[0]: has the wrong shape: …"}, user(`{"type":7}`))
	put([]string{"messages[0].content[0]: tool_use in a user message", `messages[0]: call "c" has no result right after it`}, user(call))
	put([]string{"messages[0].content[0]: thinking in a user message"}, user(`{"type":"thinking","signature":"s"},`+text))
	put([]string{"messages[0].content[0]: redacted_thinking in a user message"}, user(`{"type":"redacted_thinking","data":"d"},`+text))
	put([]string{"messages[1].content[0]: thinking ends the message"}, u, assistant(`{"type":"thinking","signature":"s"}`))
	put([]string{"messages[1].content[1]: redacted_thinking ends the message"}, u, assistant(text+`,{"type":"redacted_thinking","data":"d"}`))
	put([]string{"messages[1].content[0]: thinking without its opaque data"}, u, assistant(`{"type":"thinking","thinking":"hm"},`+text))
	put([]string{"messages[1].content[0]: the final text ends in white space"}, u, assistant(`{"type":"text","text":"x\n"}`))
	put(nil, u, assistant(`{"type":"text","text":"x\n"}`), u)
	put([]string{`messages: call "c" has no result right after it`}, u, a)
	put([]string{`messages[2]: call "c" has no result right after it`}, u, a, u)
	put([]string{
		`messages[2]: call "c" has no result right after it`, `messages[4].content[0]: a result for "c", which no call right before it has`,
	}, u, a, u, assistant(text), user(res))
	put([]string{`messages[0].content[0]: a result for "c", which no call right before it has`}, user(res))
	put([]string{`messages[2].content[1]: a result for "c", which no call right before it has`}, u, a, user(res+","+res))
	put([]string{"messages[2].content[1]: a result must stand first in a user message"}, u, a, user(text+","+res))
	put([]string{"messages[1].content[1]: a result must stand first in a user message"}, u, assistant(call+","+res))
	put([]string{"messages[2].content[0].content[0]: an empty text"}, u, a, user(`{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":""}]}`))
	put([]string{`messages[1].content[1]: call id "c" is used twice`}, u, assistant(call+","+call), user(res))
	put([]string{"messages[1].content[0]: a call without an id"}, u, assistant(`{"type":"tool_use","name":"t","input":{}}`), user(`{"type":"tool_result","tool_use_id":""}`))
	put([]string{`messages[1].content[0]: call id "a|b" has characters other than letters, digits, _ and -`}, u, assistant(`{"type":"tool_use","id":"a|b","name":"t","input":{}}`), user(`{"type":"tool_result","tool_use_id":"a|b"}`))
	put([]string{`messages[1].content[0]: tool name "a b" does not fit …`}, u, assistant(`{"type":"tool_use","id":"c","name":"a b","input":{}}`), user(res))
	put([]string{"messages[1].content[0].input: is not a JSON object"}, u, assistant(`{"type":"tool_use","id":"c","name":"t","input":[]}`), user(res))
	put([]string{"messages[1].content[0].input: is not a JSON object"}, u, assistant(`{"type":"tool_use","id":"c","name":"t"}`), user(res))
	violations(t, body.Anthropic(), bodies)
}

func TestP10CheckOpenAIChat(t *testing.T) {
	const (
		u    = `{"role":"user","content":"go"}`
		call = `{"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}`
		a    = `{"role":"assistant","tool_calls":[` + call + `]}`
		res  = `{"role":"tool","tool_call_id":"c","content":"r"}`
	)
	calls := func(list string) string { return `{"role":"assistant","tool_calls":[` + list + `]}` }
	long := strings.Repeat("x", 41)
	bodies := map[string][]string{}
	put := func(want []string, messages ...string) {
		bodies[`{"messages":[`+strings.Join(messages, ",")+`]}`] = want
	}
	put(nil, `{"role":"system","content":"s"}`, u, a, res, `{"role":"assistant","content":"ok"}`)
	put(nil, `{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url"}]}`)
	put(nil, u, `{"role":"assistant","content":"x","tool_calls":[`+call+`]}`, `{"role":"tool","tool_call_id":"c","content":""}`)
	put([]string{"messages[0]: the first message is the assistant's, not the user's"}, `{"role":"assistant","content":"x"}`)
	put([]string{"messages[1]: the first message is the assistant's, not the user's"}, `{"role":"system","content":"s"}`, `{"role":"assistant","content":"x"}`)
	put([]string{`messages[1]: role is "bot"`}, u, `{"role":"bot","content":"x"}`)
	put([]string{"messages[0].content: an empty text"}, `{"role":"user","content":" "}`)
	put([]string{"messages[0].content: no content"}, `{"role":"user"}`)
	put([]string{"messages[0].content: no content"}, `{"role":"user","content":null}`)
	put([]string{"messages[0].content: an empty content"}, `{"role":"user","content":[]}`)
	put([]string{"messages[0].content: has the wrong shape: …"}, `{"role":"user","content":[1]}`)
	put([]string{"messages[0].content[0]: an empty text"}, `{"role":"user","content":[{"type":"text","text":""}]}`)
	put([]string{"messages[1].content: no content"}, u, `{"role":"assistant"}`)
	put([]string{"messages[1].content: an empty text"}, u, `{"role":"assistant","content":"","tool_calls":[`+call+`]}`, res)
	put([]string{`messages: call "c" has no result right after it`}, u, a)
	put([]string{`messages[2]: call "c" has no result right after it`}, u, a, u)
	put([]string{`messages[2]: call "c" has no result right after it`, `messages[3]: a result for "c", which no call right before it has`}, u, a, u, res)
	put([]string{`messages[1]: a result for "c", which no call right before it has`}, u, res)
	put([]string{`messages[3]: a result for "c", which no call right before it has`}, u, a, res, res)
	put([]string{"messages[2].content: a tool message's content is a text"}, u, a, `{"role":"tool","tool_call_id":"c","content":[]}`)
	put([]string{`messages[1].tool_calls[1]: call id "c" is used twice`}, u, calls(call+","+call), res)
	put([]string{"messages[1].tool_calls[0]: a call without an id"}, u, calls(`{"type":"function","function":{"name":"t","arguments":"{}"}}`), `{"role":"tool","content":"r"}`)
	put([]string{`messages[1].tool_calls[0]: call id "a b" has characters …`}, u, calls(`{"id":"a b","type":"function","function":{"name":"t","arguments":"{}"}}`), `{"role":"tool","tool_call_id":"a b","content":"r"}`)
	put([]string{"messages[1].tool_calls[0]: a call id longer than 40 characters"}, u, calls(`{"id":"`+long+`","type":"function","function":{"name":"t","arguments":"{}"}}`), `{"role":"tool","tool_call_id":"`+long+`","content":"r"}`)
	put([]string{`messages[1].tool_calls[0]: tool name "" does not fit …`}, u, calls(`{"id":"c","type":"function","function":{"arguments":"{}"}}`), res)
	put([]string{"messages[1].tool_calls[0].arguments: is not a JSON object"}, u, calls(`{"id":"c","type":"function","function":{"name":"t","arguments":"[1]"}}`), res)
	put([]string{"messages[1].tool_calls[0].arguments: is not a JSON object"}, u, calls(`{"id":"c","type":"function","function":{"name":"t","arguments":"{\"cut"}}`), res)
	custom := func(of string) string { return calls(`{"id":"c","type":"custom","custom":{` + of + `}}`) }
	put(nil, u, custom(`"name":"t","input":""`), res)
	put([]string{`messages[1].tool_calls[0]: tool name "a b" does not fit …`}, u, custom(`"name":"a b","input":""`), res)
	put([]string{"messages[1].tool_calls[0]: a call of a custom tool without input"}, u, custom(`"name":"t"`), res)
	put([]string{`messages[1].tool_calls[0]: type is "tool"`}, u, calls(`{"id":"c","type":"tool","function":{"name":"t","arguments":"{}"}}`), res)
	violations(t, body.OpenAIChat(), bodies)
}

func TestP10CheckOpenAIResponses(t *testing.T) {
	const (
		u    = `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`
		a    = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}`
		call = `{"type":"function_call","call_id":"c","name":"t","arguments":"{}"}`
		next = `{"type":"function_call","call_id":"d","name":"t","arguments":"{}"}`
		res  = `{"type":"function_call_output","call_id":"c","output":"r"}`
		why  = `{"type":"reasoning","summary":[],"encrypted_content":"e"}`
	)
	bodies := map[string][]string{}
	put := func(want []string, items ...string) { bodies[`{"input":[`+strings.Join(items, ",")+`]}`] = want }
	put(nil, u, why, call, next, res, `{"type":"function_call_output","call_id":"d","output":""}`, why, a)
	put(nil, u, `{"type":"web_search_call"}`, a)
	put([]string{"input[0]: the first item is not the user's"}, a)
	put([]string{"input[0]: the first item is not the user's", `input[0]: a result for "c", which no call right before it has`}, res)
	put([]string{`input[1]: role is "tool"`}, u, `{"type":"message","role":"tool","content":[{"type":"input_text","text":"s"}]}`)
	put([]string{"input[0].content: an empty message"}, `{"type":"message","role":"user","content":[]}`)
	put([]string{"input[0].content[0]: an empty text"}, `{"type":"message","role":"user","content":[{"type":"input_text","text":"\t"}]}`)
	put([]string{"input[1].content[0]: an empty text"}, u, `{"type":"message","role":"assistant","content":[{"type":"output_text"}]}`)
	put([]string{"input[0].content[0]: has the wrong shape: …"}, `{"type":"message","role":"user","content":[1]}`)
	put([]string{`input: call "c" has no result right after it`}, u, call)
	put([]string{`input[2]: call "c" has no result right after it`}, u, call, a)
	put([]string{`input[4]: call "d" has no result right after it`}, u, call, next, res, `{"type":"function_call","call_id":"e","name":"t","arguments":"{}"}`, `{"type":"function_call_output","call_id":"e","output":"r"}`)
	put([]string{`input[3]: a result for "c", which no call right before it has`}, u, call, res, res)
	put([]string{`input[2]: call id "c" is used twice`}, u, call, call, res)
	put([]string{"input[1]: a call without an id"}, u, `{"type":"function_call","name":"t","arguments":"{}"}`, `{"type":"function_call_output","output":"r"}`)
	put([]string{`input[1]: call id "a b" has characters …`}, u, `{"type":"function_call","call_id":"a b","name":"t","arguments":"{}"}`, `{"type":"function_call_output","call_id":"a b","output":"r"}`)
	put([]string{`input[1]: tool name "a.b" does not fit …`}, u, `{"type":"function_call","call_id":"c","name":"a.b","arguments":"{}"}`, res)
	put([]string{"input[1].arguments: is not a JSON object"}, u, `{"type":"function_call","call_id":"c","name":"t","arguments":"null"}`, res)
	put([]string{"input[2]: an output without text"}, u, call, `{"type":"function_call_output","call_id":"c"}`)
	put([]string{"input[1]: reasoning without encrypted content and summary"}, u, `{"type":"reasoning","summary":[]}`, a)
	put([]string{"input[1]: reasoning without encrypted content and summary"}, u, `{"type":"reasoning","encrypted_content":"e"}`, a)
	put([]string{"input[1]: reasoning without the item it was made for"}, u, why)
	put([]string{"input[1]: reasoning without the item it was made for"}, u, why, u)
	put([]string{"input[2]: reasoning without the item it was made for"}, u, call, why, res)
	violations(t, body.OpenAIResponses(), bodies)
}

func TestP10CheckGemini(t *testing.T) {
	const (
		u    = `{"role":"user","parts":[{"text":"go"}]}`
		call = `{"functionCall":{"id":"c","name":"t","args":{}}}`
		res  = `{"functionResponse":{"id":"c","name":"t","response":{"output":""}}}`
	)
	user := func(parts string) string { return `{"role":"user","parts":[` + parts + `]}` }
	model := func(parts string) string { return `{"role":"model","parts":[` + parts + `]}` }
	bodies := map[string][]string{}
	put := func(want []string, contents ...string) {
		bodies[`{"contents":[`+strings.Join(contents, ",")+`]}`] = want
	}
	put(nil, user(`{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"x"}}`), model(`{"text":"ok"}`))
	put(nil, u, model(call), user(res+`,{"text":"and"}`))
	put(nil, u, model(`{"functionCall":{"id":"c","name":"a.b:c-d","args":{}}}`), user(`{"functionResponse":{"id":"c","name":"a.b:c-d","response":{}}}`))
	put([]string{`contents[0]: role is "model" where "user" must stand`}, model(`{"text":"ok"}`))
	put([]string{`contents[1]: role is "user" where "model" must stand`}, u, u)
	put([]string{"contents[0]: an empty content"}, user(""))
	put([]string{"contents[0].parts[0]: an empty part"}, user("{}"))
	put([]string{"contents[0].parts[0]: an empty text"}, user(`{"text":" "}`))
	put(nil, user(`{"text":"go"}`), `{"role":"model","parts":[{"text":"","thoughtSignature":"c2ln"}]}`)
	put([]string{"contents[0].parts[0]: an empty text"}, user(`{"text":"","thoughtSignature":"c2ln"}`))
	put([]string{"contents[0].parts[0]: is not a part"}, user(`"go"`))
	put([]string{"contents[0].parts[0]: has the wrong shape: …", "contents[0].parts[0]: is not a part"}, user(`{"text":7}`))
	put([]string{"contents[0].parts[0]: a function call in a user content", `contents[0]: call "c" has no result right after it`}, user(call))
	put([]string{"contents[1].parts[1]: a function response in a model content", "contents[1].parts[1]: a function response must stand first in its content"}, u, model(call+","+res))
	put([]string{"contents[2].parts[1]: a function response must stand first in its content"}, u, model(call), user(`{"text":"and"},`+res))
	put([]string{`contents: call "c" has no result right after it`}, u, model(call))
	put([]string{`contents[2]: call "c" has no result right after it`}, u, model(call), u)
	put([]string{`contents[0].parts[0]: a result for "c", which no call right before it has`}, user(res))
	put([]string{`contents[1].parts[1]: call id "c" is used twice`}, u, model(call+","+call), user(res))
	put([]string{"contents[1].parts[0]: a call without an id"}, u, model(`{"functionCall":{"name":"t","args":{}}}`), user(`{"functionResponse":{"name":"t","response":{}}}`))
	put([]string{`contents[1].parts[0]: call id "a b" has characters …`}, u, model(`{"functionCall":{"id":"a b","name":"t","args":{}}}`), user(`{"functionResponse":{"id":"a b","name":"t","response":{}}}`))
	put([]string{`contents[1].parts[0]: tool name "9t" does not fit …`}, u, model(`{"functionCall":{"id":"c","name":"9t","args":{}}}`), user(res))
	put([]string{`contents[2].parts[0]: tool name "" does not fit …`}, u, model(call), user(`{"functionResponse":{"id":"c","response":{}}}`))
	put([]string{"contents[1].parts[0].args: is not a JSON object"}, u, model(`{"functionCall":{"id":"c","name":"t","args":[1]}}`), user(res))
	put([]string{"contents[2].parts[0].response: is not a JSON object"}, u, model(call), user(`{"functionResponse":{"id":"c","name":"t","response":"r"}}`))
	violations(t, body.Gemini(), bodies)
}

// P10: definitions of tools have names that the provider takes, and each its own. Of the
// provider's own tools nothing is known but the type.
func TestP10CheckDefinitions(t *testing.T) {
	own := `,{"type":"web_search","name":7}`
	for _, c := range []struct {
		f            body.Profile
		path, before string
		definition   func(name string) string
		own          string
	}{
		{body.Anthropic(), "tools", `"messages":[{"role":"user","content":[{"type":"text","text":"go"}]}]`, func(name string) string { return `{"name":"` + name + `"}` }, ""},
		{body.OpenAIChat(), "tools", `"messages":[{"role":"user","content":"go"}]`, func(name string) string { return `{"type":"function","function":{"name":"` + name + `"}}` }, `,{"type":"custom","custom":{"name":"a b"}}`},
		{body.OpenAIResponses(), "tools", `"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]`, func(name string) string { return `{"type":"function","name":"` + name + `"}` }, own},
	} {
		bodies := map[string][]string{}
		put := func(list string, want ...string) { bodies[`{`+c.before+`,"tools":[`+list+`]}`] = want }
		put(c.definition("aAzZ09_-") + "," + c.definition("b") + c.own)
		put(c.definition("b")+","+c.definition("a b"), `tools[1]: tool name "a b" does not fit …`)
		put(c.definition("b")+","+c.definition("b"), `tools[1]: tool name "b" is used twice`)
		for _, name := range []string{"", "a@", "a[", "a`", "a{", "a/", "a:", strings.Repeat("n", 129)} {
			put(c.definition(name), fmt.Sprintf("tools[0]: tool name %q does not fit …", name))
		}
		violations(t, c.f, bodies)
	}
	violations(t, body.Gemini(), map[string][]string{
		`{"contents":[{"role":"user","parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"a"},{"name":"9"}]}]}`: {`tools[1]: tool name "9" does not fit …`},
	})
}

// Items that a provider made and Tenfold does not model go back verbatim:
// their members may have any shape.
func TestResponsesItemsOfOtherTypesAreNotChecked(t *testing.T) {
	for request, want := range map[string]int{
		`{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"tool_search_call","arguments":{"q":1},"output":{},"content":"x"}]}`: 0,
		`{"input":[{"type":"message","role":"user","content":"a"}]}`: 1,
	} {
		if got := body.OpenAIResponses().Check([]byte(request)); len(got) != want {
			t.Errorf("%s: %v, want %d violations", request, got, want)
		}
	}
}
