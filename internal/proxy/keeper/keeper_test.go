package keeper_test

import (
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/keeper"
)

// X1, X3: requests go as they came, until an epoch begins; then each begins with
// the one before it, byte for byte.
func TestX3RequestsOfAnEpochBeginAlike(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.hasty = true
	last, epochs := "", 0
	for range 30 {
		c.epochs = nil
		for i, sent := range c.turn(2000) {
			if len(sent)/4 > window {
				t.Fatalf("a request of %d tokens is sent", len(sent)/4)
			}
			if c.epochs[i] == epochs && last != "" && !begins(t, last, sent) {
				t.Fatalf("a request of epoch %d does not begin with the last one:\n%s\n%s", epochs, last, sent)
			}
			last, epochs = sent, c.epochs[i]
		}
	}
	c.close()
	st := c.status()
	if st.Epochs < 2 || st.Edited < 20 || st.Requests != 60 || st.Saved <= 0 || st.Passing != "" {
		t.Errorf("status is %+v; failures %q", st, c.failures())
	}
	if ids := c.conversations(); len(ids) != 1 {
		t.Fatalf("%d conversations", len(ids))
	}
	l := c.open(st.ID).Log()
	results, usage := 0, 0
	for e := range l.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.ToolResult:
			results++
			if n := len(p.Parts[0].Text); n < 1900 {
				t.Errorf("a result in the log has %d characters", n)
			}
		case tenfold.Usage:
			usage++
		}
	}
	if results != 30 || usage != 60 || l.Turns() != 30 {
		t.Errorf("the log has %d results, %d usages, %d turns", results, usage, l.Turns())
	}
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
	if !strings.Contains(last, "[compacted]") && !strings.Contains(last, "…") {
		t.Errorf("nothing is shortened in %s", last)
	}
}

// X2: what a client's host says between the messages may change from one request to
// the next, as Claude Code's token budget does: that is no other history.
func TestX2HostsMayChangeWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, flush := range []bool{false, true} {
		c := newClient(newPlace(t), "one")
		c.budget = true
		var last []string
		epochs := 0
		for range 20 {
			c.epochs = nil
			for i, sent := range c.turn(2000) {
				list := messagesOf(t, sent)
				n := len(last) - 1 // the last message is the budget
				if c.epochs[i] == epochs && n > 0 && !slices.Equal(last[:n], list[:n]) {
					t.Fatalf("a request of epoch %d does not begin with the last one:\n%s\n%s", epochs, last, sent)
				}
				last, epochs = list, c.epochs[i]
				keeper.Rest(c.k, flush)
			}
		}
		c.restart()
		for _, sent := range c.turn(100) {
			if list := messagesOf(t, sent); !slices.Equal(last[:len(last)-1], list[:len(last)-1]) {
				t.Fatalf("after a restart it does not go on:\n%s\n%s", last, sent)
			}
			last = messagesOf(t, sent)
		}
		c.close()
		if turns, results, _ := c.logOf(); turns != 21 || results != 21 || epochs < 2 {
			t.Errorf("the log has %d turns, %d results; %d epochs", turns, results, epochs)
		}
		if f := c.failures(); len(f) > 0 {
			t.Errorf("failures: %q", f)
		}
	}
}
