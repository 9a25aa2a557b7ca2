package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/openai"
)

// A model is shown a projection. The server stands for OpenAI's: without a
// BaseURL the request goes to the vendor's own address.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"c1","model":"gpt-5","choices":[{"index":0,"delta":{"content":"At six."},"finish_reason":null}]}`+"\n\n"+
			`data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"id":"c1","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3}}`+"\n\n"+
			`data: [DONE]`+"\n\n")
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
	model, err := openai.New("openai/gpt-5", openai.Chat, provider.Options{Key: "from a safe place", BaseURL: server.URL})
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
