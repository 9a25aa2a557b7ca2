//go:build unix

package fleet

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"tenfold"
	"tenfold/session"
)

// A journal is what the writers of a tenant were told, together: each line of it has to
// hold for ever.
type journal struct {
	*tenantOf
	mu sync.Mutex
	// logs are of the conversations that were acknowledged and that nobody began to
	// delete.
	logs map[string]*known
	// deleted are those whose deletion was acknowledged, or is under way.
	deleted map[string]bool
	counts  map[string]int
}

// A known is what was read or acknowledged of one log.
type known struct {
	ids      []string        // of the entry at each seq, from 1; empty where it is not known
	acked    map[string]bool // ids of entries whose append was acknowledged
	commands map[string]int  // overlays of each compacting command that was acknowledged
}

func newJournal(of *tenantOf) *journal {
	return &journal{tenantOf: of, logs: map[string]*known{}, deleted: map[string]bool{}, counts: map[string]int{}}
}

func (j *journal) count(what string, n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[what] += n
}

// read takes in what a session has read of a log since it had read so much, and says
// what is not as it was read before.
func (j *journal) read(s *session.Session, after int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := j.logs[s.ID()]
	if k == nil {
		return nil // it is being deleted
	}
	for e := range s.Log().After(after) {
		if err := k.place(e.ID, e.Seq); err != nil {
			return fmt.Errorf("conversation %s: %w", s.ID(), err)
		}
	}
	return nil
}

// placed takes in that an entry was acknowledged, and where it is.
func (j *journal) placed(id, entry string, seq int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := j.logs[id]
	if k == nil {
		return nil
	}
	k.acked[entry] = true
	j.counts["entries"]++
	return k.place(entry, seq)
}

// place takes in what stands at a place, and says if it was another entry.
func (k *known) place(id string, seq int64) error {
	for int64(len(k.ids)) < seq {
		k.ids = append(k.ids, "")
	}
	if was := k.ids[seq-1]; was != "" && was != id {
		return fmt.Errorf("entry %d was %s and is %s", seq, was, id)
	}
	k.ids[seq-1] = id
	return nil
}

// acknowledged takes in that entries are in a log.
func (j *journal) acknowledged(id string, entries []tenfold.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if k := j.logs[id]; k != nil {
		for _, e := range entries {
			k.acked[e.ID] = true
		}
		j.counts["entries"] += len(entries)
	}
}

// some gives a conversation at random.
func (j *journal) some(random *rand.Rand) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.logs) == 0 {
		return ""
	}
	n := random.IntN(len(j.logs))
	for id := range j.logs { // in no order
		if n--; n < 0 {
			return id
		}
	}
	return ""
}
