package keeper_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// filled is a client whose last request began an epoch or was in one.
func filled(t *testing.T) *client {
	t.Helper()
	c := newClient(newPlace(t), "one")
	for len(c.k.Status()) == 0 || c.status().Epochs == 0 {
		if c.turn(2000); c.n > 30 {
			t.Fatalf("no epoch began; failures %q", c.failures())
		}
	}
	return c
}

// X1: where nothing is due the very bytes that came go on, and what is not a request
// of the protocol as well.
func TestX1NothingIsCopiedWhereNothingChanges(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for _, raw := range []string{"", "{", `{"messages":[]}`, `{"messages":{}}`, `[1]`} {
		in := []byte(raw)
		ex := c.k.Take(t.Context(), proxy.Incoming{Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: c.path, Header: c.header, Body: in})
		if out := ex.Body(); string(out) != raw || ex.Answer() != nil || ex.Heard() != nil || ex.Refused(400, nil) != nil {
			t.Errorf("%q goes as %q", raw, out)
		}
		ex.Done(400, false)
	}
	for range 3 {
		c.user("Hello.")
		in := c.body()
		ex := c.k.Take(t.Context(), proxy.Incoming{Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: c.path, Header: c.header, Body: in})
		if out := ex.Body(); &out[0] != &in[0] {
			t.Error("the body was copied")
		}
		c.answered(ex, said("Hi."))
	}
	c.close()
}

// X2: the session header tells clients apart, and so do credentials where there is
// none; sub-agents are conversations of their own.
func TestX2ConversationsAreToldApart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var all []*client
	for _, name := range []string{"one", "two"} {
		c := newClient(p, name)
		agent := newClient(p, name)
		agent.header.Set("X-Claude-Code-Agent-Id", "a1")
		bare := newClient(p, name)
		bare.header.Del("X-Claude-Code-Session-Id")
		all = append(all, c, agent, bare)
	}
	for range 3 { // all say the same
		for _, c := range all {
			c.turn(100)
		}
	}
	p.close()
	if st := p.k.Status(); len(st) != len(all) {
		t.Errorf("%d conversations, want %d", len(st), len(all))
	}
	for _, id := range p.conversations() {
		if n := p.open(id).Log().Turns(); n != 3 {
			t.Errorf("a conversation has %d turns", n)
		}
	}
	if n := len(p.conversations()); n != len(all) {
		t.Errorf("%d in the store, want %d", n, len(all))
	}
}

// X2: requests beside a conversation are no part of it, but for what they cost, which stands
// on a branch; and are shown what its epoch shows (B1). So is the one that counts tokens (X5).
func TestX5RequestsBesideAreShownTheEpoch(t *testing.T) {
	t.Parallel()
	c := filled(t)
	last := c.turn(100)[1]
	state := func() (onRoot int, paid []tenfold.Usage) {
		for e := range c.open(c.status().ID).Log().Entries() {
			if u, ok := e.Payload.(tenfold.Usage); ok && e.Branch != "" {
				paid = append(paid, u)
			} else {
				onRoot++
			}
		}
		return onRoot, paid
	}
	keeper.Rest(c.k, false)
	before, _ := state()
	requests := c.status().Requests
	for _, how := range []string{"count", "auxiliary", "side_reply"} {
		side := *c
		side.header = c.header.Clone()
		side.messages = slices.Clone(c.messages)
		if side.user("What is the title?"); how == "count" {
			side.kind, side.path = wire.Count, "/v1/messages/count_tokens"
		} else {
			side.header.Set("X-Claude-Code-Request-Class", how)
		}
		ex := side.send()
		if !begins(t, last, string(ex.Body())) {
			t.Errorf("%s is shown %s", how, ex.Body())
		}
		if l := ex.Heard(); l != nil {
			_, _ = l.Write([]byte(`{"id":"m","type":"message","role":"assistant","model":"haiku","content":[{"type":"text","text":"A title"}],"stop_reason":"end_turn","usage":{"input_tokens":70,"output_tokens":3}}`))
		} else if how != "count" {
			t.Errorf("nobody hears what %s costs", how)
		}
		if out := ex.Refused(400, nil); !bytes.Equal(out, side.body()) {
			t.Errorf("%s, refused, is tried with %s", how, out)
		}
		ex.Done(200, false)
	}
	keeper.Rest(c.k, false)
	if on, paid := state(); on != before || len(paid) != 2 || paid[0].Input != 70 || paid[1].Model != "haiku" {
		t.Errorf("the log has %d entries, %d before, and %+v beside", on, before, paid)
	}
	if c.status().Requests != requests || c.status().Passing != "" {
		t.Errorf("requests beside were recorded: %+v", c.status())
	}
	sent := c.turn(100)
	if !begins(t, last, sent[0]) {
		t.Error("the conversation does not go on as it was")
	}
	c.close()
}

// X3: an undo by somebody else shows in the next request: the originals, without
// what was thought since (B1).
func TestX3UndoWhileItRuns(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Turns = 10
	for range 8 {
		c.turn(1500)
	}
	c.pass(6 * time.Minute) // compacted because that is free, not because it must be
	if sent := c.turn(100); c.status().Epochs != 1 || !strings.Contains(sent[1], "[Earlier parts") {
		t.Fatalf("no epoch: %+v", c.status())
	}
	keeper.Rest(c.k, true)
	c.undo(c.status().ID)
	c.pass(2 * time.Second)
	c.user("And now?")
	sent := c.send()
	if out := string(sent.Body()); strings.Contains(out, "[compacted]") || strings.Contains(out, "[Earlier parts") {
		t.Errorf("after the undo %s is sent", out)
	}
	if strings.Count(string(sent.Body()), "needs") != strings.Count(string(c.body()), "needs") {
		t.Error("not all of the originals are there")
	}
	c.answered(sent, said("fine"))
	c.close()
}

// B1: thinking is bound to the view that the model was shown, which may be an older one
// than the log has: somebody undid a compaction a moment before the request.
func TestB1ThinkingIsDatedByItsView(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Turns = 10
	for range 8 {
		c.turn(1500)
	}
	c.pass(6 * time.Minute)
	c.turn(100)
	keeper.Rest(c.k, true)
	c.undo(c.status().ID)
	c.user("And now?")
	ex := c.send()
	if !strings.Contains(string(ex.Body()), "[Earlier parts") {
		t.Fatal("the test is to send the view from before the undo")
	}
	c.answered(ex, `{"type":"thinking","thinking":"hm","signature":"b2xk"},`+said("fine"))
	c.pass(2 * time.Second)
	c.user("And then?")
	ex = c.send()
	if out := string(ex.Body()); strings.Contains(out, "[Earlier parts") || strings.Contains(out, "b2xk") {
		t.Errorf("after the undo %s is sent", out)
	}
	c.answered(ex, said("fine"))
	c.close()
}

// A2, X3: a compaction in the midst of a turn stands for the newest message too. Where
// the client says that otherwise, the view is drawn for it: it does not go as it came.
func TestA2LastMessageSaidOtherwise(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.user("Look at everything, please.")
	result := func(size int) string {
		return fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, c.n, said(strings.Repeat("a line that nobody needs\n", size/25)))
	}
	ex := c.send()
	for c.status().Epochs == 0 {
		c.n++
		c.answered(ex, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}`, c.n, c.n))
		c.messages = append(c.messages, result([]int{9000, 9000, 14000}[c.n-1]))
		ex = c.send()
	}
	ex.Done(529, false)
	for _, size := range []int{100, 14100} {
		c.messages[len(c.messages)-1] = result(size)
		ex = c.send()
		if out := string(ex.Body()); !strings.Contains(out, "[Earlier parts") || len(out)/4 > window {
			t.Errorf("with another last message %d bytes are sent: %s", len(out), out)
		}
		ex.Done(529, false)
		keeper.Rest(c.k, false)
	}
	c.close()
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// C7: what was compacted because the context was full, and undone, goes as it came
// until it does not fit.
func TestC7UndoHoldsOverTheTrigger(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for len(c.k.Status()) == 0 || c.status().Epochs == 0 {
		c.turn(400)
	}
	keeper.Rest(c.k, true)
	c.undo(c.status().ID)
	c.pass(2 * time.Second)
	plain := 0
	for c.status().Epochs < 3 { // the second begins with the undo
		for _, sent := range c.turn(40) {
			if !strings.Contains(sent, "[Earlier parts") {
				plain++
			}
			if len(sent)/4 > window {
				t.Fatalf("%d tokens, and nothing is compacted", len(sent)/4)
			}
		}
	}
	if st := c.status(); plain < 10 || st.Epochs != 3 || st.Passing != "" {
		t.Errorf("%d requests as they came, then %+v; failures %q", plain, st, c.failures())
	}
	c.close()
}

// X9: what is due at the end of a turn is done while the person reads the answer, and
// the next request begins the epoch without a plan of its own. What the model thought in
// that answer is bound to the old view (B1).
func TestX9EpochsArePreparedAtRest(t *testing.T) {
	t.Parallel()
	for _, thought := range []string{"", `{"type":"thinking","thinking":"hm","signature":"Ym91bmQ"},`} {
		c := newClient(newPlace(t), "one")
		c.thought = thought
		overlays := func() int { return len(slices.Collect(c.open(c.status().ID).Projection().Overlays())) }
		for {
			c.turn(400)
			keeper.Rest(c.k, true)
			if overlays() > 0 {
				break
			}
		}
		if st := c.status(); st.Epochs != 0 {
			t.Errorf("an epoch has begun, and nothing was sent: %+v", st)
		}
		n := overlays()
		c.user("And then?")
		ex := c.send()
		if out := string(ex.Body()); !strings.Contains(out, "[Earlier parts") || strings.Contains(out, "Ym91bmQ") || !strings.Contains(out, "And then?") {
			t.Errorf("the next request is %s", out)
		}
		c.answered(ex, said("fine"))
		if st := c.status(); st.Epochs != 1 || overlays() != n {
			t.Errorf("%d compactions became %d: %+v", n, overlays(), st)
		}
		c.close()
	}
}

// X9: clients hang up at the last event of an answer, before its body ends. That turn too
// is over, and compacted while the person reads.
func TestX9ClientsThatHangUpAreCompactedAtRest(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.hangsUp, c.thought = true, said(strings.Repeat("what the model has to say ", 60))+"," // which fills the context, and no request
	c.turn(40)
	keeper.Rest(c.k, true) // from here on it is in the store
	for len(slices.Collect(c.open(c.status().ID).Projection().Overlays())) == 0 {
		c.turn(40)
	}
	if st := c.status(); st.Epochs != 0 {
		t.Errorf("an epoch has begun in the middle of a turn: %+v", st)
	}
	c.close()
}

// B2: while a tool runs nothing is compacted, however long it takes and however full
// the window is.
func TestB2NothingIsCompactedWhileAToolRuns(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.turn(window * 2)
	c.user("Write all of it.")
	long := strings.Repeat("a line of what is written\n", window*4*47/100/26)
	c.answered(c.send(), said(long)+`,{"type":"tool_use","id":"toolu_x","name":"Read","input":{"file_path":"/w/file.go"}}`)
	keeper.Rest(c.k, true)
	for e := range c.open(c.status().ID).Log().Entries() {
		if k := e.Payload.Kind(); k == tenfold.KindCompaction || k == tenfold.KindCompactionAttempt {
			t.Errorf("while a call has no result there is %v", e)
		}
	}
	c.close()
}

// V2c: on the first request after the cache's lifetime the view is compacted.
func TestV2cColdIsFree(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Turns = 10
	for range 8 {
		c.turn(1500)
	}
	if st := c.status(); st.Epochs != 0 {
		t.Fatalf("too early: %+v", st)
	}
	c.pass(4 * time.Minute)
	if c.turn(100); c.status().Epochs != 0 {
		t.Error("compacted while the cache was warm")
	}
	c.pass(6 * time.Minute)
	sent := c.turn(100)
	if st := c.status(); st.Epochs != 1 || !strings.Contains(sent[0], "[compacted]") && !strings.Contains(sent[0], "…") {
		t.Errorf("not compacted when cold: %+v; failures %q", st, c.failures())
	}
	c.close()
}

// V2c: a cache that the client asks to live for an hour is not cold before.
func TestV2cColdIsWhatTheClientAsksFor(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Turns, c.hour = 10, true
	for range 8 {
		c.turn(1500)
	}
	c.pass(50 * time.Minute)
	if c.turn(100); c.status().Epochs != 0 {
		t.Error("compacted while the cache was warm")
	}
	c.pass(61 * time.Minute)
	if c.turn(100); c.status().Epochs != 1 {
		t.Errorf("not compacted when cold: %+v; failures %q", c.status(), c.failures())
	}
	c.close()
}

// P10: wherever a summary ends that somebody made beside the proxy, however it is placed, and also
// where all is gone that stood there, the roles of the messages take turns.
func TestP10RolesTakeTurnsBehindWhatIsHidden(t *testing.T) {
	t.Parallel()
	summary := func(where tenfold.Placement) tenfold.Compaction {
		return tenfold.Compaction{Summary: &tenfold.Summary{Text: "All was said.", Placement: where}}
	}
	for name, c := range map[string]tenfold.Compaction{
		"omitted": {Turns: tenfold.Omit}, "a pair": summary(tenfold.PlacePair), "of a user": summary(tenfold.PlaceUser), "a message": summary(tenfold.PlaceMessage), "in the system prompt": summary(tenfold.PlaceSystem),
	} {
		for _, turn := range []int{0, 1, 2} {
			for _, within := range []bool{false, true} {
				hidden := c
				if hidden.ToTurn = turn; within {
					hidden.ToStep = new(0)
				}
				c := newClient(newPlace(t), "one")
				for n := range 3 {
					c.user(fmt.Sprintf("Question %d.", n))
					c.answered(c.send(), said("It is so."))
				}
				keeper.Rest(c.k, true)
				if err := c.open(c.conversations()[0]).AppendLatest(t.Context(), tenfold.Entry{Payload: hidden}); err != nil {
					t.Fatal(err)
				}
				c.pass(5 * time.Second)
				c.user("And now?")
				ex := c.send()
				c.answered(ex, said("So it is.")) // which holds the request against the rules
				if sent := string(ex.Body()); strings.Count(sent, "It is so.") > 2 || len(c.failures()) > 0 {
					t.Errorf("%s, to turn %d, within it %t: %s; failures %q", name, turn, within, sent, c.failures())
				}
				c.close()
			}
		}
	}
}
