package keeper

import (
	"crypto/sha256"
	"time"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// thoughts tells of what models thought in which epoch they were shown the history.
// Thinking is bound to that view, whichever history it comes back in: of two copies of
// one history, the one may have begun an epoch while the other was answered (B1).
type thoughts struct{ newer, older map[wire.Sum]string }

// mostThoughts is how many are remembered, once or twice.
const mostThoughts = 1 << 12

// add notes what an answer thought, with the lock held.
func (t *thoughts) add(answer []tenfold.Entry, shown string) {
	for _, e := range answer {
		if !wire.Bound(e.Payload) {
			continue
		}
		if len(t.newer) >= mostThoughts || t.newer == nil {
			t.newer, t.older = map[wire.Sum]string{}, t.newer
		}
		t.newer[thoughtOf(e)] = shown
	}
}

func thoughtOf(e tenfold.Entry) wire.Sum {
	r, ok := e.Payload.(tenfold.Reasoning)
	if words, said := e.Payload.(tenfold.AssistantMessage); !ok && said {
		r = tenfold.Reasoning{Provider: "anthropic", Text: words.Text, Signature: words.Signature}
	}
	if r.Encrypted != "" {
		r.ItemID = "" // clients may leave it out
	}
	raw, _ := tenfold.MarshalPayload(r)
	sum := sha256.Sum256(raw)
	return wire.Sum(sum[:16])
}

// epochOf is the epoch in which something was thought, where that is known.
func (k *keeper) epochOf(e tenfold.Entry) (epoch string, ok bool) {
	sum := thoughtOf(e)
	k.mu.Lock()
	defer k.mu.Unlock()
	if epoch, ok = k.thought.newer[sum]; !ok {
		epoch, ok = k.thought.older[sum]
	}
	return epoch, ok
}

// thoughtInEpoch tells whether a request has what was thought in a view that the log of its
// history, which is yet to be made, cannot know of: a client copied a session that was compacted.
func (k *keeper) thoughtInEpoch(ex *exchange) bool {
	k.mu.Lock()
	none := len(k.thought.newer)+len(k.thought.older) == 0
	k.mu.Unlock()
	if none {
		return false // as in a program that was just started, before a long history is read for it
	}
	for i, m := range ex.r.Messages {
		if !m.Model {
			continue
		}
		pieces, err := ex.in.Protocol.Read(ex.r, i)
		if err != nil {
			return false
		}
		for _, one := range pieces {
			if !wire.Bound(one.Entry.Payload) {
				continue
			}
			if epoch, _ := k.epochOf(one.Entry); epoch != "" {
				return true
			}
		}
	}
	return false
}

// timeOf is the time of an entry that was said at a time, and that the log gets next; the
// model was shown the history as of an epoch, if nobody here knows better. What was thought
// in another epoch than the log's is dated before that began, and what was thought in this
// one is not, whatever the clock says: so the log tells which is stale. The epoch may be one of
// a log that was removed from the store: that is before the log, and zero where it is yet to be made.
func (t *thread) timeOf(e tenfold.Entry, said time.Time, shown string) time.Time {
	if !wire.Bound(e.Payload) {
		return said.UTC()
	}
	if epoch, ok := t.k.epochOf(e); ok {
		shown = epoch
	}
	switch is, begun := t.log.begun(); {
	case is == "" && shown == "": // nothing changed the view yet
	case is == "":
		return beforeLog(t.logged().Log())
	case is == shown && said.Before(begun):
		said = begun
	case is != shown && !said.Before(begun):
		said = begun.Add(-time.Nanosecond)
	}
	return said.UTC()
}

// beforeLog is the time that tells of a thought in an epoch that a log knows nothing of.
func beforeLog(l *tenfold.Log) time.Time {
	first, ok := l.Entry(1)
	if !ok {
		return time.Time{}
	}
	return first.Time.Add(-time.Nanosecond)
}
