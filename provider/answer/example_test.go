package answer_test

import (
	"fmt"

	"tenfold/provider/answer"
)

// A proxy reads what passes through it: here one event of a stream.
func ExampleAnthropic() {
	d := answer.Anthropic("claude-sonnet-4-5", false)
	for _, event := range []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The cake is done."}}`,
	} {
		events, err := d.Take("", []byte(event))
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, e := range events {
			fmt.Print(e.Text)
		}
	}
	// Output:
	// The cake is done.
}
