package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/provider/answer"
)

// Listen implements [Protocol]. The items of an answer are read as those of a
// request are, for they come back as such.
func (OpenAIResponses) Listen(r *Request) Listener {
	return &listener{decoder: &itemDecoder{whole: answer.Responses(r.Model)}}
}

func (OpenAIResponses) Refusal(status int, body []byte) Refusal { return refusal(status, body) }

// itemDecoder has the items of an answer read by [pieces.item], and what else it
// says by the decoder of the models.
type itemDecoder struct {
	whole answer.Decoder
	done  []int // output indexes whose item came
	calls bool  // tools of the client's were called
}

// Take implements [answer.Decoder].
func (d *itemDecoder) Take(name string, data []byte) ([]provider.Event, error) {
	var e struct {
		Type     string         `json:"type"`
		Index    int            `json:"output_index"`
		Item     jsontext.Value `json:"item"`
		Object   string         `json:"object"`
		Status   string         `json:"status"`
		Response struct {
			Output []jsontext.Value `json:"output"`
		} `json:"response"`
	}
	if rawjson.Unmarshal(data, &e) != nil {
		return d.whole.Take(name, data)
	}
	if e.Type == "" && e.Object == "response" { // an answer that is not a stream
		kind := "response.completed"
		if e.Status == "incomplete" || e.Status == "failed" {
			kind = "response." + e.Status
		}
		return d.Take("", slices.Concat([]byte(`{"type":"`+kind+`","response":`), data, []byte(`}`)))
	}
	var out []provider.Event
	switch e.Type {
	case "response.output_item.done":
		if slices.Contains(d.done, e.Index) {
			return nil, nil
		}
		d.done = append(d.done, e.Index)
		return d.item(e.Item), nil
	case "response.completed", "response.incomplete":
		for i, item := range e.Response.Output {
			if !slices.Contains(d.done, i) {
				out = append(out, d.item(item)...)
			}
		}
	}
	events, err := d.whole.Take(name, data)
	for _, e := range events {
		if e.Stop == provider.StopEnd && d.calls {
			e.Stop = provider.StopTools
		}
		if e.Block == nil {
			out = append(out, e)
		}
	}
	return out, err
}

// item reads an item; one that says nothing that is known gives nothing.
func (d *itemDecoder) item(raw jsontext.Value) (out []provider.Event) {
	p := pieces{raw: raw}
	if p.item(Span{0, len(raw)}) != nil {
		return nil
	}
	for _, piece := range p.whole() {
		d.calls = d.calls || piece.Entry.Payload.Kind() == tenfold.KindToolCall
		out = append(out, provider.Event{Block: piece.Entry.Payload})
	}
	return out
}

// End implements [answer.Decoder].
func (d *itemDecoder) End() ([]provider.Event, error) {
	return nil, errors.New("the stream ended before the answer did")
}

func (OpenAIResponses) Answer(r *Request, text string, usage tenfold.Usage) (contentType string, body []byte) {
	id := r.answerID(text)
	return responsesAnswer(r, id, `{"type":"message","id":"msg_`+id+`","role":"assistant","status":"completed","content":[{"type":"output_text","text":`+
		string(quote(text))+`,"annotations":[]}]}`, usage)
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
