package provider_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/script"
)

// named calls a tool in each response, which has the id.
type named struct {
	*script.Model
	id string
}

func (m named) Stream(context.Context, provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		_ = yield(provider.Event{Block: tenfold.ToolCall{CallID: "c", Name: "look", Arguments: "{}"}, MessageID: m.id}, nil) &&
			yield(provider.Event{Stop: provider.StopTools}, nil)
	}
}

// L6: each response that is collected is a step of its own, also where its server names
// all of them alike, or none; those that it tells apart keep their ids.
func TestEachResponseIsAStep(t *testing.T) {
	for name, id := range map[string]func(i int) string{
		"alike": func(int) string { return "chatcmpl" },
		"none":  func(int) string { return "" },
		"apart": func(i int) string { return fmt.Sprint("msg", i) },
	} {
		log := tenfold.NewLog()
		entries := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("Go.")}}}
		for i := range 6 {
			if _, err := log.Append(entries...); err != nil {
				t.Fatal(err)
			}
			r, err := provider.Collect(t.Context(), named{id: id(i)}, provider.Request{View: tenfold.Project(log)})
			if err != nil || name == "apart" && r.MessageID != id(i) {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			entries = append(r.Entries(), tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c"}})
		}
		if turn, _ := log.Turn(0); turn.Steps != 5 {
			t.Errorf("%s: %d steps", name, turn.Steps)
		}
	}
}
