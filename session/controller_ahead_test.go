package session_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
)

// X9, X3: reading ahead writes nothing, and changes nothing of what a full context is
// compacted to: a process that begins anew does the same.
func TestX9ReadingAheadChangesNoPlan(t *testing.T) {
	t.Parallel()
	compacted := func(ahead bool) string {
		r := run(t, memory.New())
		read := func() {
			version := r.log().Version()
			if ahead {
				r.c.ReadAhead()
			}
			if r.log().Version() != version {
				t.Error("reading ahead wrote something")
			}
		}
		r.turn()
		for range 9 {
			r.call(900)
			read()
		}
		r.say()
		r.turn()
		r.want(r.settle(), session.Compacted, session.Ready)
		made := payloads[tenfold.Compaction](r.log())
		made[0].Command = "" // is made up
		out, err := json.Marshal(made, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if with, without := compacted(true), compacted(false); with != without {
		t.Errorf("compacted after reading ahead:\n%s\nwithout:\n%s", with, without)
	}
}

// Only on the way to the limit something is read: most conversations never get there.
func TestX9ReadsAheadNearTheLimitAlone(t *testing.T) {
	t.Parallel()
	r := run(t, memory.New())
	r.turn()
	r.call(5500) // of a limit of 8,000
	r.c.ReadAhead()
	if r.c.Session().ReadFor() != 0 {
		t.Error("read at 55 % of the window")
	}
	r.call(1000)
	r.c.ReadAhead()
	if n := r.c.Session().ReadFor(); n != r.log().Version() {
		t.Errorf("read up to %d of %d", n, r.log().Version())
	}
	r.live.Auto.Enabled = false
	r.reopen()
	r.c.ReadAhead()
	if r.c.Session().ReadFor() != 0 {
		t.Error("read although nothing is compacted by itself")
	}
}
