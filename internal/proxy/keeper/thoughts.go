package keeper

import (
	"crypto/sha256"
	"time"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// thoughts tells of what models thought when the view that they were shown was last
// known to be the log's. Thinking is bound to that view, whichever history it comes
// back in: of two copies of one history, the one may have begun an epoch while the
// other was answered (B1).
type thoughts struct{ newer, older map[wire.Sum]time.Time }

// mostThoughts is how many are remembered, once or twice.
const mostThoughts = 1 << 12

// add notes what an answer thought, with the lock held.
func (t *thoughts) add(answer []tenfold.Entry, shown time.Time) {
	for _, e := range answer {
		if e.Payload.Kind() != tenfold.KindReasoning {
			continue
		}
		if len(t.newer) >= mostThoughts || t.newer == nil {
			t.newer, t.older = map[wire.Sum]time.Time{}, t.newer
		}
		t.newer[thoughtOf(e)] = shown
	}
}

func thoughtOf(e tenfold.Entry) wire.Sum {
	raw, _ := tenfold.MarshalPayload(e.Payload)
	sum := sha256.Sum256(raw)
	return wire.Sum(sum[:16])
}

// timeOf is the time of an entry that was said at a time. What was thought has that
// of the view which the model was shown: it is stale once the view changed after
// that, whenever the request went.
func (k *keeper) timeOf(e tenfold.Entry, said time.Time) time.Time {
	if e.Payload.Kind() != tenfold.KindReasoning {
		return said.UTC()
	}
	sum := thoughtOf(e)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, known := range []map[wire.Sum]time.Time{k.thought.newer, k.thought.older} {
		if at, ok := known[sum]; ok {
			return at.UTC()
		}
	}
	return said.UTC()
}
