package keeper_test

import (
	"strings"
	"testing"

	"tenfold/internal/proxy/keeper"
)

// B1: what the model thought in an answer that another proxy heard, and did not store, is
// as old as what stands before it: somebody may have changed the view since.
func TestB1ThinkingThatAnotherProxyHeard(t *testing.T) {
	t.Parallel()
	for _, undone := range []bool{false, true} {
		c := filled(t)
		c.turn(100)
		keeper.Rest(c.k, true)
		id := c.status().ID
		c.user("And now?")
		c.send()
		keeper.Rest(c.k, false)
		c.close() // before the answer came
		c.messages = append(c.messages, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"b2xk"},`+said("fine")+`]}`)
		if undone {
			if _, err := c.open(id).UndoAll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		c.k = nil
		c.restart()
		c.user("And then?")
		ex := c.send()
		if out := string(ex.Body()); strings.Contains(out, "b2xk") == undone || strings.Contains(out, "[Earlier parts") == undone {
			t.Errorf("undone %v: what is sent is %s", undone, out)
		}
		c.answered(ex, said("fine"))
		c.close()
	}
}
