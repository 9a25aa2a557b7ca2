package body_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/body"
)

var update = flag.Bool("update", false, "write the golden file of the bodies anew")

// said makes the entries of a log: a string is a person's request, "> …" what the model says.
func said(payloads ...any) (list []tenfold.Entry) {
	for _, p := range payloads {
		e := tenfold.Entry{}
		switch p := p.(type) {
		case string:
			if text, model := strings.CutPrefix(p, "> "); model {
				e.Payload = tenfold.AssistantMessage{Text: text}
			} else {
				e.Payload = tenfold.UserMessage{Parts: tenfold.Text(p)}
			}
		case tenfold.Entry:
			e = p
		case tenfold.Payload:
			e.Payload = p
		}
		list = append(list, e)
	}
	return list
}

func call(id, name, arguments string) tenfold.ToolCall {
	return tenfold.ToolCall{CallID: id, Name: name, Arguments: arguments}
}

func custom(id, arguments string) tenfold.ToolCall {
	return tenfold.ToolCall{CallID: id, Name: "patch", Arguments: arguments, Custom: true}
}

func result(id, text string) tenfold.ToolResult {
	return tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)}
}

func signed(provider, signature string) tenfold.Reasoning {
	return tenfold.Reasoning{Text: "hm", Provider: provider, Signature: signature}
}

func sealed(provider, data string) tenfold.Reasoning {
	return tenfold.Reasoning{Text: "hm", Provider: provider, Encrypted: data, ItemID: "rs"}
}

func item(provider, role, data string) tenfold.ProviderItem {
	return tenfold.ProviderItem{Provider: provider, Role: role, Data: data}
}

func config(model, system string, tools ...tenfold.ToolDefinition) tenfold.ConfigDelta {
	return tenfold.ConfigDelta{Model: model, System: &system, Tools: &tools}
}

func under(role, provider, text string) tenfold.UserMessage {
	return tenfold.UserMessage{Parts: tenfold.Text(text), Role: role, Provider: provider, Purpose: tenfold.Context, Synthetic: true}
}

func of(message string, p tenfold.Payload) tenfold.Entry {
	return tenfold.Entry{MessageID: message, Payload: p}
}

func file(kind tenfold.PartType, media, uri string) tenfold.Part {
	return tenfold.Part{File: &tenfold.File{Type: kind, Name: "f", MediaType: media, URI: uri}}
}

const image, document = tenfold.PartImage, tenfold.PartFile

// logs are what the bodies of testdata/bodies.golden are written of.
var logs = []struct {
	name    string
	entries []tenfold.Entry
}{
	{"nothing", nil},
	{"white space", said(config("", " \n"), " ", tenfold.UserMessage{}, "> \t", "go", "> ", result("no call", "x"))},
	{"phases", said("go", tenfold.AssistantMessage{Text: "I look.", Phase: "commentary"}, tenfold.AssistantMessage{Text: "Done.", Phase: "final_answer"}, tenfold.AssistantMessage{Text: "So.", Phase: "a stranger's"})},
	{"the model speaks first", said("> hello")},
	{"nothing but thought", said(signed("anthropic", "a"), sealed("openai", "o"), signed("gemini", "g"), tenfold.Reasoning{Text: "c", Provider: "openai-chat"})},
	{"every kind", said(
		config("m", "Be brief.", tenfold.ToolDefinition{Name: "read", Description: "reads", Schema: `{"type":"object"}`}, tenfold.ToolDefinition{Name: "list"}),
		tenfold.TurnStart{},
		tenfold.UserMessage{
			Parts:       tenfold.Text("look"),
			Attachments: []tenfold.Attachment{{Name: "n.txt", MediaType: "text/plain", Content: "inner"}, {Name: "empty"}},
		},
		tenfold.UserMessage{Parts: tenfold.Text("mind this"), Purpose: tenfold.Context, Synthetic: true},
		tenfold.UserMessage{Parts: tenfold.Text("/model"), Purpose: tenfold.Notice, Synthetic: true},
		tenfold.Reasoning{Text: "nobody's"},
		of("m1", tenfold.AssistantMessage{Text: "I look."}), call("c1", "read", `{"p": 1}`), call("c2", "list", ""),
		tenfold.Approval{CallID: "c1"}, tenfold.Usage{Input: 7, Output: 3},
		result("c2", "a\nb"), tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("no such file"), IsError: true, Outcome: tenfold.Failed},
		tenfold.Unknown{Name: "strange", Data: `{"x":1}`},
		tenfold.Entry{Branch: "a", Payload: tenfold.UserMessage{Parts: tenfold.Text("to another agent")}},
		"> one", "> two", "stop", call("c3", "read", "{}"),
	)},
	{"calls", said(
		"go",
		call("c", "a.b", `{"cut`), call("c", "a b", "[1]"), call("", "", "null"), call("c|1", "9", " {} "),
		call(strings.Repeat("i", 50), strings.Repeat("n", 70), `{"a":{}}`),
		result("c", "first"), result("c", "second"), result("c", "a third too many"), tenfold.ToolResult{IsError: true},
		tenfold.ToolResult{CallID: "c|1", Parts: []tenfold.Part{tenfold.TextPart("a"), tenfold.TextPart(" "), tenfold.TextPart("b")}},
		"and now", call("c", "a.b", ""), result("c", "once more"), "> done",
	)},
	{"custom calls", said(
		"go", custom("c1", `{"input":"*** Begin"}`), custom("c2", `{}`), custom("c3", `{"input":7}`), custom("c4", `{"input":"x","more":1}`), custom("c5", "no JSON"),
		call("c6", "patch", `{"input":"x"}`),
		result("c1", "1"), result("c2", "2"), result("c3", "3"), result("c4", "4"), result("c5", "5"), result("c6", "6"),
	)},
	{"custom calls among tools that have none", said(
		config("", "", tenfold.ToolDefinition{Name: "patch"}, tenfold.ToolDefinition{Name: "x", Provider: "openai-chat", Data: `{"type":"custom","custom":{"name":"x"}}`}),
		"go", custom("c1", `{"input":"*** Begin"}`), result("c1", "1"),
	)},
	{"a custom tool of the server's own", said(
		config("", "", tenfold.ToolDefinition{Name: "patch", Provider: "openai-chat", Data: `{"type":"custom","custom":{"name":"patch"}}`}),
		"go", custom("c1", `{"input":"*** Begin"}`), result("c1", "1"),
	)},
	{"tools", said(
		config(
			"", "",
			tenfold.ToolDefinition{Name: "search", Provider: "gemini", Data: `{"google_search":{}}`}, tenfold.ToolDefinition{Name: "twice", Description: "old"}, tenfold.ToolDefinition{Name: "a.b"}, tenfold.ToolDefinition{Name: "twice", Description: "new", Schema: "no JSON"},
			tenfold.ToolDefinition{Name: "a b"}, tenfold.ToolDefinition{Name: "-"}, tenfold.ToolDefinition{Name: "0"},
			tenfold.ToolDefinition{Name: "web", Provider: "anthropic", Data: `{"type":"web","name":"web"}`},
			tenfold.ToolDefinition{Name: "theirs", Provider: "mcp", Schema: `{"type":"object"}`},
			tenfold.ToolDefinition{Name: "gone", Provider: "mcp", Data: `{"type":"gone"}`}, tenfold.ToolDefinition{Name: "own, unread", Provider: "gemini", Data: "no JSON"},
		),
		"go", call("c1", "a b", ""), call("c2", "-", ""), result("c1", "x"), result("c2", "y"),
	)},
	{"files", said(
		tenfold.UserMessage{Parts: []tenfold.Part{
			tenfold.TextPart("see"),
			file(image, "image/png", "data:image/png;base64,QUJD"), file(image, "image/tiff", "data:image/tiff;base64,QUJD"), file(image, "image/png", "https://h/i.png"),
			file(image, "image/png", "/a/path.png"), file(image, "image/png", "gs://b/i.png"), file(image, "image/png", "data:;base64,QUJD"), file(image, "image/png", "data:image/png;base64,"), file(image, "image/png", "x:image/png;base64,QUJD"),
			file(document, "application/pdf", "data:application/pdf;base64,QUJD"), file(document, "image/png", "data:image/png;base64,QUJD"), file(document, "", "http://h/d"),
			{File: &tenfold.File{Type: document, Detail: `{"id":"file-1"}`}},
			{File: &tenfold.File{Type: document, Name: "d", Detail: " "}},
			{File: &tenfold.File{Type: document, Name: "d", URI: "/d", Detail: `{"id":"x"}`}},
			{File: &tenfold.File{Type: image, Name: "i", Detail: `{"id":"y"}`}},
		}},
		call("c1", "shot", "{}"), call("c2", "dump", "{}"),
		tenfold.ToolResult{CallID: "c1", Parts: []tenfold.Part{tenfold.TextPart("here"), file(image, "image/gif", "data:image/gif;base64,QUJD")}},
		tenfold.ToolResult{CallID: "c2", Parts: []tenfold.Part{tenfold.TextPart("there"), file(document, "application/zip", "data:application/zip;base64,QUJD")}},
		tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("a"), file(document, "", "/d"), tenfold.TextPart("b")}},
	)},
	{"files of what failed", said(
		"go", call("c1", "shot", "{}"), call("c2", "shot", "{}"),
		tenfold.ToolResult{CallID: "c1", IsError: true, Parts: []tenfold.Part{tenfold.TextPart("it broke"), file(image, "image/gif", "data:image/gif;base64,QUJD"), file(document, "", "/d")}},
		tenfold.ToolResult{CallID: "c2", IsError: true, Parts: []tenfold.Part{file(image, "", "https://h/i.png")}},
		"well?",
	)},
	{"thought", said(
		"go",
		signed("anthropic", "a1"), sealed("anthropic", "a2"), tenfold.Reasoning{Text: "bare", Provider: "anthropic"},
		sealed("openai", "o1"), tenfold.Reasoning{Provider: "openai", Encrypted: "o2"}, tenfold.Reasoning{Text: "bare", Provider: "openai", ItemID: "rs"},
		signed("gemini", "g1"), tenfold.Reasoning{Text: "bare", Provider: "gemini"},
		tenfold.Reasoning{Text: "as it is", Provider: "openai-chat"}, tenfold.Reasoning{Text: " ", Provider: "openai-chat"}, tenfold.Reasoning{Text: "and more", Provider: "openai-chat"},
		"> so", signed("gemini", "g2"), call("c1", "t", "{}"), call("c2", "t", "{}"), result("c1", "1"), result("c2", "2"),
		sealed("openai", "o3"), signed("anthropic", "a3"), signed("gemini", "g3"), tenfold.Reasoning{Text: "last", Provider: "openai-chat"},
		"next", "> end", sealed("anthropic", "a4"), sealed("openai", "o4"),
	)},
	{"thought of two answers", said(
		"go", of("m1", tenfold.AssistantMessage{Text: "a"}), of("m1", signed("anthropic", "1")), of("m1", tenfold.AssistantMessage{Text: "b"}), of("m2", signed("anthropic", "2")), of("m2", signed("anthropic", "3")), of("m2", tenfold.AssistantMessage{Text: "c"}),
		signed("anthropic", "4"), "> d", "> e",
	)},
	{"Gemini 3", said(
		config("models/gemini-3-pro", ""),
		tenfold.TurnStart{}, "go", "> so", call("c1", "t", "{}"), call("c2", "t", "{}"), result("c1", "1"), result("c2", "2"),
		call("c3", "t", "{}"), result("c3", "3"), signed("gemini", "g"), call("c4", "t", "{}"), call("c5", "t", "{}"), result("c4", "4"), result("c5", "5"),
		of("m1", call("c6", "t", "{}")), of("m2", call("c7", "t", "{}")), of("m2", call("c8", "t", "{}")),
	)},
	{"items", said(
		"go",
		item("anthropic", "", `{"type":"server_tool_use","id":"s"}`), item("anthropic", "", `{"type":"text","text":""}`), item("anthropic", "", `{"type":"fallback"}`),
		item("anthropic", "", `[1]`), item("anthropic", "", "no JSON"), item("anthropic", "", `{"type":7}`), item("anthropic", "user", `{"type":"container_upload"}`),
		item("openai", "", `{"type":"fallback"}`), item("openai", "user", `{"type":"item_reference"}`), item("openai", "", `{"type":"function_call"}`),
		item("openai-chat", "", `{"type":"refusal"}`),
		item("gemini", "", `{"executableCode":{}}`), item("gemini", "", `{}`), item("gemini", "", `{"text":7}`), item("gemini", "", `{"text":" "}`), item("gemini", "", `{"text":"","thoughtSignature":"s"}`),
		item("gemini", "user", `{"text":"","thoughtSignature":"s"}`), item("gemini", "user", `{"videoMetadata":{}}`), item("gemini", "", `{"text":"x"}`),
		"> end",
	)},
	{"system at the front", said(config("", "Base."), under("system", "openai", "one"), under("developer", "openai", "two"), "go", "> ok")},
	{"system alone", said(under("system", "anthropic", "only"))},
	{"system with a picture", said(tenfold.UserMessage{Role: "system", Provider: "anthropic", Parts: []tenfold.Part{tenfold.TextPart("one"), file(image, "image/png", "https://h/i.png")}}, "> ok")},
	{"system in the midst", said(
		"go", under("system", "anthropic", "s1"), under("system", "openai", "s2"), under("developer", "openai", "s3"), "too",
		call("c1", "t", "{}"), under("system", "anthropic", "s4"), result("c1", "1"), under("tool", "anthropic", "s5"), "> ok",
		under("system", "anthropic", "s6"), "> ok", under("system", "anthropic", "s7"), under("developer", "anthropic", "s8"), under("system", "anthropic", "s9"),
	)},
	{"system between two answers", said("go", "> one", under("system", "anthropic", "s1"), under("system", "anthropic", "s2"), "> two", under("system", "anthropic", "s3"))},
	{"signed words", said(
		"go", signed("anthropic", "s"), tenfold.AssistantMessage{Text: "It is in a.go.", Signature: "u"}, call("c1", "t", "{}"), result("c1", "1"),
		tenfold.AssistantMessage{Text: "Next b.go.", Signature: "u"}, call("c2", "t", "{}"), result("c2", "2"), "> done",
	)},
	{"signed words at the end", said("go", "> x", tenfold.AssistantMessage{Text: "Next b.go.", Signature: "u"}, signed("anthropic", "s"), "and?")},
	{"white space at the end", said("go", "> x\t")},
	{"white space at the end of an item", said("go", "> x", item("anthropic", "", `{"type":"said","text":"y "}`))},
	{"white space at the ends", said("go", "> x \n", "go", "> a", "> b\u2028\u0085\ufeff \n")},
}

// Golden: what each profile writes of each log, a line for each message. A body that
// its own check finds fault with says so.
func TestBodies(t *testing.T) {
	var all strings.Builder
	for _, c := range logs {
		l := tenfold.NewLog()
		if _, err := l.Append(c.entries...); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		fmt.Fprintf(&all, "# %s\n", c.name)
		for _, f := range body.Profiles() {
			written, err := f.Write(tenfold.Project(l))
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, f.Name, err)
			}
			for _, v := range f.Check(written) {
				t.Errorf("%s, %s: %v", c.name, f.Name, v)
			}
			fmt.Fprintf(&all, "%s:\n%s", f.Name, lines(t, written))
		}
	}
	const golden = "testdata/bodies.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(all.String(), "\n")); d != "" {
		t.Errorf("the bodies differ; -update writes them anew (-want +got):\n%s", d)
	}
}

// lines gives a body with a line for each member, and for each element of one that is a list.
func lines(t *testing.T, written []byte) string {
	t.Helper()
	var members map[string]jsontext.Value
	if err := json.Unmarshal(written, &members); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(members)) {
		list := []jsontext.Value{members[key]}
		if list[0].Kind() == '[' {
			if err := json.Unmarshal(members[key], &list); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range list {
			fmt.Fprintf(&out, "  %s %s\n", key, v)
		}
	}
	return out.String()
}

// Anthropic takes no more than 5 MB of base64 of an image.
func TestLargeImages(t *testing.T) {
	for size, kind := range map[int]string{5 << 20: `"type":"image"`, 5<<20 + 4: "[file not included]"} {
		l := tenfold.NewLog()
		part := file(image, "image/png", "data:image/png;base64,"+strings.Repeat("QUJD", size/4))
		if _, err := l.Append(tenfold.Entry{Payload: tenfold.UserMessage{Parts: []tenfold.Part{part}}}); err != nil {
			t.Fatal(err)
		}
		written, err := body.Anthropic().Write(tenfold.Project(l))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(written), kind) {
			t.Errorf("an image of %d bytes: %.200s, want %s", size, written, kind)
		}
	}
}

// Calls without a signature get a word for it from Gemini 3 on.
func TestUnsignedCall(t *testing.T) {
	for model, want := range map[string]bool{
		"gemini-3-pro": true, "models/gemini-3": true, "gemini-10.5": true,
		"gemini-2.5-pro": false, "gemini-pro-3": false, "gemini-": false, "gemini": false, "other-3": false, "3": false, "": false,
	} {
		if got := body.UnsignedCall(model); (got == "skip_thought_signature_validator") != want || (got == "") == want {
			t.Errorf("%q: %q", model, got)
		}
	}
}
