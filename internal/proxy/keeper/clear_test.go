package keeper_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold/internal/proxy/keeper"
	"tenfold/session"
	"tenfold/strategy"
)

// A1: old results are cleared inside a turn as well, beside its requests, once that is paid
// for: when the results of the newest calls are there (B2).
func TestA1ClearsInsideATurn(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Request.Options.Window = 40_000
	c.live.Micro = session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 1}, ClearAtLeast: 1000, ColdAfter: 5 * time.Minute, Stake: 1}
	c.restart()
	c.user("Read all of them.")
	for n := range 8 {
		ex := c.send()
		keeper.Rest(c.k, false)
		c.answered(ex, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}`, n, n))
		c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, n, said(strings.Repeat("a line of the file\n", 500))))
	}
	ex := c.send()
	if n := strings.Count(string(ex.Body()), "a line of the file"); n > 3*500 || c.status().Epochs == 0 {
		t.Errorf("%d lines of eight results are sent, %d epochs; %q", n, c.status().Epochs, c.failures())
	}
	c.answered(ex, said("done"))
	c.close()
}
