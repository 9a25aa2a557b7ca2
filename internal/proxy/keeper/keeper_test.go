package keeper_test

import (
	"strings"
	"testing"

	"tenfold"
)

// X1, X3: requests go as they came, until an epoch begins; then each begins with
// the one before it, byte for byte.
func TestX3RequestsOfAnEpochBeginAlike(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.hasty = true
	last, epochs, edited := "", 0, false
	for range 30 {
		for _, sent := range c.turn(2000) {
			st := c.status()
			if st.Epochs == epochs && last != "" && !begins(t, last, sent) {
				t.Fatalf("a request of epoch %d does not begin with the last one:\n%s\n%s", epochs, last, sent)
			}
			edited = edited || st.Epochs > 0
			last, epochs = sent, st.Epochs
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
