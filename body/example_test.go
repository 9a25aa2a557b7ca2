package body_test

import (
	"fmt"

	"tenfold"
	"tenfold/body"
)

func ExampleProfile_Write() {
	system := "Be brief."
	log := tenfold.NewLog()
	log.Append(
		tenfold.Entry{Payload: tenfold.ConfigDelta{System: &system}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Is it raining?")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c1", Name: "weather", Arguments: `{"city":"Bremen"}`}},
	)
	// The call was never answered; the body says so, since no provider takes
	// a call without its result.
	chat := body.OpenAIChat()
	request, err := chat.Write(tenfold.Project(log))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(request))
	fmt.Println("violations:", len(chat.Check(request)))
	// Output:
	// {"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Is it raining?"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bremen\"}"}}]},{"role":"tool","content":"Tool call was interrupted.","tool_call_id":"c1"}]}
	// violations: 0
}
