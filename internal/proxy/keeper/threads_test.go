package keeper_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
)

// X1, X2: a client has its vendor keep the conversation, and says what is new alone. It is asked
// for the whole, as by a vendor whose thread expired: all of it is recorded, and compacted.
func TestX2AClientHasItsVendorKeepTheConversation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(p, "one")
	c.threads = true
	for range 30 {
		if n := len(c.messages); n > 0 {
			before := c.status()
			ex := c.k.Take(context.Background(), proxy.Incoming{
				Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: c.path, Header: c.header,
				Body: fmt.Appendf(nil, `{"model":"claude-sonnet-4-5","max_tokens":100,"thread":{"type":"continue","previous_message_id":"msg_%d"},"messages":[{"role":"user","content":"Look, please."}]}`, c.heard),
			})
			a := ex.Answer()
			if a == nil || a.Status != 404 || a.ContentType != "application/json" {
				t.Fatalf("the answer is %+v", a)
			}
			var told struct {
				Type  string
				Error struct {
					Type    string
					Details struct {
						Code string `json:"error_code"`
					}
				}
			}
			if err := json.Unmarshal(a.Body, &told); err != nil || told.Type != "error" || told.Error.Type != "not_found_error" || told.Error.Details.Code != "thread_not_found" {
				t.Fatalf("the answer is %s", a.Body)
			}
			ex.Done(a.Status, false)
			if after := c.status(); after != before {
				t.Fatalf("a request that hides the conversation changed %+v to %+v", before, after)
			}
		}
		for _, sent := range c.turn(1500) {
			if !strings.Contains(sent, `"thread":{"type":"create"}`) {
				t.Fatalf("the thread is not as the client asked for it: %s", sent)
			}
		}
	}
	if s := c.status(); s.Epochs == 0 || s.Passing != "" {
		t.Errorf("%+v", s)
	}
	p.close()
	if turns, results, compactions := p.logOf(); turns != 30 || results != 30 || compactions == 0 {
		t.Errorf("the log has %d turns, %d results, %d compactions", turns, results, compactions)
	}
	if f := p.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X6: a vendor that keeps no threads refuses a shortened request for that alone: the client says it
// again without one, and is shown what it was.
func TestX6AVendorRefusesAThread(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(p, "one")
	c.threads = true
	for c.n < 40 && (c.n == 0 || c.status().Epochs == 0) {
		c.turn(1500)
	}
	c.user("And now?")
	ex := c.send()
	sent := string(ex.Body())
	if sent == string(c.body()) {
		t.Fatal("nothing was shortened")
	}
	refusal := `{"type":"error","error":{"type":"invalid_request_error","message":"no threads","details":{"error_code":"thread_unsupported_request"}}}`
	if again := ex.Refused(400, []byte(refusal)); again != nil {
		t.Fatalf("it is sent again as %s", again)
	}
	ex.Done(400, false)
	c.threads = false
	ex = c.send()
	if got, want := string(ex.Body()), strings.Replace(sent, `,"thread":{"type":"create"}`, "", 1); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.answered(ex, said("Now I go on."))
	if s := c.status(); s.Passing != "" {
		t.Errorf("%+v", s)
	}
}
