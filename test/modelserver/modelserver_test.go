package modelserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/catalog"
	"tenfold/test/modelserver"
)

// post sends a body and gives the status and what came back.
func post(t *testing.T, s *modelserver.Server, path, body string, header ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("X-Api-Key", "secret")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	data, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(data)
}

const (
	messages  = "/v1/messages"
	responses = "/v1/responses"
	chat      = "/v1/chat/completions"
	gemini    = "/v1beta/models/gemini-3-pro:generateContent"
)

// What the real services refuse is refused, in their words.
func TestRefusals(t *testing.T) {
	use := func(id string) string {
		return `{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"Read","input":{}}]}`
	}
	result := func(id string) string {
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"x"}]}`
	}
	const hi = `{"role":"user","content":"hi"}`
	long := strings.Repeat("c", 65)
	for name, c := range map[string]struct{ path, body, want string }{
		"empty text":       {messages, `{"messages":[{"role":"user","content":""}]}`, "text content blocks must be non-empty"},
		"blank text":       {messages, `{"messages":[{"role":"user","content":" \n"}]}`, "must contain non-whitespace text"},
		"empty in result":  {messages, `{"messages":[` + hi + `,` + use("a") + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}]}]}`, "text content blocks must be non-empty"},
		"assistant first":  {messages, `{"messages":[{"role":"assistant","content":"hi"}]}`, `first message must use the \"user\" role`},
		"role":             {messages, `{"messages":[` + hi + `,{"role":"tool","content":"x"}]}`, "messages.1.role"},
		"no messages":      {messages, `{"messages":[]}`, "at least one message is required"},
		"no content":       {messages, `{"messages":[{"role":"user","content":[]}]}`, "must have non-empty content"},
		"open call":        {messages, `{"messages":[` + hi + `,` + use("a") + `,` + hi + `]}`, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a"},
		"call at the end":  {messages, `{"messages":[` + hi + `,` + use("a") + `]}`, "ids were found without"},
		"orphan result":    {messages, `{"messages":[` + hi + `,` + use("a") + `,` + result("a") + `,` + result("b") + `]}`, "messages.3.content.0: unexpected `tool_use_id`"},
		"second result":    {messages, `{"messages":[` + hi + `,` + use("a") + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"a"}]}]}`, "each tool_use must have a single result"},
		"same id twice":    {messages, `{"messages":[` + hi + `,` + use("a") + `,` + result("a") + `,` + use("a") + `,` + result("a") + `]}`, "ids must be unique"},
		"id":               {messages, `{"messages":[` + hi + `,` + use("a.b") + `,` + result("a.b") + `]}`, "String should match pattern"},
		"no signature":     {messages, `{"messages":[` + hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}]}`, "thinking.signature: Field required"},
		"false signature":  {messages, `{"messages":[` + hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"},{"type":"text","text":"z"}]},` + hi + `]}`, "messages.1.content.0: Invalid `signature` in `thinking` block"},
		"open function":    {responses, `{"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}]}`, "No tool output found for function call a."},
		"orphan output":    {responses, `{"input":[{"type":"function_call_output","call_id":"a","output":"x"}]}`, "No tool call found for function call output with call_id a."},
		"long id":          {responses, `{"input":[{"type":"function_call","call_id":"` + long + `","name":"f","arguments":"{}"}]}`, "maximum length 64, but got a string with length 65"},
		"lone reasoning":   {responses, `{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"b"}]}`, "Item 'rs_1' of type 'reasoning' was provided without its required following item"},
		"open chat call":   {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"b"}]}`, "did not have response messages: a"},
		"orphan chat tool": {chat, `{"messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`, "must be a response to a preceeding message"}, //nolint:misspell // as the vendor writes it
		"gemini counts":    {gemini, `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"}]},{"role":"user","parts":[{"text":"b"}]}]}`, "number of function response parts is equal"},
		"gemini thought":   {gemini, `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`, "missing a thought_signature"},
		"gemini empty":     {gemini, `{"contents":[]}`, "contents is not specified"},
	} {
		t.Run(name, func(t *testing.T) {
			s := modelserver.New(modelserver.Sequence())
			status, got := post(t, s, c.path, c.body)
			if status != http.StatusBadRequest || !strings.Contains(got, c.want) {
				t.Errorf("%d %s, want 400 with %q", status, got, c.want)
			}
			if p := s.Problems(); len(p) != 1 || p[0].Problem.Status != status {
				t.Errorf("recorded %v", p)
			}
		})
	}
}

// A tool may say nothing: the answer's content is then an empty text, and no
// block.
func TestEmptyResult(t *testing.T) {
	s := modelserver.New(modelserver.Sequence())
	status, got := post(t, s, messages, `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":""}]}]}`)
	if status != http.StatusOK {
		t.Errorf("%d %s", status, got)
	}
}

// Thinking is bound to the system prompt, the tools and the messages before it
// (B1); cache marks and the spacing of JSON are not part of them.
func TestThinkingIsBoundToItsPrefix(t *testing.T) {
	const tools = `"tools":[{"name":"Read"}],`
	s := modelserver.New(modelserver.Sequence(modelserver.Thinking("hm", modelserver.Text("hello"))))
	status, answer := post(t, s, messages, `{`+tools+`"system":"be brief","messages":[{"role":"user","content":"hi"}]}`)
	if status != 200 {
		t.Fatal(answer)
	}
	signature := signatureOf(t, answer)
	next := func(system, first string) string {
		return fmt.Sprintf(`{%s"system":%s,"messages":[%s,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":%q},{"type":"text","text":"hello"}]},{"role":"user","content":"more"}]}`, tools, system, first, signature)
	}
	const brief, hi = `"be brief"`, `{"role":"user","content":"hi"}`
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"the same":        {next(brief, hi), true},
		"spaced":          {next(brief, `{ "content" : "hi", "role":"user" }`), true},
		"marked":          {next(brief, `{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}`), true},
		"another system":  {next(`"be long"`, hi), false},
		"another message": {next(brief, `{"role":"user","content":"ho"}`), false},
		"another tool":    {strings.Replace(next(brief, hi), `"Read"`, `"Write"`, 1), false},
	} {
		status, got := post(t, s, messages, c.body)
		if (status == 200) != c.ok || (!c.ok && !strings.Contains(got, "bound to a different conversation")) {
			t.Errorf("%s: %d %s", name, status, got)
		}
	}
	drop := strings.Replace(next(`"be long"`, hi), `{`, `{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},`, 1)
	if status, _ := post(t, s, messages, drop); status != 400 {
		t.Error("the block is dropped without the beta header")
	}
	status, answer = post(t, s, messages, drop, "anthropic-beta", "thinking-binding-controls-2026-08-01")
	if status != 200 || !strings.Contains(answer, `"path":"messages.1.content.0"`) {
		t.Errorf("%d %s", status, answer)
	}
}

// signatureOf gives the signature of the last answer's thinking.
func signatureOf(t *testing.T, answer string) string {
	t.Helper()
	_, rest, _ := strings.Cut(answer, `"signature":"`)
	signature, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("no signature in %s", answer)
	}
	return signature
}

// The model of Anthropic's cache: what stands before a mark is written once and
// read within its lifetime.
func TestAnthropicBilling(t *testing.T) {
	now := time.Unix(0, 0)
	s := modelserver.New(modelserver.Sequence(), modelserver.WithClock(func() time.Time { return now }))
	const tools = `"tools":[{"name":"Read"}],`
	text := func(text string, mark bool) string {
		if mark {
			return `{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral"}}`
		}
		return `{"type":"text","text":"` + text + `"}`
	}
	send := func(blocks ...string) modelserver.Usage {
		post(t, s, messages, `{`+tools+`"messages":[{"role":"user","content":[`+strings.Join(blocks, ",")+`]}]}`)
		r := s.Requests()
		return r[len(r)-1].Usage
	}
	first := send(text("one", true))
	if first.CacheWrite == 0 || first.CacheRead != 0 || first.Input != 0 {
		t.Errorf("first %+v", first)
	}
	second := send(text("one", false), text("two", true))
	if second.CacheRead != first.CacheWrite || second.CacheWrite == 0 {
		t.Errorf("second %+v after %+v", second, first)
	}
	if changed := send(text("eins", false), text("two", true)); changed.CacheRead != 0 {
		t.Errorf("changed %+v", changed)
	}
	now = now.Add(6 * time.Minute)
	if late := send(text("one", false), text("two", true)); late.CacheRead != 0 {
		t.Errorf("late %+v", late)
	}
	if unmarked := send(text("one", false), text("two", false)); unmarked.CacheRead != 0 || unmarked.CacheWrite != 0 {
		t.Errorf("unmarked %+v", unmarked)
	}
}

// The other providers cache by themselves what is long enough.
func TestAutomaticBilling(t *testing.T) {
	now := time.Unix(0, 0)
	s := modelserver.New(modelserver.Sequence(), modelserver.WithClock(func() time.Time { return now }))
	long := strings.Repeat("alpha beta gamma ", 1000)
	send := func(texts ...string) modelserver.Usage {
		var items []string
		for _, text := range texts {
			items = append(items, `{"role":"user","content":"`+text+`"}`)
		}
		post(t, s, responses, `{"tools":[{"name":"f"}],"input":[`+strings.Join(items, ",")+`]}`)
		r := s.Requests()
		return r[len(r)-1].Usage
	}
	first := send(long)
	second := send(long, "more")
	if first.CacheRead != 0 || second.CacheRead == 0 || second.CacheRead%128 != 0 || second.All() <= first.All() {
		t.Errorf("%+v then %+v", first, second)
	}
	if short := send("a", "b"); short.CacheRead != 0 {
		t.Errorf("short %+v", short)
	}
	now = now.Add(time.Hour)
	if late := send(long); late.CacheRead != 0 {
		t.Errorf("late %+v", late)
	}
}

// Our own clients read what the server writes, on every wire.
func TestOurClientsUnderstandIt(t *testing.T) {
	reply := modelserver.Saying("I look.", modelserver.Calls(modelserver.Call("Read", `{"path":"a"}`), modelserver.Call("Read", `{"path":"b"}`)))
	reply.Usage = &modelserver.Usage{Input: 7, CacheRead: 5, Output: 3}
	s := modelserver.New(func(modelserver.Request) modelserver.Reply { return reply })
	h := httptest.NewServer(s)
	defer h.Close()
	settings := map[string]catalog.Settings{
		"a": {Type: "anthropic", BaseURL: h.URL, KeyEnv: "KEY"},
		"r": {Type: "openai", API: "responses", BaseURL: h.URL + "/v1", KeyEnv: "KEY"},
		"c": {Type: "openai", API: "chat", BaseURL: h.URL + "/v1", KeyEnv: "KEY"},
		"g": {Type: "gemini", BaseURL: h.URL, KeyEnv: "KEY"},
	}
	all := catalog.Catalog{Settings: settings, Getenv: func(string) string { return "secret" }}
	l := tenfold.NewLog()
	if _, err := l.Append(tenfold.Entry{ID: "1", Payload: tenfold.UserMessage{Parts: []tenfold.Part{{Text: "hi"}}}}); err != nil {
		t.Fatal(err)
	}
	for name := range settings {
		m, err := all.Open(name + "/model")
		if err != nil {
			t.Fatal(err)
		}
		got, err := provider.Collect(t.Context(), m, provider.Request{View: tenfold.Project(l)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		calls := 0
		for _, b := range got.Blocks {
			if c, ok := b.(tenfold.ToolCall); ok && c.Name == "Read" {
				calls++
			}
		}
		if got.Text() != "I look." || calls != 2 || got.Stop != provider.StopTools {
			t.Errorf("%s: %+v", name, got)
		}
		if u := got.Usage; u.Output != 3 || u.CacheRead != 5 {
			t.Errorf("%s: usage %+v", name, u)
		}
	}
	for _, r := range s.Requests() {
		for _, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), "secret") {
				t.Errorf("the key is recorded: %v", r.Header)
			}
		}
		if strings.Contains(r.Path, "secret") {
			t.Errorf("the key is recorded: %s", r.Path)
		}
	}
}
