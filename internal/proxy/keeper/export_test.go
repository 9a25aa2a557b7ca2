package keeper

import (
	"slices"
	"time"

	"tenfold/internal/proxy"
)

// KeptFor is how long a request asks the vendor's cache to live.
var KeptFor = keptFor

// Spoil makes what was drawn ahead for the newest history that of another view; false
// where nothing was. Without a way it only tells.
func Spoil(p proxy.Keeper, how string) bool {
	k := p.(*keeper)
	k.mu.Lock()
	t := k.all[len(k.all)-1]
	k.mu.Unlock()
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	s := t.log.sketch
	if s == nil || how == "" {
		return s != nil
	}
	s.bytes = []byte(`{"role":"user","content":"spoiled"}`)
	if s.least != nil {
		s.least.bytes = s.bytes
	}
	switch how {
	case "items":
		s.items[0].Tokens++
		if len(s.leastItems) > 0 {
			s.leastItems[0].Tokens++
		}
	case "base":
		s.now = "another text"
	case "messages":
		s.chain[0]++
	case "epoch":
		s.epoch = "another"
	case "seqs":
		s.seqs[0] = []int64{-1}
	}
	return true
}

// Held is how many bytes of requests are kept after their answers.
func Held(p proxy.Keeper) int {
	k := p.(*keeper)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.held
}

// Cool does what a keeper does by itself as the vendor's cache gets cold, by its clock, and
// tells for how many histories.
func Cool(p proxy.Keeper) (n int) {
	k := p.(*keeper)
	k.mu.Lock()
	now := k.Now()
	for _, t := range k.all {
		if t.awaits != nil && t.pace.Lifetime > 0 && now.Sub(t.touched) > t.pace.Lifetime {
			n++
			t.compactWhenCold(t.awaits)
		}
	}
	k.mu.Unlock()
	Rest(p, false)
	return n
}

// Flush has a keeper store what it heard, and does not wait for it.
func Flush(p proxy.Keeper) {
	k := p.(*keeper)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.all {
		t.flush(nil)
	}
}

// Rest waits until a keeper's jobs are done, and with flush has it store first what
// it would store after a while.
func Rest(p proxy.Keeper, flush bool) {
	k := p.(*keeper)
	for {
		busy := false
		k.mu.Lock()
		for _, t := range k.all {
			if flush && t.newest != nil && t.newest.done && t.newest.response.Entries != nil {
				t.flush(t.settleAtRest)
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

// Stale tells which reasoning of a log is bound to another view.
var Stale = staleReasoning

// Busy tells whether a keeper has jobs under way.
func Busy(p proxy.Keeper) bool {
	k := p.(*keeper)
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.all, func(t *thread) bool { return t.running })
}

// Ahead waits until a keeper has read what it expects, and tells of which conversations.
func Ahead(p proxy.Keeper) (ids []string) {
	k := p.(*keeper)
	if k.Expect != (Expected{}) {
		<-k.wasRead
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, a := range k.ahead {
		ids = append(ids, a.ID)
	}
	return ids
}

// Pay has a keeper try to store what it could not, as when its time comes, and waits for that.
func Pay(p proxy.Keeper) {
	k := p.(*keeper)
	k.mu.Lock()
	for t := range k.owing {
		if t.pays != nil {
			t.pays.Stop()
			t.pays = nil
		}
		t.enqueue(t.tryStoreOwed)
	}
	k.mu.Unlock()
	Rest(p, false)
}

// TriesAgain tells whether all that waits for the store has a time when it is tried again.
func TriesAgain(p proxy.Keeper) bool {
	k := p.(*keeper)
	k.mu.Lock()
	defer k.mu.Unlock()
	for t := range k.owing {
		if t.pays == nil {
			return false
		}
	}
	return true
}

// Owed is how many bytes of requests wait for the store, and MostOwed bounds them.
func Owed(p proxy.Keeper) int {
	k := p.(*keeper)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.owed
}

func MostOwed(p proxy.Keeper, n int) { p.(*keeper).mostOwed = n }

// Behind is how many bytes of requests the newest history has that others followed.
func Behind(p proxy.Keeper) (n int) {
	k := p.(*keeper)
	k.mu.Lock()
	defer k.mu.Unlock()
	for ex := k.all[len(k.all)-1].newest.before; ex != nil; ex = ex.before {
		n += len(ex.in.Body)
	}
	return n
}
