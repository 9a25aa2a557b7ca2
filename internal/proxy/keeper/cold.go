package keeper

import (
	"context"
	"time"

	"tenfold"
	"tenfold/session"
)

// mostHeld is how many bytes of requests are kept in memory after their answers, of all
// conversations: with them the beginning of an epoch is drawn while nobody waits.
const mostHeld = 64 << 20

// scheduleCold has what is free once the vendor's cache is cold (V2c) done as it gets cold,
// and not when the next request waits for it (X9); false where nothing will be. An answer
// that calls a tool is not the end of a turn (B2). The caller holds the lock.
func (t *thread) scheduleCold(ex *exchange) bool {
	if t.k.closed || t.gone || t.newest != ex || t.passing != "" || t.pace.Cools() == 0 || ex.response.Entries == nil || ex.holds(tenfold.KindToolCall) {
		return false
	}
	if t.awaits = ex; t.idle != nil {
		t.idle.Stop()
	}
	t.idle = time.AfterFunc(t.touched.Add(t.pace.Cools()).Sub(t.k.Now()), func() {
		t.k.mu.Lock()
		defer t.k.mu.Unlock()
		t.compactWhenCold(ex)
	})
	return true
}

// compactWhenCold does what is free by now, where no request came in between. The caller holds the
// lock.
func (t *thread) compactWhenCold(ex *exchange) {
	if t.newest != ex || t.k.closed || t.gone {
		return
	}
	t.awaits, t.settling = nil, true
	touched := t.touched
	t.enqueue(func(ctx context.Context) {
		d := session.Decision{Action: session.Wait}
		if t.newestIs(ex) {
			d = t.settleAhead(ctx, ex, true)
		}
		if t.k.Spare {
			t.log.releaseSession()
		}
		t.k.mu.Lock()
		defer t.k.mu.Unlock()
		t.settling, t.cooled = false, d.Action != session.Wait && t.touched.Equal(touched)
		ex.releaseBody()
	})
}

// holdBody keeps the bytes of a request, where there is room for them. The caller holds the
// lock.
func (ex *exchange) holdBody() bool {
	if ex.held = !ex.owed && !ex.k.Spare && ex.k.held+len(ex.in.Body) <= mostHeld; ex.held {
		ex.k.held += len(ex.in.Body)
		ex.body = nil
	}
	return ex.held
}

// releaseBody lets go of the bytes of a request. The caller holds the lock, and is a job:
// others may be reading them.
func (ex *exchange) releaseBody() {
	if ex.owed || ex.flushing {
		return
	}
	if ex.held {
		ex.k.held -= len(ex.in.Body)
	}
	ex.held, ex.in.Header, ex.in.Body, ex.body, ex.r = false, nil, nil, nil, nil
}

// releaseBefore lets go of the bytes of the requests before one that are answered, while the
// store does not get what they say: this one has all of that. What asks for a compaction may
// have less than the newest. It is of a job.
func (ex *exchange) releaseBefore() {
	ex.k.mu.Lock()
	defer ex.k.mu.Unlock()
	for prev := ex.before; prev != nil; prev = prev.before {
		if prev.done && prev != ex.t.newest {
			prev.releaseBody()
		}
	}
}
