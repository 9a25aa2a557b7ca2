package session

import "tenfold/strategy"

// ReadFor is the version that the index of plans has read to.
func (s *Session) ReadFor() int64 {
	if s.index == nil {
		return 0
	}
	return s.index.Version()
}

// Fitted is what the plan came to by which it was found that a cold cache is worth a
// compaction; nil for none.
func (d Decision) Fitted() *strategy.Fitted {
	if d.planned == nil {
		return nil
	}
	return d.planned.plan.Fitted
}

// CallIsPending tells whether a call waits at an entry.
func (s *Session) CallIsPending(turn int, through int64) bool { return s.callIsPending(turn, through) }
