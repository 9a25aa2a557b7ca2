package acp_test

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/acp"
)

// A person who changes their mind at once is obeyed: a cancellation does not
// overtake the prompt it is sent after.
func TestACancellationComesAfterItsPrompt(t *testing.T) {
	t.Parallel()
	h := newHost(func(_ *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		return until(ctx, make(chan struct{}))
	})
	c := connect(t, h)
	id := c.begin(t)
	for i := range 50 {
		cancel := `"session/cancel","params":{"sessionId":"` + string(id) + `"}}`
		if i%2 == 1 { // by the id of the request
			cancel = `"$/cancel_request","params":{"requestId":"p"}}`
		}
		// As written by one thread of an editor: the prompt, and the cancellation right after it.
		if _, err := c.raw.Write([]byte(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"` + string(id) + `","prompt":[{"type":"text","text":"go"}]}}` + "\n" +
			`{"jsonrpc":"2.0","method":` + cancel + "\n")); err != nil {
			t.Fatal(err)
		}
		soon(t, "the end of the run", func() bool { return choose(t, c, id, "test/small") == nil })
	}
	// What never becomes a prompt is not waited for.
	for _, params := range []string{`{}`, `7`, `{"sessionId":"x","prompt":[]}`, `{"sessionId":"` + string(id) + `","prompt":[{"type":"video"}]}`} {
		if _, err := c.raw.Write([]byte(`{"jsonrpc":"2.0","id":"q","method":"session/prompt","params":` + params + "}\n" + `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}` + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := choose(t, c, id, "test/large"); err != nil {
		t.Error(err)
	}
}

// A message that is too long for the connection is answered, and the sessions go on.
func TestATooLongMessageIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(func(*played, context.Context, []tenfold.Part) iter.Seq2[agent.Event, error] { return events() })
	c := connect(t, h)
	id := c.begin(t)
	_, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.ImageBlock(strings.Repeat("QUJD", 3<<20), "image/png")}})
	if err == nil || !strings.Contains(err.Error(), "larger than 10 MB") {
		t.Errorf("the editor is told %v", err)
	}
	if got := c.say(t, id, "go on"); got != sdk.StopReasonEndTurn {
		t.Errorf("stopped with %s", got)
	}
}

// What was asked before the editor closed its side is answered: a script may write all of it
// and then close. A prompt is cancelled.
func TestWhatWasAskedBeforeTheEndIsAnswered(t *testing.T) {
	t.Parallel()
	h := newHost(func(_ *played, ctx context.Context, _ []tenfold.Part) iter.Seq2[agent.Event, error] {
		return until(ctx, make(chan struct{}))
	})
	h.opened = func(acp.Open) error {
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
{"jsonrpc":"2.0","id":"three","method":"session/list","params":{}}
{"jsonrpc":"2.0","id":4,"method":"no/such"}
`
	if err := h.server().Serve(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2", `"three"`, "4"} {
		if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":`+id+`,`) {
			t.Errorf("%s is not answered: %s", id, out.String())
		}
	}
	c := connect(t, h)
	id, answer := c.begin(t), make(chan sdk.StopReason, 1)
	go func() { answer <- c.say(t, id, "go") }()
	soon(t, "the run", func() bool { return choose(t, c, id, "test/small") != nil })
	c.hangUp()
	if got := <-answer; got != sdk.StopReasonCancelled {
		t.Errorf("the prompt stopped with %s", got)
	}
}
