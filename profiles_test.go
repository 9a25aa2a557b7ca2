package tenfold_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
)

// anyBody is what the bodies of the four profiles hold, all at once.
type anyBody struct {
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Input []struct {
		Type      string           `json:"type"`
		Role      string           `json:"role"`
		Name      string           `json:"name"`
		Arguments string           `json:"arguments"`
		Output    string           `json:"output"`
		CallID    string           `json:"call_id"`
		Encrypted string           `json:"encrypted_content"`
		Content   []map[string]any `json:"content"`
		Summary   []map[string]any `json:"summary"`
	} `json:"input"`
	Contents []struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"contents"`
}

type geminiPart struct {
	Text      string          `json:"text"`
	Signature string          `json:"thoughtSignature"`
	Inline    json.RawMessage `json:"inlineData"`
	File      json.RawMessage `json:"fileData"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string            `json:"id"`
		Response map[string]string `json:"response"`
	} `json:"functionResponse"`
}

// wire writes a body as lines that read alike for all providers. Errors of
// results and signatures show only where the provider takes them.
func wire(t *testing.T, f body.Profile, p *tenfold.Projection) []string {
	t.Helper()
	raw := bodyOf(t, f, p)
	for _, v := range f.Check([]byte(raw)) {
		t.Errorf("%s: %s", f.Name, v)
	}
	var b anyBody
	if err := json.Unmarshal([]byte(raw), &b); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, m := range b.Messages {
		var text string
		var blocks []map[string]any
		switch {
		case json.Unmarshal(m.Content, &text) == nil && m.Role == "tool":
			add("result %s %s", m.ToolCallID, text)
		case json.Unmarshal(m.Content, &text) == nil:
			add("%s %s", m.Role, text)
		case json.Unmarshal(m.Content, &blocks) == nil:
			for _, block := range blocks {
				out = append(out, blockLine(t, m.Role, block))
			}
		}
		for _, c := range m.ToolCalls {
			add("call %s %s %s", c.ID, c.Function.Name, c.Function.Arguments)
		}
	}
	for _, it := range b.Input {
		switch it.Type {
		case "message":
			for _, part := range it.Content {
				out = append(out, blockLine(t, it.Role, part))
			}
		case "reasoning":
			add("reasoning %v %s", it.Summary[0]["text"], it.Encrypted)
		case "function_call":
			add("call %s %s %s", it.CallID, it.Name, it.Arguments)
		case "function_call_output":
			add("result %s %s", it.CallID, it.Output)
		default:
			add("item %s", it.Type)
		}
	}
	for _, c := range b.Contents {
		for _, part := range c.Parts {
			switch {
			case part.Call != nil:
				add("call %s %s %s", part.Call.ID, part.Call.Name, part.Call.Args)
			case part.Response != nil && part.Response.Response["error"] != "":
				add("error %s %s", part.Response.ID, part.Response.Response["error"])
			case part.Response != nil:
				add("result %s %s", part.Response.ID, part.Response.Response["output"])
			case part.Inline != nil || part.File != nil:
				add("%s %s%s", c.Role, part.Inline, part.File)
			default:
				add("%s %s", c.Role, part.Text)
			}
			if part.Signature != "" {
				out[len(out)-1] += " signed " + part.Signature
			}
		}
	}
	return out
}

func blockLine(t *testing.T, role string, b map[string]any) string {
	t.Helper()
	compact := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	text := func(v any) string {
		list, _ := v.([]any)
		var out []string
		for _, one := range list {
			out = append(out, fmt.Sprint(one.(map[string]any)["text"]))
		}
		return strings.Join(out, "|")
	}
	switch b["type"] {
	case "text", "input_text", "output_text":
		return fmt.Sprintf("%s %s", role, b["text"])
	case "thinking":
		return fmt.Sprintf("thinking %s %s", b["thinking"], b["signature"])
	case "redacted_thinking":
		return fmt.Sprintf("redacted %s", b["data"])
	case "tool_use":
		return fmt.Sprintf("call %s %s %s", b["id"], b["name"], compact(b["input"]))
	case "tool_result":
		if b["is_error"] == true {
			return fmt.Sprintf("error %s %s", b["tool_use_id"], text(b["content"]))
		}
		return fmt.Sprintf("result %s %s", b["tool_use_id"], text(b["content"]))
	}
	return fmt.Sprintf("%s %s", role, compact(b))
}

// onWire checks what each provider gets: lines common to all, or a provider's
// own in only.
func onWire(t *testing.T, p *tenfold.Projection, want []string, only map[string][]string) {
	t.Helper()
	for _, f := range body.Profiles() {
		lines := want
		if own, ok := only[f.Name]; ok {
			lines = own
		}
		got := wire(t, f, p)
		for i := range got {
			got[i] = strings.Replace(got[i], "model ", "assistant ", 1)
		}
		same(t, f.Name, got, lines)
	}
}

func TestP10UnansweredCallGetsAnErrorResult(t *testing.T) {
	p := project(t, user("go"), call("a", "t", `{}`), call("b", "t", `{}`), result("b", "done"), say("next"))
	soft := []string{"user go", "call a t {}", "call b t {}", "result a Tool call was interrupted.", "result b done", "assistant next"}
	hard := []string{"user go", "call a t {}", "call b t {}", "error a Tool call was interrupted.", "result b done", "assistant next"}
	onWire(t, p, hard, map[string][]string{"openai-chat": soft, "openai-responses": soft})
	for it := range p.Items() {
		if it.Added == tenfold.AddedPlaceholder {
			same(t, "placeholder", it.Payload, tenfold.Payload(tenfold.ToolResult{CallID: "a", Parts: tenfold.Text("Tool call was interrupted."), IsError: true}))
		}
	}
}

func TestP10OrphanResultGoes(t *testing.T) {
	onWire(t, project(t, user("go"), result("x", "orphan"), say("ok"), user("more")), []string{"user go", "assistant ok", "user more"}, nil)
	twice := project(t, user("go"), call("c", "t", `{}`), result("c", "one"), result("c", "again"), say("ok"))
	onWire(t, twice, []string{"user go", "call c t {}", "result c one", "assistant ok"}, nil)
}

func TestP10ResultsFollowTheirCalls(t *testing.T) {
	late := project(t, start(), user("go"), call("c", "t", `{}`), start(), user("still there?"), result("c", "late"), say("yes"))
	onWire(t, late, []string{"user go", "call c t {}", "result c late", "user still there?", "assistant yes"}, nil)
	swapped := project(t, user("go"), call("a", "t", `{}`), call("b", "t", `{}`), result("b", "2"), result("a", "1"))
	onWire(t, swapped, []string{"user go", "call a t {}", "call b t {}", "result a 1", "result b 2"}, nil)
}

func TestP10CallIDsUsedAgainAreToldApart(t *testing.T) {
	p := project(
		t, user("go"), call("c", "t", `{"n":1}`), result("c", "one"), call("c", "t", `{"n":2}`), result("c", "two"),
		call("c", "t", `{"n":3}`), call("c", "t", `{"n":4}`), result("c", "three"), result("c", "four"),
	)
	onWire(t, p, []string{
		"user go", `call c t {"n":1}`, "result c one", `call c_2 t {"n":2}`, "result c_2 two",
		`call c_3 t {"n":3}`, `call c_4 t {"n":4}`, "result c_3 three", "result c_4 four",
	}, nil)
}

func TestP10OddCallIDsAndToolNamesAreMadeToFit(t *testing.T) {
	long := strings.Repeat("x", 60)
	for name, c := range map[string]struct{ id, tool, wantID, wantTool string }{
		"fine":             {"toolu_01-A", "fs_read-file", "toolu_01-A", "fs_read-file"},
		"other characters": {"toolu_01|fc 2", "mcp: read.file", "toolu_01_fc_2", "mcp__read_file"},
		"not ASCII":        {"läuft", "走る", "l_uft", "__"},
		"none":             {"", "", "call", "unknown"},
		"a digit first":    {"1", "9lives", "1", "_9lives"},
		"a dash first":     {"-", "-t", "-", "_-t"},
		"too long":         {long, long + long, long[:40], (long + long)[:64]},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, user("go"), call(c.id, c.tool, `{}`), result(c.id, "r"))
			onWire(t, p, []string{"user go", "call " + c.wantID + " " + c.wantTool + " {}", "result " + c.wantID + " r"}, nil)
		})
	}
	alike := project(t, user("go"), call("a b", "t", `{}`), call("a.b", "t", `{}`), call(long+"1", "t", `{}`), call(long+"2", "t", `{}`), result(long+"2", "4"), result("a.b", "2"), result("a b", "1"), result(long+"1", "3"))
	onWire(t, alike, []string{
		"user go", "call a_b t {}", "call a_b_2 t {}", "call " + long[:40] + " t {}", "call " + long[:38] + "_2 t {}",
		"result a_b 1", "result a_b_2 2", "result " + long[:40] + " 3", "result " + long[:38] + "_2 4",
	}, nil)
}

func TestP10ArgumentsAreObjects(t *testing.T) {
	for raw, want := range map[string]string{
		`{}`: `{}`, `{"b":1,"c":[2]}`: `{"b":1,"c":[2]}`, "": `{}`, "  ": `{}`,
		`[1]`: `{"input":"[1]"}`, `"text"`: `{"input":"\"text\""}`, `null`: `{"input":"null"}`, `7`: `{"input":"7"}`,
		`{"cut":"o`: `{"input":"{\"cut\":\"o"}`, `not JSON`: `{"input":"not JSON"}`, `{}{}`: `{"input":"{}{}"}`,
	} {
		onWire(t, project(t, user("go"), call("c", "t", raw), result("c", "r")), []string{"user go", "call c t " + want, "result c r"}, nil)
	}
}

func TestP10OpaqueItemsGoToTheirProviderOnly(t *testing.T) {
	item := func(provider, data string) tenfold.Entry {
		return entry(tenfold.ProviderItem{Provider: provider, Role: "assistant", Data: data})
	}
	p := project(
		t, user("go"), item("anthropic", `{"type":"server_tool_use"}`), item("openai", `{"type":"web_search_call"}`),
		item("gemini", `{"text":"cited"}`), item("other", `{"type":"x"}`), item("anthropic", `{"broken`), say("ok"),
	)
	onWire(t, p, []string{"user go", "assistant ok"}, map[string][]string{
		"anthropic":        {"user go", `assistant {"type":"server_tool_use"}`, "assistant ok"},
		"openai-responses": {"user go", "item web_search_call", "assistant ok"},
		"gemini":           {"user go", "assistant cited", "assistant ok"},
	})
}

// That another model answered is a note for the client: Anthropic refuses it
// in a request without a beta header.
func TestP10NotesOfAFallbackAreLeftOut(t *testing.T) {
	note := entry(tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"fallback","from":{"model":"x"}}`})
	onWire(t, project(t, user("go"), note, say("ok")), []string{"user go", "assistant ok"}, nil)
}

func TestP10OpaqueItemsOfTheUserStandWithTheUser(t *testing.T) {
	item := func(provider, data string) tenfold.Entry {
		return entry(tenfold.ProviderItem{Provider: provider, Role: "user", Data: data})
	}
	p := project(t, user("go"), item("anthropic", `{"type":"search_result"}`), item("gemini", `{"text":"cited"}`), say("ok"))
	onWire(t, p, []string{"user go", "assistant ok"}, map[string][]string{
		"anthropic": {"user go", `user {"type":"search_result"}`, "assistant ok"},
		"gemini":    {"user go", "user cited", "assistant ok"},
	})
}

func TestP10ReasoningGoesToItsProviderOnly(t *testing.T) {
	for provider, want := range map[string]map[string][]string{
		"anthropic": {"anthropic": {"user go", "thinking hm c2ln", "call c t {}", "result c r"}},
		"openai":    {"openai-responses": {"user go", "reasoning hm ZW5j", "call c t {}", "result c r"}},
		"gemini":    {"gemini": {"user go", "call c t {} signed c2ln", "result c r"}},
		"":          nil,
		"another":   nil,
	} {
		p := project(t, user("go"), signed(provider, "hm"), call("c", "t", `{}`), result("c", "r"))
		onWire(t, p, []string{"user go", "call c t {}", "result c r"}, want)
	}
	unsigned := entry(tenfold.Reasoning{Text: "hm", Provider: "anthropic"})
	onWire(t, project(t, user("go"), unsigned, say("ok")), []string{"user go", "assistant ok"}, nil)
	redacted := entry(tenfold.Reasoning{Provider: "anthropic", Encrypted: "ZW5j"})
	onWire(t, project(t, user("go"), redacted, say("ok")), []string{"user go", "assistant ok"}, map[string][]string{"anthropic": {"user go", "redacted ZW5j", "assistant ok"}})
}

func TestP10RequiredReasoningStaysInTheOpenLoopAndIsLetGoAfter(t *testing.T) {
	shown := map[string]string{"anthropic": "thinking hm c2ln", "openai": "reasoning hm ZW5j"}
	profile := map[string]string{"anthropic": "anthropic", "openai": "openai-responses", "gemini": "gemini"}
	stripReasoning := overlay("o", tenfold.Compaction{ToTurn: 9, Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	for provider, name := range profile {
		loop := []tenfold.Entry{start(), user("go"), signed(provider, "hm"), call("c", "t", `{}`), result("c", "r")}
		gone := []string{"user go", "call c t {}", "result c r"}
		kept := []string{"user go", shown[provider], "call c t {}", "result c r"}
		if provider == "gemini" {
			kept = []string{"user go", "call c t {} signed c2ln", "result c r"}
		}
		onWire(t, project(t, append(loop, stripReasoning)...), gone, map[string][]string{name: kept})
		second := append(loop, stripReasoning, call("d", "t", `{}`), result("d", "r"))
		onWire(t, project(t, second...), append(gone, "call d t {}", "result d r"), map[string][]string{name: append(kept, "call d t {}", "result d r")})
		onWire(t, project(t, append(loop, say("done"), stripReasoning)...), append(gone, "assistant done"), nil)
		onWire(t, project(t, append(loop, stripReasoning, start(), user("more"))...), append(gone, "user more"), nil)
		onWire(t, project(t, append(loop, stripReasoning, user("more"))...), append(gone, "user more"), nil)
	}
}

func TestP10AnthropicThinkingBeginsItsMessageAndNeverEndsOne(t *testing.T) {
	ends := project(t, user("go"), say("ok"), signed("anthropic", "and then"))
	onWire(t, ends, []string{"user go", "assistant ok"}, nil)
	alone := project(t, user("go"), signed("anthropic", "hm"), user("well?"))
	same(t, "alone", wire(t, body.Anthropic(), alone), []string{"user go", "user well?"})

	zero := 0
	after := project(
		t, start(), user("go"), call("b", "t", `{}`), result("b", "r"),
		overlay("s", tenfold.Compaction{ToStep: &zero, Summary: &tenfold.Summary{Text: "S"}}),
		in("m2", signed("anthropic", "hm")), in("m2", call("c", "t", `{}`)), result("c", "r"),
	)
	same(t, "after a summary", wire(t, body.Anthropic(), after), []string{
		"user go", "assistant S", "user [The work goes on]", "thinking hm c2ln", "call c t {}", "result c r",
	})
}

func TestP10ResponsesReasoningStandsForNothingAlone(t *testing.T) {
	p := project(t, user("go"), say("ok"), signed("openai", "and then"), user("well?"))
	onWire(t, p, []string{"user go", "assistant ok", "user well?"}, nil)
}

func TestB3GeminiSignsCallsThatHaveNoSignature(t *testing.T) {
	model := entry(tenfold.ConfigDelta{Model: "gemini-3-pro"})
	entries := []tenfold.Entry{
		user("go"), call("a", "t", `{}`), result("a", "r"), user("more"), call("b", "t", `{}`), call("c", "t", `{}`), result("b", "r"), result("c", "r"),
	}
	plain := []string{"user go", "call a t {}", "result a r", "user more", "call b t {}", "call c t {}", "result b r", "result c r"}
	same(t, "any model", wire(t, body.Gemini(), project(t, entries...)), plain)
	marked := append([]string{}, plain...)
	marked[1] += " signed skip_thought_signature_validator"
	marked[4] += " signed skip_thought_signature_validator"
	same(t, "gemini-3", wire(t, body.Gemini(), project(t, append([]tenfold.Entry{model}, entries...)...)), marked)
	for name, asks := range map[string]bool{"models/gemini-4-argon": true, "gemini-10": true, "gemini-2.5-pro": false, "gemini-": false, "gemini": false, "gemini-x3": false} {
		model := entry(tenfold.ConfigDelta{Model: name})
		want := plain
		if asks {
			want = marked
		}
		same(t, name, wire(t, body.Gemini(), project(t, append([]tenfold.Entry{model}, entries...)...)), want)
	}
}

func TestP10NoEmptyMessages(t *testing.T) {
	p := project(t, user("go"), say(" \n"), user(""), think(" "), entry(tenfold.UserMessage{}), entry(tenfold.ProviderItem{Provider: "anthropic"}), say("ok"))
	onWire(t, p, []string{"user go", "assistant ok"}, nil)
	same(t, "fate", fateOf(p, 2), "omitted")
	empty := project(t, user("go"), call("c", "t", `{}`), entry(tenfold.ToolResult{CallID: "c"}), say("ok"))
	onWire(t, empty, []string{"user go", "call c t {}", "result c ", "assistant ok"}, nil)
}

func TestP10TheFirstMessageIsTheUsers(t *testing.T) {
	opening := "user [Conversation continues]"
	onWire(t, project(t, say("hello"), user("go")), []string{opening, "assistant hello", "user go"}, nil)
	onWire(t, project(t, call("c", "t", `{}`), result("c", "r")), []string{opening, "call c t {}", "result c r"}, nil)
	onWire(t, project(t, think("hm"), say("hello")), []string{opening, "assistant hello"}, nil)
	// A view that shows nothing is no body without it.
	onWire(t, project(t), []string{opening}, nil)
	onWire(t, project(t, say(" "), think("\u00a0")), []string{opening}, nil)
}

func TestP10NeighboursOfOneRoleJoin(t *testing.T) {
	p := project(t, user("a"), user("b"), say("c"), say("d"), user("e"))
	onWire(t, p, []string{"user a", "user b", "assistant c", "assistant d", "user e"}, map[string][]string{
		"openai-chat": {"user a\n\nb", "assistant c\n\nd", "user e"},
	})
}

func TestP10AFinalTextHasNoSpaceAtItsEnd(t *testing.T) {
	p := project(t, user("go"), say("one \n"), user("more"), say("two \n"))
	same(t, "anthropic", wire(t, body.Anthropic(), p), []string{"user go", "assistant one \n", "user more", "assistant two"})
}

func TestP10FilesGoAsTheProviderTakesThem(t *testing.T) {
	corpustest.Unraced(t)
	file := func(f tenfold.File) tenfold.Entry {
		return entry(tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("see"), {File: &f}}})
	}
	png := "data:image/png;base64,iVBORw0KGgo="
	p := project(t, file(tenfold.File{Type: tenfold.PartImage, MediaType: "image/png", URI: png}))
	onWire(t, p, nil, map[string][]string{
		"anthropic":        {"user see", `user {"source":{"data":"iVBORw0KGgo=","media_type":"image/png","type":"base64"},"type":"image"}`},
		"openai-chat":      {"user see", `user {"image_url":{"url":"` + png + `"},"type":"image_url"}`},
		"openai-responses": {"user see", `user {"image_url":"` + png + `","type":"input_image"}`},
		"gemini":           {"user see", `user {"mimeType":"image/png","data":"iVBORw0KGgo="}`},
	})
	large := tenfold.File{Type: tenfold.PartImage, MediaType: "image/png", URI: "data:image/png;base64," + strings.Repeat("QUJD", 5<<18)}
	for _, want := range []string{`user {"source"`, "user [file not included] attachment, image/png, 3932163 bytes"} {
		if got := wire(t, body.Anthropic(), project(t, file(large))); !strings.HasPrefix(got[1], want) {
			t.Errorf("an image of %d bytes is sent as %.80s", len(large.URI), got[1])
		}
		large.URI += "QUJD"
	}
	for media, want := range map[string]string{
		"application/pdf": `user {"source":{"data":"QUJD","media_type":"application/pdf","type":"base64"},"type":"document"}`,
		"text/csv":        "user [file not included] a, text/csv, 3 bytes",
	} {
		document := file(tenfold.File{Type: tenfold.PartFile, Name: "a", MediaType: media, URI: "data:" + media + ";base64,QUJD"})
		same(t, media, wire(t, body.Anthropic(), project(t, document)), []string{"user see", want})
	}
	lost := project(t, file(tenfold.File{Type: tenfold.PartImage, Name: "a.png", MediaType: "image/png", URI: "file:///tmp/a.png"}))
	onWire(t, lost, []string{"user see", "user [file not included] a.png, image/png"}, map[string][]string{
		"openai-chat": {"user see\n\n[file not included] a.png, image/png"},
	})
	web := "https://example.org/a.png"
	linked := project(t, file(tenfold.File{Type: tenfold.PartImage, URI: web}))
	onWire(t, linked, nil, map[string][]string{
		"anthropic":        {"user see", `user {"source":{"type":"url","url":"` + web + `"},"type":"image"}`},
		"openai-chat":      {"user see", `user {"image_url":{"url":"` + web + `"},"type":"image_url"}`},
		"openai-responses": {"user see", `user {"image_url":"` + web + `","type":"input_image"}`},
		"gemini":           {"user see", `user {"fileUri":"` + web + `"}`},
	})
	reference := project(t, file(tenfold.File{Type: tenfold.PartFile, Detail: `{"type":"ref"}`}))
	onWire(t, reference, []string{"user see", `user {"type":"ref"}`}, map[string][]string{"openai-chat": {"user see\n\n{\"type\":\"ref\"}"}})
	notes := project(t, entry(tenfold.UserMessage{Attachments: []tenfold.Attachment{{Name: "a \"b\".md", Content: "notes"}}}))
	onWire(t, notes, []string{"user <attachment name=\"a \\\"b\\\".md\">\nnotes\n</attachment>"}, nil)
}

func TestP10WholeBodies(t *testing.T) {
	system := "Be brief."
	defs := []tenfold.ToolDefinition{{Name: "read", Description: "Reads.", Schema: `{"type":"object","properties":{}}`}, {Name: "odd name"}}
	p := project(t, entry(tenfold.ConfigDelta{Model: "m", System: &system, Tools: &defs}), user("go"), call("c", "read", `{"path":"a"}`), failed("c", "gone"), say("ok"))
	for name, want := range map[string]string{
		"anthropic": `{"system":"Be brief.","tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{}}},{"name":"odd_name","input_schema":{"type":"object","properties":{}}}],` +
			`"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"read","input":{"path":"a"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"gone"}],"is_error":true}]},{"role":"assistant","content":[{"type":"text","text":"ok"}]}]}`,
		"openai-chat": `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},` +
			`{"role":"tool","content":"gone","tool_call_id":"c"},{"role":"assistant","content":"ok"}],` +
			`"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"odd_name","parameters":{"type":"object","properties":{}}}}]}`,
		"openai-responses": `{"instructions":"Be brief.","tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object","properties":{}}},{"type":"function","name":"odd_name","parameters":{"type":"object","properties":{}}}],` +
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"function_call","call_id":"c","name":"read","arguments":"{\"path\":\"a\"}"},{"type":"function_call_output","call_id":"c","output":"gone"},` +
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}]}`,
		"gemini": `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"read","description":"Reads.","parametersJsonSchema":{"type":"object","properties":{}}},{"name":"odd_name","parametersJsonSchema":{"type":"object","properties":{}}}]}],` +
			`"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"read","args":{"path":"a"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"read","response":{"error":"gone"}}}]},` +
			`{"role":"model","parts":[{"text":"ok"}]}]}`,
	} {
		for _, f := range body.Profiles() {
			if f.Name == name {
				same(t, name, bodyOf(t, f, p), want)
			}
		}
	}
}

// P10: whatever hides all there is, and wherever its summary stands, there is a
// message of the user's for every provider.
func TestP10AViewThatShowsNothingIsABody(t *testing.T) {
	opening := "user [Conversation continues]"
	whole := func(c tenfold.Compaction) []tenfold.Entry {
		c.ToTurn = 9
		return []tenfold.Entry{start(), user("go"), signed("anthropic", "hm"), call("c", "t", `{}`), result("c", "r"), say("done"), overlay("o", c)}
	}
	summarised := func(p tenfold.Placement) []tenfold.Entry {
		return whole(tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Placement: p}})
	}
	pair := []string{"user [Summary of previous conversation]", "assistant S"}
	for name, test := range map[string]struct {
		entries []tenfold.Entry
		want    []string
	}{
		"system":      {summarised(tenfold.PlaceSystem), []string{opening}},
		"pair":        {summarised(tenfold.PlacePair), pair},
		"unsaid":      {summarised(""), pair},
		"user":        {summarised(tenfold.PlaceUser), []string{"user S", "assistant Understood, I will continue from this summary."}},
		"message":     {summarised(tenfold.PlaceMessage), []string{"user S"}},
		"blank":       {whole(tenfold.Compaction{Summary: &tenfold.Summary{Text: "\u2003"}}), []string{opening}},
		"turns":       {whole(tenfold.Compaction{Turns: tenfold.Omit}), []string{opening}},
		"nothing":     {nil, []string{opening}},
		"blank texts": {[]tenfold.Entry{start(), user("\u00a0"), say("\ufeff")}, []string{opening}},
		"reasoning":   {[]tenfold.Entry{think("hm"), overlay("o", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})}, []string{opening}},
		"calls":       {[]tenfold.Entry{call("c", "t", `{}`), result("c", "r"), overlay("o", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}})}, []string{opening}},
		"another's":   {[]tenfold.Entry{entry(tenfold.ProviderItem{Provider: "other", Role: "assistant", Data: `{}`})}, []string{opening}},
		"goes on":     {append(summarised(tenfold.PlaceSystem), start(), user("more")), []string{"user more"}},
		"answers on":  {append(summarised(tenfold.PlaceSystem), say("more")), []string{opening, "assistant more"}},
		"in the middle": {
			append(summarised(tenfold.PlaceSystem), call("d", "t", `{}`), result("d", "r")), []string{opening, "call d t {}", "result d r"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, test.entries...)
			only := map[string][]string{}
			if system := p.Config().System; system != "" { // a message in chat
				only["openai-chat"] = append([]string{"system " + system}, test.want...)
			}
			onWire(t, p, test.want, only)
		})
	}
}
