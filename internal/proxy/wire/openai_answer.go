package wire

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/provider/answer"
)

// Listen implements [Protocol]. The items of an answer are read as those of a
// request are, for they come back as such.
func (OpenAIResponses) Listen(r *Request) Listener {
	return newListener(answer.Responses(r.Model, said))
}

// said is what an item says: one that nobody knows says nothing.
func said(item jsontext.Value) (out []tenfold.Payload) {
	p := pieces{raw: item}
	if p.item(Span{0, len(item)}) != nil {
		return nil
	}
	for _, piece := range p.whole() {
		out = append(out, piece.Entry.Payload)
	}
	return out
}

// responsesAnswer writes a whole response of one item.
func responsesAnswer(r *Request, id, item string, usage tenfold.Usage) (contentType string, body []byte) {
	response := func(status, output, used string) string {
		return `{"id":"resp_` + id + `","object":"response","created_at":0,"status":"` + status + `","error":null,"incomplete_details":null,"model":` +
			string(quote(r.Model)) + `,"output":[` + output + `],"usage":` + used + `}`
	}
	input := usage.Prompt()
	whole := response("completed", item, fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,`+
		`"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}`, input, usage.CacheRead, usage.Output, input+usage.Output))
	if !r.Stream {
		return JSON, []byte(whole)
	}
	var b strings.Builder
	for i, e := range [][2]string{
		{"response.created", `"response":` + response("in_progress", "", "null")},
		{"response.output_item.added", `"output_index":0,"item":` + item},
		{"response.output_item.done", `"output_index":0,"item":` + item},
		{"response.completed", `"response":` + whole},
	} {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%d,%s}\n\n", e[0], e[0], i, e[1])
	}
	return Event, []byte(b.String())
}
