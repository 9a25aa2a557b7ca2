package keeper

import (
	"encoding/hex"
	"slices"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// Beside its conversation a client asks for titles, topics, which model to take, whether it
// may speak at all. Where it does not say so in a header (X2), that is known by what all agents
// offer their model in a conversation, and never beside it: tools. It is no conversation of
// its own: its texts and what it cost stand on a branch of the one that it is beside (L7), so
// that lists have one, and nothing is lost.

// takeBeside shows a request that is not part of a conversation what its history
// looks like to the vendor: the gauge would be wrong (X5), and thinking bound to
// another prefix (B1), if it went as it came. What it costs is the conversation's.
func (k *keeper) takeBeside(ex *exchange, id identity) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, _ := k.find(id.key, ex.r)
	switch {
	case t != nil && t.frozen.holds(ex.r):
		t.send(ex)
	case t == nil && len(k.threads[id.key]) > 0:
		t = k.threads[id.key][0]
	}
	if t != nil {
		ex.t, ex.beside = t, true
	}
}

// mainOf is the history that a request is beside, in the session that its client names: it
// begins another one, without tools. Nil where it is part of a conversation, or nothing is
// known yet that it could be beside of. The caller holds the lock.
func (k *keeper) mainOf(r *wire.Request, id identity) *thread {
	if id.key != id.origin || r.Tools() || settled(r.Messages) > 0 {
		return nil
	}
	var main *thread
	for _, t := range k.threads[id.key] {
		if commonMessages(t.messages, r.Messages) > 0 {
			return nil
		}
		if t.tools && (main == nil || t.order > main.order) {
			main = t
		}
	}
	return main
}

// joinMain has a history that turns out to be beside another one go over to that, before it
// is in the store: its request came first. The caller holds the lock.
func (t *thread) joinMain() bool {
	ex, k := t.newest, t.k
	if t.tools || !t.born || ex.before != nil || ex.r == nil || t.shown.ID != "" || t.running {
		return false
	}
	k.threads[t.id.key] = without(k.threads[t.id.key], t)
	main := k.mainOf(ex.r, t.id)
	k.threads[t.id.key] = append(k.threads[t.id.key], t)
	if main == nil {
		return false
	}
	k.drop(t)
	ex.t, ex.beside, ex.told, ex.flushed = main, true, true, true
	main.storeUsage(ex)
	return true
}

// textEntries are what a request beside a conversation says, and what was answered.
func (ex *exchange) textEntries() (out []tenfold.Entry) {
	if !ex.told {
		return nil
	}
	for i := range ex.r.Messages {
		pieces, err := ex.in.Protocol.Read(ex.r, i)
		if err != nil {
			return nil
		}
		for _, p := range pieces {
			p.Entry.Time = ex.began.UTC()
			out = append(out, p.Entry)
		}
	}
	for _, e := range ex.response.Entries {
		e.Time = ex.ended.UTC()
		out = append(out, e)
	}
	out = slices.DeleteFunc(out, func(e tenfold.Entry) bool { return !e.Payload.Kind().Visible() })
	for i := range out {
		out[i].Branch = asideBranch + "." + hex.EncodeToString(ex.r.Messages[0].Chain[:4])
	}
	return out
}
