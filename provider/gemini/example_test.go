package gemini_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/gemini"
)

// A model is shown a projection. The server stands for Google's: without a
// BaseURL the request goes to the vendor's own address.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"responseId":"r1","modelVersion":"gemini-2.5-flash","candidates":[{"content":{"parts":[{"text":"At six."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":3}}`+"\n\n")
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
	model, err := gemini.New("gemini/gemini-2.5-flash", provider.Options{Key: "from a safe place", BaseURL: server.URL})
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
