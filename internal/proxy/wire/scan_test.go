package wire_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/proxy/wire"
)

// dresser makes of a plain body what a client might send: spacing, members that
// nobody knows, texts alone, and cache marks.
type dresser struct {
	t     *rapid.T
	marks bool
}

func (d dresser) bool() bool { return rapid.Bool().Draw(d.t, "b") }

// dress gives a body, and the same without its marks.
func (v vendor) dress(t *rapid.T, raw []byte, marks bool) (body, bare []byte) {
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	d := dresser{t, marks && v.list == "messages"}
	d.walk(tree, false)
	indent := jsontext.Multiline(d.bool())
	spell := func() []byte {
		out, err := json.Marshal(tree, json.Deterministic(true), indent, jsontext.EscapeForJS(true))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	body = spell()
	unmark(tree, true)
	return body, spell()
}

// walk dresses messages and their blocks; arguments may look like either.
func (d dresser) walk(v any, block bool) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			d.walk(inner, true)
		}
	case map[string]any:
		if _, ok := v["type"]; block && ok && d.marks && d.bool() {
			v["cache_control"] = map[string]any{"type": "ephemeral"}
		}
		if block && d.bool() {
			v["novel"] = []any{1.5, nil, "x"}
		}
		if in, ok := v["input"].(map[string]any); ok && d.bool() {
			in["cache_control"] = "no mark"
		}
		for _, name := range []string{"messages", "contents", "content", "parts", "system"} {
			d.walk(v[name], true)
		}
		if list, ok := v["content"].([]any); ok && len(list) == 1 && d.bool() {
			if only, ok := list[0].(map[string]any); ok && only["type"] == "text" {
				v["content"] = only["text"]
			}
		}
	}
}

// unmark takes cache marks off messages and their blocks.
func unmark(v any, list bool) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			unmark(inner, true)
		}
	case map[string]any:
		if list && v["type"] != nil {
			delete(v, "cache_control")
		}
		for _, name := range []string{"messages", "content"} {
			unmark(v[name], true)
		}
	}
}

// drawn draws a request as a client might send it.
func (v vendor) drawn(t *rapid.T, marks bool) (body, bare []byte) {
	return v.dress(t, write(t, v, v.log(t, logtest.Entries(30).Draw(t, "log"))), marks)
}

// kept shows all entries as they are.
func kept(pieces [][]wire.Piece) (shown []tenfold.Item) {
	for _, list := range pieces {
		for _, p := range list {
			shown = append(shown, tenfold.Item{Seq: p.Entry.Seq, ID: p.Entry.ID, Payload: p.Entry.Payload})
		}
	}
	return shown
}

// Where nothing is to change, an edit gives the bytes that came, marks aside (X2a).
func TestX2aNothingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		rapid.Check(t, func(t *rapid.T) {
			body, bare := v.drawn(t, rapid.Bool().Draw(t, "marks"))
			r, pieces, _ := v.read(t, body)
			upto := rapid.IntRange(0, len(r.Messages)).Draw(t, "upto")
			prefix, err := v.Edit(r, upto, pieces, kept(pieces))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(body, bare) && upto > 0 && string(joined(r, upto)) != string(prefix) {
				t.Fatalf("gave\n%s\nof\n%s", prefix, joined(r, upto))
			}
			got := jsontext.Value(r.With(prefix, upto))
			var tree any
			if err := json.Unmarshal(got, &tree); err != nil {
				t.Fatalf("%v in\n%s", err, got)
			}
			unmark(tree, true) // of the messages that came
			same, _ := json.Marshal(tree, json.Deterministic(true), jsontext.EscapeForJS(true))
			want := jsontext.Value(bare)
			if err := want.Compact(); err != nil || string(same) != string(want) {
				t.Fatalf("gave\n%s\nof\n%s", same, want)
			}
			edited := jsontext.Value("[" + string(prefix) + "]")
			if err := edited.Compact(); err != nil || bytes.Contains(edited, []byte(`"cache_control":{"type"`)) {
				t.Fatalf("a mark in\n%s", edited)
			}
		})
	}
}

// joined gives messages as they came; two of them have a comma and no space between.
func joined(r *wire.Request, upto int) []byte {
	var list [][]byte
	for _, m := range r.Messages[:upto] {
		list = append(list, r.Body[m.From:m.To])
	}
	return bytes.Join(list, []byte(","))
}

// Spacing, cache marks and a text in a list of its own are not content (V1).
func TestV1SumsIgnoreSpacingAndMarks(t *testing.T) {
	t.Parallel()
	a := wire.Anthropic{}
	scan := func(body string) *wire.Request {
		t.Helper()
		r, err := a.Scan("/v1/messages", []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	base := scan(`{"system":"s","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{"cache_control":1}}]}]}`)
	for body, same := range map[string][3]bool{
		`{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{"cache_control":1}}]}],"system":"s"}`:                                                                                                                   {true, true, true},
		`{"max_tokens":1,"system" : "s","messages":[{ "role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]},` + "\n" + `{"role":"assistant","content":[{"cache_control":{}, "type":"tool_use","id":"c","name":"t","input":{"cache_control": 1}}]} ]}`: {true, true, true},
		`{"system":"t","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{}}]}]}`:                                                                                                                                    {false, true, false},
		`{"system":"s","tool_choice":{},"messages":[{"role":"user","content":"g o"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{"cache_control":1}}]}]}`:                                                                                                 {false, false, true},
	} {
		r := scan(body)
		if got := [3]bool{r.Head == base.Head, r.Messages[0].Sum == base.Messages[0].Sum, r.Messages[1].Sum == base.Messages[1].Sum}; got != same {
			t.Errorf("%s: %v, want %v", body, got, same)
		}
		if marked := strings.Contains(body, `"ephemeral"`); r.Messages[0].Marked != marked || r.Messages[1].Marked != marked {
			t.Errorf("%s: marked %t, %t", body, r.Messages[0].Marked, r.Messages[1].Marked)
		}
		if whole := r.Messages[1].Chain == base.Messages[1].Chain; whole != (same[1] && same[2]) {
			t.Errorf("%s: chain %v", body, whole)
		}
	}
}

// A scan that knows an earlier request gives what one does that knows nothing (X9).
func TestX9KnownMessagesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		rapid.Check(t, func(t *rapid.T) {
			before, _ := v.drawn(t, true)
			after := before
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				after, _ = v.drawn(t, true)
			case 1: // a word, anywhere
				after = bytes.Replace(before, []byte("yes"), []byte("sure"), rapid.IntRange(-1, 3).Draw(t, "words"))
			case 2: // the messages end sooner
				r, _ := v.Scan(v.path, before, nil)
				if n := rapid.IntRange(0, len(r.Messages)).Draw(t, "left"); n > 0 {
					after = append(append(bytes.Clone(before[:r.First]), joined(r, n)...), before[r.End:]...)
				}
			}
			first, err := v.Scan(v.path, before, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := v.Scan(v.path, after, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := v.Scan(v.path, after, first.Messages)
			if err != nil {
				t.Fatal(err)
			}
			same := 0
			for same < min(len(first.Messages), len(got.Messages)) && first.Messages[same].Print == got.Messages[same].Print {
				same++
			}
			if got.Same != same {
				t.Fatalf("same are %d, want %d", got.Same, same)
			}
			if g, w := outline(got), outline(want); g != w {
				t.Fatalf("%s\nwant\n%s", g, w)
			}
		})
	}
}

func outline(r *wire.Request) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Path, r.Model, r.Stream, r.Head, r.First, r.End)
	for _, m := range r.Messages {
		fmt.Fprintln(&b, m.From, m.To, m.Sum, m.Chain, m.Print, m.Model, m.Marked)
	}
	return b.String()
}

// A request that Code Assist wraps is found in the wrapping, and one in two places
// passes (X2a, V7).
func TestX2aWrappedRequests(t *testing.T) {
	t.Parallel()
	const contents = `"contents":[{"parts":[{"text":"go"}]}]`
	r, err := wire.Gemini{}.Scan("/v1internal:countTokens", []byte(`{"model":"models/a","request":{"model":"models/b",`+contents+`,"systemInstruction":{"parts":[{"text":"s"}]}}}`), nil)
	if err != nil || len(r.Messages) != 1 || r.Model != "b" {
		t.Fatalf("%+v, %v", r, err)
	}
	if head, err := (wire.Gemini{}).Head(r); err != nil || head.System == nil || *head.System != "s" {
		t.Errorf("%+v, %v", head, err)
	}
	if r, err := (wire.Gemini{}).Scan("/v1internal:generateContent", []byte(`{`+contents+`,"request":{`+contents+`}}`), nil); err == nil {
		t.Errorf("%+v", r)
	}
}

// What no client sends is an error, and passes (V7).
func TestV7OddBodiesPass(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		list := v.list
		for _, body := range []string{
			``, `[]`, `{}`, `7`, `{"` + list + `":{}}`, `{"` + list + `":[7]}`, `{"` + list + `":[{}],"` + list + `":[]}`,
			`{"` + list + `":[{}]`, `{"` + list + `":[{}]} x`, `{"` + list + `":[{},]}`, `{"` + list + `":[{"role":"us` + "\xff" + `er"}]}`,
			`{"` + list + `":[{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}]}`,
			`{"` + list + `":[{"a":nul}]}`, `{"` + list + `":[{"a":"\"}]}`,
		} {
			if r, err := v.Scan(v.path, []byte(body), nil); err == nil {
				t.Errorf("%s %.60q: %d messages", v.profile.Name, body, len(r.Messages))
			}
		}
		for _, message := range []string{
			`{"role":7}`, `{"role":"user"}`, `{"role":"user","role":"user","content":"a","parts":[]}`, `{"role":"user","content":7,"parts":7}`,
			`{"role":"nobody","content":"","parts":[]}`, `{"role":"assistant","content":[7]}`,
			`{"role":"user","content":[{"type":"text","text":"a","text":"b"}],"parts":[{"text":"a","text":"b"}]}`,
		} {
			r, err := v.Scan(v.path, []byte(`{"`+list+`":[`+message+`]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if p, err := v.Read(r, 0); err == nil {
				t.Errorf("%s %s: %v", v.profile.Name, message, p)
			}
		}
	}
}

// Whether a request offers tools is known on each wire, also of one that goes on.
func TestRequestTools(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		protocol wire.Protocol
		path     string
		with     string // the tools, for a verb in the body
		body     string
	}{
		"anthropic": {wire.Anthropic{}, "/v1/messages", `[{"name":"n","input_schema":{}}]`, `{"model":"m",%s"messages":[{"role":"user","content":"a"}]}`},
		"chat":      {wire.OpenAIChat{}, "/v1/chat/completions", `[{"type":"function","function":{"name":"n"}}]`, `{"model":"m",%s"messages":[{"role":"user","content":"a"}]}`},
		"responses": {wire.OpenAIResponses{}, "/v1/responses", `[{"type":"web_search"}]`, `{"model":"m",%s"input":[{"type":"message","role":"user","content":"a"}]}`},
		"gemini":    {wire.Gemini{}, "/v1beta/models/g:generateContent", `[{"functionDeclarations":[{"name":"n"}]}]`, `{%s"contents":[{"role":"user","parts":[{"text":"a"}]}]}`},
	} {
		for tools, want := range map[string]bool{"": false, `"tools":[],`: false, `"tools":[ ],`: false, `"tools":null,`: false, `"tools": ` + test.with + `,`: true} {
			r, err := test.protocol.Scan(test.path, fmt.Appendf(nil, test.body, tools), nil)
			if err != nil {
				t.Fatal(name, err)
			}
			again, err := test.protocol.Scan(test.path, r.Body, r.Messages)
			if err != nil || r.Tools() != want || again.Tools() != want {
				t.Errorf("%s with %q: %v, then %v, %v", name, tools, r.Tools(), again.Tools(), err)
			}
		}
	}
}

// Two goroutines sum the messages of a long request, and messages have the sums that each
// has in a short one: what is not UTF-8 is no JSON in either half (X9).
func TestX9LongRequestsAreSummedAsShortOnes(t *testing.T) {
	t.Parallel()
	v := vendors()[0]
	list := make([]string, 300)
	for i := range list {
		list[i] = fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%d %s"}]}`, i, strings.Repeat("words ", 300))
	}
	list[7] = strings.ReplaceAll(list[7], ",", ", ")
	list[290] = strings.Replace(list[290], `"}]`, `","cache_control":{"type":"ephemeral"}}]`, 1)
	body := func(list ...string) []byte { return []byte(`{"messages":[` + strings.Join(list, ",") + `]}`) }
	r, err := v.Scan(v.path, body(list...), nil)
	if err != nil || len(r.Messages) != len(list) {
		t.Fatal(err)
	}
	for i := range list {
		one, err := v.Scan(v.path, body(list[i]), nil)
		if err != nil || one.Messages[0].Sum != r.Messages[i].Sum || one.Messages[0].Print != r.Messages[i].Print {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	for _, i := range []int{3, 297} {
		bad := slices.Clone(list)
		bad[i] = strings.Replace(bad[i], "words", "\xff", 1)
		if _, err := v.Scan(v.path, body(bad...), nil); err == nil {
			t.Errorf("message %d is not UTF-8, and nobody says so", i)
		}
	}
}

// Claude Code begins its system prompt with a text for the vendor's accounts, which is another in
// each request: that is no other head, and no part of the system prompt.
func TestV1BillingIsNoContent(t *testing.T) {
	t.Parallel()
	var known []wire.Message
	var heads []wire.Sum
	for _, one := range []struct{ billing, system string }{{"cch=1a2b3;", "s"}, {"cch=c4d5e;", "s"}, {"cch=1a2b3;", "t"}} {
		body := `{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2; ` + one.billing + `"},{"type":"text","text":"` + one.system + `","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"t","input_schema":{}}],"messages":[{"role":"user","content":"go"}]}`
		r, err := wire.Anthropic{}.Scan("/v1/messages", []byte(body), known)
		if err != nil {
			t.Fatal(err)
		}
		head, err := wire.Anthropic{}.Head(r)
		if err != nil || *head.System != one.system {
			t.Errorf("the system prompt is %q, %v", *head.System, err)
		}
		known, heads = r.Messages, append(heads, r.Head)
	}
	if heads[0] != heads[1] || heads[0] == heads[2] {
		t.Errorf("the heads are %x", heads)
	}
}
