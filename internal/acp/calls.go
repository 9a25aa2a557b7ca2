package acp

import (
	"cmp"
	"fmt"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
)

// call is one that an editor was shown, and the end of what it has printed.
type call struct {
	tenfold.ToolCall
	id     sdk.ToolCallId
	output string
}

// calls are those of a conversation as an editor knows them. To it an id is one call of the
// session; to a model it may be one of the answer, and some servers begin anew with each. Its
// zero value has none. Questions about calls of sub-agents come while others are shown.
type calls struct {
	mu      sync.Mutex
	made    map[string]int // as many had that id
	waiting map[string][]*call
}

// keyOf tells the calls of sub-agents apart. An editor wants an id where a server gave none.
func keyOf(branch, id string) string {
	id = cmp.Or(id, "call")
	if branch != "" {
		id = branch + "/" + id
	}
	return id
}

// begin takes in a call, and gives it an id that no other one had.
func (a *calls) begin(branch string, made tenfold.ToolCall) sdk.ToolCallId {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made == nil {
		a.made, a.waiting = map[string]int{}, map[string][]*call{}
	}
	key := keyOf(branch, made.CallID)
	a.made[key]++
	id := sdk.ToolCallId(key)
	if n := a.made[key]; n > 1 {
		id = sdk.ToolCallId(fmt.Sprintf("%s#%d", key, n))
	}
	a.waiting[key] = append(a.waiting[key], &call{ToolCall: made, id: id})
	return id
}

// open is the first call with that id that has no result, nil where there is none.
func (a *calls) open(branch, id string) *call {
	a.mu.Lock()
	defer a.mu.Unlock()
	if waiting := a.waiting[keyOf(branch, id)]; len(waiting) > 0 {
		return waiting[0]
	}
	return nil
}

// id is how the editor knows the call that is open.
func (a *calls) id(branch, id string) sdk.ToolCallId {
	if c := a.open(branch, id); c != nil {
		return c.id
	}
	return sdk.ToolCallId(keyOf(branch, id))
}

// end is what open gives, which then is no longer open.
func (a *calls) end(branch, id string) *call {
	c := a.open(branch, id)
	if c != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		key := keyOf(branch, id)
		a.waiting[key] = a.waiting[key][1:]
	}
	return c
}
