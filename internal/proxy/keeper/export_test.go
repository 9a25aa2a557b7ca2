package keeper

import (
	"time"

	"tenfold/internal/proxy"
)

// Rest waits until a keeper's jobs are done, and with flush has it store first what
// it would store after a while.
func Rest(p proxy.Keeper, flush bool) {
	k := p.(*keeper)
	for {
		busy := false
		k.mu.Lock()
		for _, t := range k.all {
			if flush && t.newest != nil && t.newest.done && t.newest.response.Entries != nil {
				t.flush()
			}
			busy = busy || t.running
		}
		k.mu.Unlock()
		if !busy {
			return
		}
		time.Sleep(10 * time.Microsecond)
	}
}
