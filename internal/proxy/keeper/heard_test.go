package keeper_test

import (
	"context"
	"net/http"
	"testing"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
)

// X2: a client writes what it heard anew as it sends it back, with spacing and an order of
// members of its own: that is the same answer, and stands in the log once.
func TestX2AnswersComeBackInTheClientsOwnJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		protocol              wire.Protocol
		path                  string
		first, answer, second string
	}{
		"a tool of Anthropic's": {
			wire.Anthropic{},
			"/v1/messages",
			`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Look it up."}]}`,
			"data: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"claude-sonnet-4-5\",\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n" +
				"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\": \"server_tool_use\", \"id\": \"srv_1\", \"name\": \"web_search\", \"input\": {}}}\n\n" +
				"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\": \\\"tide\\\"}\"}}\n\n" +
				"data: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
				"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\": \"web_search_tool_result\", \"tool_use_id\": \"srv_1\", \"content\": [{\"type\": \"web_search_result\", \"url\": \"http://a\"}]}}\n\n" +
				"data: {\"type\":\"content_block_stop\",\"index\":1}\n\n" +
				"data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"Low at nine.\"}}\n\n" +
				"data: {\"type\":\"content_block_stop\",\"index\":2}\n\n" +
				"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
			`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Look it up."},{"role":"assistant","content":[` +
				`{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"tide"}},` +
				`{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"http://a"}]},` +
				`{"type":"text","text":"Low at nine."}]},{"role":"user","content":"Thanks."}]}`,
		},
		"code of Gemini's": {
			wire.Gemini{},
			"/v1beta/models/gemini-2.5-pro:streamGenerateContent",
			`{"contents":[{"role":"user","parts":[{"text":"Sum it."}]}]}`,
			"data: {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [{\"executableCode\": {\"code\": \"print(1)\", \"language\": \"PYTHON\"}}, {\"codeExecutionResult\": {\"outcome\": \"OUTCOME_OK\", \"output\": \"1\"}}, {\"text\": \"One.\"}]}, \"finishReason\": \"STOP\"}], \"usageMetadata\": {\"promptTokenCount\": 9, \"candidatesTokenCount\": 4}}\r\n\r\n",
			`{"contents":[{"role":"user","parts":[{"text":"Sum it."}]},{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print(1)"}},` +
				`{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"One."}]},{"role":"user","parts":[{"text":"Thanks."}]}]}`,
		},
		"reasoning without its id": { // as Codex sends it
			wire.OpenAIResponses{},
			"/v1/responses",
			`{"model":"gpt-5","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Think."}]}]}`,
			`{"id":"resp_1","object":"response","model":"gpt-5","status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAA"},` +
				`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done.","annotations":[]}]}],"usage":{"input_tokens":9,"output_tokens":3}}`,
			`{"model":"gpt-5","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Think."}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAA"},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Thanks."}]}]}`,
		},
		"open reasoning without its id": {
			wire.OpenAIResponses{},
			"/v1/responses",
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Think."}]}]}`,
			`{"id":"resp_1","object":"response","model":"m","status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]},` +
				`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done.","annotations":[]}]}],"usage":{"input_tokens":9,"output_tokens":3}}`,
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Think."}]},{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Thanks."}]}]}`,
		},
		"reasoning details": {
			wire.OpenAIChat{},
			"/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"Think."}]}`,
			`{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Done.","reasoning_details":[{"type": "reasoning.encrypted", "data": "x"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`,
			`{"model":"m","messages":[{"role":"user","content":"Think."},{"role":"assistant","content":"Done.","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]},{"role":"user","content":"Thanks."}]}`,
		},
	} {
		p := newPlace(t)
		say := func(text, answer string) {
			ex := p.k.Take(context.Background(), proxy.Incoming{Protocol: c.protocol, Kind: wire.Generate, Path: c.path, Header: http.Header{"X-Session-Id": {"s1"}}, Body: []byte(text)})
			if answer != "" {
				_, _ = ex.Heard().Write([]byte(answer))
				ex.Done(200, false)
			}
			keeper.Rest(p.k, answer != "")
		}
		say(c.first, c.answer)
		say(c.second, c.answer)
		p.close()
		l := p.open(p.status().ID).Log()
		seen := 0
		for e := range l.Entries() {
			switch e.Payload.Kind() {
			case tenfold.KindAssistantMessage:
				seen++
			case tenfold.KindCompaction:
				t.Errorf("%s: the log says that the client went back", name)
			}
		}
		if seen != 2 {
			t.Errorf("%s: %d answers are in the log", name, seen)
		}
		if n := len(p.conversations()); n != 1 {
			t.Errorf("%s: %d conversations", name, n)
		}
		for _, f := range p.failures() {
			t.Errorf("%s: %s", name, f)
		}
	}
}
