package modelserver

import (
	"fmt"
	"sync"
	"time"
)

// A Usage is what a response says it cost, in tokens. Input counts what was
// neither read from the cache nor written to it.
type Usage struct{ Input, CacheRead, CacheWrite, Output int }

// All is the whole input: read, written and neither.
func (u Usage) All() int { return u.Input + u.CacheRead + u.CacheWrite }

// An Error is a vendor's refusal.
type Error struct {
	Status int
	// Type is the vendor's name of it: invalid_request_error, overloaded_error.
	Type    string
	Message string
	// Code is what Anthropic calls it in particular, such as thread_not_found; empty for none.
	Code string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Type, e.Message) }

// A Reply is what the server answers.
type Reply struct {
	Blocks []Block
	// Usage is what is reported; nil has the server's model of the prompt
	// cache work it out.
	Usage *Usage
	// Error, instead of Blocks.
	Error *Error
	// Delay passes before the first byte.
	Delay time.Duration
	// Cut ends the connection after so many events of a stream; 0 is never.
	Cut int
}

// A Script answers a request.
type Script func(Request) Reply

// Text replies with one text.
func Text(text string) Reply { return Reply{Blocks: []Block{{Kind: KindText, Text: text}}} }

// Calls replies with calls, which a client makes in parallel.
func Calls(calls ...Block) Reply { return Reply{Blocks: calls} }

// Call is a call of a tool; the server makes up its id.
func Call(tool, arguments string) Block {
	return Block{Kind: KindCall, Name: tool, Arguments: arguments}
}

// Thinking puts a thinking block before a reply; the server signs it.
func Thinking(text string, r Reply) Reply {
	r.Blocks = append([]Block{{Kind: KindThinking, Text: text}}, r.Blocks...)
	return r
}

// Saying puts a text before a reply.
func Saying(text string, r Reply) Reply {
	r.Blocks = append([]Block{{Kind: KindText, Text: text}}, r.Blocks...)
	return r
}

// aside answers what clients ask beside the conversation: titles, topics, and
// Gemini's choice of a model, which expects JSON.
func aside(r Request) Reply {
	if r.Wire == Gemini {
		return Text(`{"complexity_reasoning":"scripted","complexity_score":10,"reasoning":"scripted","model_choice":"flash"}`)
	}
	return Text("Scripted title")
}

// Sequence answers the requests of the conversation in order, and all after
// the last reply with "Done."; what a client asks beside the conversation gets
// a fixed short answer and uses up none.
func Sequence(replies ...Reply) Script {
	var mu sync.Mutex
	next := 0
	return Choose(func(Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		if next >= len(replies) {
			return Text("Done.")
		}
		next++
		return replies[next-1]
	})
}

// Choose answers the requests of the conversation by a function, and what is
// asked beside it as [Sequence] does.
func Choose(choose func(Request) Reply) Script {
	return func(r Request) Reply {
		if !r.Main() {
			return aside(r)
		}
		return choose(r)
	}
}
