package wire

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/provider/answer"
)

// JSON is the content type of answers that are not streams.
const JSON = "application/json"

func (Anthropic) Listen(r *Request) Listener {
	return newListener(answer.Anthropic(r.Model, r.updates()))
}

// answerID names an answer of ours: the same for the same request and text.
func (r *Request) answerID(text string) string {
	sum := sumOf(append(r.Head[:], text...))
	if n := len(r.Messages); n > 0 {
		sum = sumOf(append(r.Messages[n-1].Chain[:], sum[:]...))
	}
	return hex.EncodeToString(sum[:12])
}

// AnswerText writes a whole response of Anthropic's that says a text, as an answer to Claude
// Code's own compaction (X4): the header's content type and the body.
func AnswerText(r *Request, text string, usage tenfold.Usage) (contentType string, body []byte) {
	used := fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":`,
		usage.Input, usage.CacheWrite, usage.CacheRead)
	output := strconv.Itoa(usage.Output)
	head := `{"id":"msg_` + r.answerID(text) + `","type":"message","role":"assistant","model":` + string(quote(r.Model)) + `,"content":[`
	quoted := string(quote(text))
	if !r.Stream {
		return JSON, []byte(head + `{"type":"text","text":` + quoted + `}],"stop_reason":"end_turn","stop_sequence":null,"usage":` + used + output + `}}`)
	}
	var b strings.Builder
	for _, e := range [][2]string{
		{"message_start", `"message":` + head + `],"stop_reason":null,"stop_sequence":null,"usage":` + used + `1}}`},
		{"content_block_start", `"index":0,"content_block":{"type":"text","text":""}`},
		{"content_block_delta", `"index":0,"delta":{"type":"text_delta","text":` + quoted + `}`},
		{"content_block_stop", `"index":0`},
		{"message_delta", `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":` + used + output + `}`},
		{"message_stop", ""},
	} {
		b.WriteString("event: " + e[0] + "\ndata: {\"type\":\"" + e[0] + `"`)
		if e[1] != "" {
			b.WriteString("," + e[1])
		}
		b.WriteString("}\n\n")
	}
	return Event, []byte(b.String())
}

// AnswerNoThread is what Anthropic answers with a status 404 where it keeps a message thread no
// more. Clients then say the whole conversation
// (https://platform.claude.com/docs/en/build-with-claude/message-threads).
func AnswerNoThread() []byte {
	return []byte(`{"type":"error","error":{"type":"not_found_error","message":"tenfold proxy: no thread is kept; the whole conversation is needed","details":{"error_code":"thread_not_found"}}}`)
}
