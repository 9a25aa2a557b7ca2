package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/proxy/keeper"
	"tenfold/store"
)

// B1: what the model thought in an answer that nobody here heard is bound to what the client
// said, and goes where the log shows another view: its vendor would refuse it, and the
// conversation would be compacted no more (X6). What it thought before stays.
func TestB1ThinkingThatWasNotHeard(t *testing.T) {
	t.Parallel()
	for _, undone := range []bool{false, true} {
		c := filled(t)
		c.thought = `{"type":"thinking","thinking":"so","signature":"bmV3"},`
		c.turn(100)
		keeper.Rest(c.k, true)
		id := c.status().ID
		c.close()
		c.user("And now?") // without us
		c.messages = append(c.messages, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"b2xk"},`+said("fine")+`]}`)
		if undone {
			c.undo(id)
		}
		c.k = nil
		c.restart()
		c.user("And then?")
		ex := c.send()
		if out := string(ex.Body()); strings.Contains(out, "b2xk") || strings.Contains(out, "bmV3") == undone || strings.Contains(out, "[Earlier parts") == undone {
			t.Errorf("undone %v: what is sent is %s", undone, out)
		}
		c.answered(ex, said("fine"))
		c.close()
	}
}

// B1: what was thought in an epoch of one conversation is told when it was said in another, of
// a client that went on in a session of another name.
func TestB1ThinkingOfAnotherConversation(t *testing.T) {
	t.Parallel()
	c := filled(t)
	c.thought = `{"type":"thinking","thinking":"so","signature":"bmV3"},`
	c.turn(100)
	c.header.Set("X-Claude-Code-Session-Id", "two")
	c.turn(100)
	c.close()
	for _, id := range c.conversations() {
		for e := range c.open(id).Log().Entries() {
			if e.Time.Year() != 2026 {
				t.Errorf("conversation %s: entry %d, %s, is of %v", id, e.Seq, e.Payload.Kind(), e.Time)
			}
		}
	}
}

// X2, B1: a client copies a session that was compacted. The copy is shown what the original was,
// which the vendor has in its cache, also where a person gave that another title, and where it is
// gone from the store what the client says, but not what was thought in the compacted view.
func TestB1ThinkingOfACopiedSession(t *testing.T) {
	t.Parallel()
	for _, fate := range []string{"kept", "renamed", "gone"} {
		gone := fate == "gone"
		for _, restarted := range []bool{false, true} {
			c := filled(t)
			c.thought = `{"type":"thinking","thinking":"so","signature":"bmV3"},`
			shown := c.turn(100)[1]
			keeper.Rest(c.k, true)
			original := c.status().ID
			switch fate {
			case "renamed":
				if err := c.service().Rename(t.Context(), original, "Mine"); err != nil {
					t.Fatal(err)
				}
			case "gone":
				if _, err := c.service().Remove(t.Context(), original); err != nil {
					t.Fatal(err)
				}
			}
			if restarted && !gone {
				c.restart()
			}
			c.header.Set("X-Claude-Code-Session-Id", "two")
			c.live.Request.Options.Window = 100 * window
			c.thought = `{"type":"thinking","thinking":"so","signature":"bGF0ZXI="},`
			first, second := c.turn(100), c.turn(100)
			for _, sent := range append(first, second...) {
				if strings.Contains(sent, "[Earlier parts") == gone || strings.Contains(sent, "bmV3") == gone || !gone && !begins(t, shown, sent) {
					t.Errorf("%s, restarted %v: what is sent is %s", fate, restarted, sent)
				}
			}
			if !strings.Contains(second[0], "bGF0ZXI=") || !begins(t, first[0], second[0]) {
				t.Errorf("what was thought since is missing: %s", second[0])
			}
			c.close()
			if ids := c.conversations(); len(ids) != 1 && gone || !gone && (len(ids) != 2 || slices.Index(ids, original) != 1) {
				t.Errorf("%s: the conversations are %q", fate, ids)
			}
			if f := c.failures(); len(f) > 0 {
				t.Errorf("failures: %q", f)
			}
		}
	}
}

// unreadable is a store of which one conversation cannot be read, as one whose key is gone.
type unreadable struct {
	store.Store
	id string
}

func (u unreadable) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if id != u.id {
		return u.Store.Entries(ctx, id, after)
	}
	return func(yield func(tenfold.Entry, error) bool) { yield(tenfold.Entry{}, errors.New("no key")) }
}

// X2: who resumes what the store does not have is not held up by another conversation, which
// cannot be read: it may only have been copied.
func TestX2AnUnreadableConversationHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"Bake the bread.", "Look at file_1.go, please."} { // as that began
		c := filled(t)
		keeper.Rest(c.k, true)
		c.store = unreadable{c.store, c.conversations()[0]}
		c.restart()
		other := newClient(c.place, "two")
		other.user(first)
		other.messages = append(other.messages, `{"role":"assistant","content":[`+said("It is done.")+`]}`)
		other.turn(100)
		c.close()
		if ids, f := c.conversations(), c.failures(); len(ids) != 2 || len(f) > 0 {
			t.Errorf("%s: conversations %q, failures %q", first, ids, f)
		}
	}
}

// B1: somebody removes a conversation from the store that was compacted, and its client goes on.
// The log that it gets then knows of no compaction, and shows what the client says, but not what
// was thought in the view that is gone: the vendor would refuse it. Nor does it after a restart.
func TestB1ThinkingOfALogThatIsGone(t *testing.T) {
	t.Parallel()
	c := filled(t)
	c.thought = `{"type":"thinking","thinking":"so","signature":"bmV3"},`
	c.turn(100)
	c.turn(100)
	keeper.Rest(c.k, true)
	if _, err := c.service().Remove(t.Context(), c.status().ID); err != nil {
		t.Fatal(err)
	}
	c.live.Request.Options.Window = 100 * window
	c.pass(2 * time.Second)
	for _, again := range []bool{false, true} {
		if again {
			c.close()
			c.k = nil
			c.restart()
		}
		c.thought = `{"type":"thinking","thinking":"so","signature":"bGF0ZXI="},`
		sent := c.turn(100)[1]
		if strings.Contains(sent, "[Earlier parts") || strings.Contains(sent, "bmV3") || strings.Contains(sent, "bGF0ZXI=") != again {
			t.Errorf("restarted %v: what is sent is %s", again, sent)
		}
	}
	c.close()
	if turns, results, _ := c.logOf(); turns != c.n || results != c.n || len(c.conversations()) != 1 {
		t.Errorf("%d conversations are left; one has %d turns, %d results of %d", len(c.conversations()), turns, results, c.n)
	}
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// B2: of two that go on with an open call, one is compacted. The other, with a result of its
// own, goes on in a copy that shows nothing of that: what was thought with the call stays.
func TestB2ACopyBehindAnOpenCall(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for range 4 {
		c.turn(1500)
	}
	c.user("And now?")
	c.answered(c.send(), `{"type":"thinking","thinking":"so","signature":"bmV3"},{"type":"tool_use","id":"toolu_now","name":"Read","input":{"file_path":"/w/now.go"}}`)
	two := *c
	two.messages = slices.Clone(c.messages)
	result := func(size int) string {
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_now","content":[` + said(file(0, size)) + `]}]}`
	}
	c.messages = append(c.messages, result(3000))
	c.answered(c.send(), said("fine"))
	c.compact()
	two.messages = append(two.messages, result(50))
	ex := two.send()
	if out := string(ex.Body()); !strings.Contains(out, "bmV3") || strings.Contains(out, "[Earlier parts") {
		t.Errorf("what is sent is %s", out)
	}
	two.answered(ex, said("fine"))
	c.close()
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X3: of some that go on with an open call, one is shown a compaction of the other's log. It
// goes on in a copy that shows the same, which the vendor's cache has.
func TestX3ACopyShowsWhatWasShown(t *testing.T) {
	t.Parallel()
	c := filled(t)
	c.user("And now?")
	c.answered(c.send(), `{"type":"tool_use","id":"toolu_now","name":"Read","input":{"file_path":"/w/now.go"}}`)
	two := *c
	two.messages = slices.Clone(c.messages)
	result := func(size int) string {
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_now","content":[` + said(file(0, size)) + `]}]}`
	}
	keeper.Rest(c.k, true)
	c.undo(c.status().ID)
	c.pass(2 * time.Second)
	c.messages = append(c.messages, result(3000))
	c.answered(c.send(), said("fine"))
	two.messages = append(two.messages, result(50))
	ex := two.send()
	was := string(ex.Body())
	two.answered(ex, said("so so"))
	three := *c
	three.messages = append(slices.Clone(c.messages[:len(c.messages)-2]), result(600))
	asked := three.send()
	two.user("And then?")
	ex = two.send()
	if now := string(ex.Body()); !begins(t, was, now) {
		t.Errorf("it was shown\n%s\nand then\n%s", was, now)
	}
	two.answered(ex, said("fine"))
	three.answered(asked, said("fine"))
	c.close()
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// B1: which thinking is of another view, the log tells, and no clock: one that went back
// dates what the model thinks now before what it was shown, and an undo before what it thought.
func TestB1AClockThatWentBack(t *testing.T) {
	t.Parallel()
	for _, undone := range []bool{false, true} {
		c := filled(t)
		c.ticks()
		c.pass(2 * time.Second)
		if !undone {
			c.sleep(-time.Hour)
		}
		c.thought = `{"type":"thinking","thinking":"so","signature":"bmV3"},`
		c.turn(100)
		c.user("And now?")
		ex := c.send()
		if undone {
			c.sleep(-time.Hour)
			c.undo(c.status().ID)
		}
		c.answered(ex, `{"type":"thinking","thinking":"hm","signature":"b2xk"},`+said("fine"))
		keeper.Rest(c.k, true)
		c.restart()
		c.user("And then?")
		ex = c.send()
		if out := string(ex.Body()); strings.Contains(out, "b2xk") == undone || strings.Contains(out, "bmV3") == undone || strings.Contains(out, "[Earlier parts") == undone {
			t.Errorf("undone %v: what is sent is %s", undone, out)
		}
		c.answered(ex, said("fine"))
		c.close()
		if f := c.failures(); len(f) > 0 {
			t.Errorf("failures: %q", f)
		}
	}
}

// B1: where a vendor keeps what it thought, clients send its name, and a title. The name tells
// apart what two conversations thought, of which one was compacted.
func TestB1ThoughtsThatAreOnlyNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	one, two := newCodex(p), newCodex(p)
	two.header = one.header.Clone()
	two.header.Set("Session-Id", "s2")
	two.header.Set("Thread-Id", "t2")
	one.begin()
	for range 6 {
		one.turn(1500)
	}
	one.compact()
	two.begin()
	two.items = append(two.items, `{"type":"message","role":"user","content":[{"type":"input_text","text":"Think."}]}`)
	message := `{"type":"message","id":"msg_t","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done.","annotations":[]}]}`
	named := func(id string) string {
		return `{"type":"reasoning","id":"` + id + `","summary":[{"type":"summary_text","text":"**Thinking**"}]}`
	}
	two.answered(two.send(), named("rs_two"), message)
	one.answered(one.send(), named("rs_one"), message)
	two.items = append(two.items, `{"type":"message","role":"user","content":[{"type":"input_text","text":"And?"}]}`)
	two.send().Done(500, false)
	p.close()
	for _, id := range p.conversations() {
		if stale := keeper.Stale(p.open(id).Log()); len(stale) > 0 {
			t.Errorf("conversation %s: entries %v are taken for thoughts of another view", id, stale)
		}
	}
	if f := p.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// B1: what the model says to the user between calls comes as signed thinking where a client asks for
// updates. Behind a view that changed it goes on as words, and what is said since goes as it came.
func TestB1UpdatesGoOnAsWords(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.updates = true
	for len(c.k.Status()) == 0 || c.status().Epochs == 0 {
		if c.turn(2000); c.n > 30 {
			t.Fatalf("no epoch began; failures %q", c.failures())
		}
	}
	before := c.n
	c.turn(100)
	c.user("And now?")
	sent := string(c.send().Body())
	words, thinking := strings.Count(sent, `{"type":"text","text":"hm `), strings.Count(sent, `"type":"thinking"`)
	if !strings.Contains(sent, "[Earlier parts") || words == 0 || words+thinking != c.n || !strings.Contains(sent, said("hm 1")) || !strings.Contains(sent, fmt.Sprintf(`"thinking":"hm %d"`, before+1)) {
		t.Errorf("%d are sent as words, %d as thinking: %s", words, thinking, sent)
	}
	c.close()
	stored := 0
	for e := range c.open(c.conversations()[0]).Log().Entries() {
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok && m.Signature != "" {
			stored++
		}
	}
	if stored != c.n {
		t.Errorf("%d of %d are stored as what the model said", stored, c.n)
	}
}
