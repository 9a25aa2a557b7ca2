package anthropic

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
	"tenfold/provider/internal/wire"
)

// mark asks for a prompt to be kept: up to its end, where the next request goes on;
// up to the message of the user before, where the last request ended, for the
// provider looks no further back from a mark than 20 blocks; and the tools, which
// are the same after a compaction. Four marks are allowed.
func mark(view rawjson.Object) {
	var tools, messages []jsontext.Value
	if json.Unmarshal(view.Get("tools"), &tools) == nil && markLast(tools) {
		view.Set("tools", rawjson.List(tools))
	}
	if json.Unmarshal(view.Get("messages"), &messages) != nil {
		return
	}
	for i, marks := len(messages)-1, 2; i >= 0 && marks > 0; i-- {
		message, err := wire.ParseObject(messages[i])
		if err != nil || rawjson.Text(message.Get("role")) != "user" {
			continue
		}
		var blocks []jsontext.Value
		if json.Unmarshal(message.Get("content"), &blocks) == nil && markLast(blocks) {
			message.Set("content", rawjson.List(blocks))
			messages[i] = message.Bytes()
			marks--
		}
	}
	view.Set("messages", rawjson.List(messages))
}

// markLast marks the last of some objects.
func markLast(list []jsontext.Value) bool {
	if len(list) == 0 {
		return false
	}
	last, err := wire.ParseObject(list[len(list)-1])
	if err != nil {
		return false
	}
	last.Set("cache_control", jsontext.Value(`{"type":"ephemeral"}`))
	list[len(list)-1] = last.Bytes()
	return true
}
