package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/anthropic"
)

// A model is shown a projection. The server stands for Anthropic's: without a
// BaseURL the request goes to the vendor's own address.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"type":"message_start","message":{"id":"m1","model":"claude-haiku-4-5","usage":{"input_tokens":12,"output_tokens":1}}}`+"\n\n"+
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`+"\n\n"+
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"At six."}}`+"\n\n"+
			`data: {"type":"content_block_stop","index":0}`+"\n\n"+
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`+"\n\n"+
			`data: {"type":"message_stop"}`+"\n\n")
	}))
	defer server.Close()

	log := tenfold.NewLog()
	if _, err := log.Append(
		tenfold.Entry{ID: "e1", Payload: tenfold.TurnStart{}},
		tenfold.Entry{ID: "e2", Payload: tenfold.UserMessage{Parts: tenfold.Text("When is high tide?")}},
	); err != nil {
		fmt.Println(err)
		return
	}
	model, err := anthropic.New("anthropic/claude-haiku-4-5", provider.Options{Key: "from a safe place", BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := provider.Collect(context.Background(), model, provider.Request{View: tenfold.Project(log)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text(), answer.Stop, answer.Usage.Input, answer.Usage.Output)
	// Output: At six. end 12 3
}
