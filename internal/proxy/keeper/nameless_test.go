package keeper_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
)

// nameless is a client of a server that gives calls no id, for calls of ls, ls and cat.
type nameless struct {
	protocol wire.Protocol
	path     string
	// request is one with messages, answer what a server answers with one.
	request, answer, user, said string
	// calls gives an answer with calls, as the server says it or the client sends it
	// back, and results what their tools gave.
	calls   func(turn int, back bool) string
	results func(turn int) []string
}

func chatWithoutIDs(served string, call, result func(turn, i int, tool string) string) nameless {
	return nameless{
		protocol: wire.OpenAIChat{}, path: "/v1/chat/completions",
		request: `{"model":"m","messages":[%s]}`,
		answer:  `{"id":"c","model":"m","choices":[{"index":0,"message":%s,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`,
		user:    `{"role":"user","content":"Turn %d."}`, said: `{"role":"assistant","content":"Done %d."}`,
		calls: func(turn int, back bool) string {
			var list []string
			for i, tool := range tools() {
				id := served
				if back {
					id = call(turn, i, tool)
				}
				list = append(list, fmt.Sprintf(`{%s"type":"function","function":{"name":"%s","arguments":"{\"d\":%d}"}}`, id, tool, i))
			}
			return `{"role":"assistant","content":"I look.","tool_calls":[` + strings.Join(list, ",") + `]}`
		},
		results: func(turn int) (list []string) {
			for i, tool := range tools() {
				list = append(list, fmt.Sprintf(`{"role":"tool",%s"content":"result %d.%d"}`, result(turn, i, tool), turn, i))
			}
			return list
		},
	}
}

// geminiIDs is what stands before a call and before its result, as the server says them or the
// client sends them back.
type geminiIDs func(turn, i int) string

func geminiWithoutIDs(served, call, result geminiIDs) nameless {
	return nameless{
		protocol: wire.Gemini{}, path: "/v1beta/models/m:generateContent",
		request: `{"contents":[%s]}`,
		answer:  `{"candidates":[{"content":%s,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}`,
		user:    `{"role":"user","parts":[{"text":"Turn %d."}]}`, said: `{"role":"model","parts":[{"text":"Done %d."}]}`,
		calls: func(turn int, back bool) string {
			list, id := []string{`{"text":"I look."}`}, served
			if back {
				id = call
			}
			for i, tool := range tools() {
				list = append(list, fmt.Sprintf(`{"functionCall":{%s"name":"%s","args":{"d":%d}}}`, id(turn, i), tool, i))
			}
			return `{"role":"model","parts":[` + strings.Join(list, ",") + `]}`
		},
		results: func(turn int) []string {
			var list []string
			for i, tool := range tools() {
				list = append(list, fmt.Sprintf(`{"functionResponse":{%s"name":"%s","response":{"output":"result %d.%d"}}}`, result(turn, i), tool, turn, i))
			}
			return []string{`{"role":"user","parts":[` + strings.Join(list, ",") + `]}`}
		},
	}
}

// inContents has a client send each call back, and each result, as a content of its own.
func inContents(c nameless) nameless {
	calls, results := c.calls, c.results
	c.calls = func(turn int, back bool) string {
		said := calls(turn, back)
		if back {
			said = strings.ReplaceAll(said, `,{"functionCall"`, `]},{"role":"model","parts":[{"functionCall"`)
		}
		return said
	}
	c.results = func(turn int) []string {
		return []string{strings.ReplaceAll(results(turn)[0], `,{"functionResponse"`, `]},{"role":"user","parts":[{"functionResponse"`)}
	}
	return c
}

func tools() []string { return []string{"ls", "ls", "cat"} }

// X2: a server may give calls no id, and its client send them back so, or with ids that
// it made up. Each answer stands in the log once, and each result with its call.
func TestX2CallsWithoutIDs(t *testing.T) {
	t.Parallel()
	text := func(s string) func(int, int, string) string { return func(int, int, string) string { return s } }
	own := func(member string) func(int, int, string) string {
		return func(turn, i int, _ string) string { return fmt.Sprintf(`"%s":"own_%d_%d",`, member, turn, i) }
	}
	named := func(_, _ int, tool string) string { return `"tool_name":"` + tool + `","name":"` + tool + `",` }
	none := func(int, int) string { return "" }
	owns := func(turn, i int) string { return fmt.Sprintf(`"id":"own-%d-%d",`, turn, i) }
	serves := func(turn, i int) string { return fmt.Sprintf(`"id":"%d%d",`, turn, i) }
	late := func(turn, i int) string {
		if turn < 2 {
			return ""
		}
		return owns(turn, i)
	}
	for name, c := range map[string]nameless{
		"chat, no id":               chatWithoutIDs("", text(""), text("")),
		"chat, an empty id":         chatWithoutIDs(`"id":"",`, text(`"id":"",`), text(`"tool_call_id":"",`)),
		"chat, null":                chatWithoutIDs(`"id":null,`, text(`"id":null,`), text(`"tool_call_id":null,`)),
		"chat, results with a name": chatWithoutIDs("", text(""), named),
		"chat, the client's ids":    chatWithoutIDs(`"id":"",`, own("id"), own("tool_call_id")),
		"chat, numbers as ids":      chatWithoutIDs(`"id":"0",`, text(`"id":"0",`), text(`"tool_call_id":"0",`)),
		"Gemini, no id":             geminiWithoutIDs(none, none, none),
		"Gemini, ids of results":    geminiWithoutIDs(none, none, owns),
		"Gemini, the client's ids":  geminiWithoutIDs(none, owns, owns),
		"Gemini, the server's ids":  geminiWithoutIDs(serves, serves, serves),
		"Gemini, ids left out":      geminiWithoutIDs(serves, none, none),
		"Gemini, ids of calls":      geminiWithoutIDs(serves, serves, none),
		"Gemini, other ids":         geminiWithoutIDs(serves, owns, owns),
		"Gemini, ids from turn 2":   geminiWithoutIDs(none, late, late),
		"Gemini, contents":          inContents(geminiWithoutIDs(serves, serves, serves)),
		"Gemini, contents, no id":   inContents(geminiWithoutIDs(none, none, none)),
	} {
		for _, rests := range []bool{false, true} {
			const turns = 4
			p := newPlace(t)
			var messages []string
			ask := func(answer string) {
				body := fmt.Sprintf(c.request, strings.Join(messages, ","))
				ex := p.k.Take(context.Background(), proxy.Incoming{Protocol: c.protocol, Kind: wire.Generate, Path: c.path, Header: http.Header{"X-Session-Id": {"s1"}}, Body: []byte(body)})
				_, _ = fmt.Fprintf(ex.Heard(), c.answer, answer)
				ex.Done(200, false)
				keeper.Rest(p.k, rests)
			}
			for turn := range turns {
				messages = append(messages, fmt.Sprintf(c.user, turn))
				ask(c.calls(turn, false))
				messages = append(append(messages, c.calls(turn, true)), c.results(turn)...)
				ask(fmt.Sprintf(c.said, turn))
				messages = append(messages, fmt.Sprintf(c.said, turn))
			}
			p.close()
			if n := len(p.conversations()); n != 1 {
				t.Errorf("%s, rests %v: %d conversations", name, rests, n)
			}
			seen, at := map[tenfold.Kind]int{}, 0
			l := p.open(p.status().ID).Log()
			for e := range l.Entries() {
				seen[e.Payload.Kind()]++
			}
			if seen[tenfold.KindToolCall] != 3*turns || seen[tenfold.KindToolResult] != 3*turns || seen[tenfold.KindAssistantMessage] != 2*turns || seen[tenfold.KindUserMessage] != turns || seen[tenfold.KindCompaction] != 0 {
				t.Errorf("%s, rests %v: the log has %v", name, rests, seen)
			}
			for it := range tenfold.Project(l).Items() {
				if r, ok := it.Payload.(tenfold.ToolResult); ok {
					if want := fmt.Sprintf("result %d.%d", at/3, at%3); r.Parts[0].Text != want {
						t.Errorf("%s, rests %v: result %d is %q", name, rests, at, r.Parts[0].Text)
					}
					at++
				}
			}
			for _, f := range p.failures() {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
}
