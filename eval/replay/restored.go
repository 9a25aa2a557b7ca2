package replay

import "tenfold"

// restored finds how much a client puts back into the view after a compaction of its
// own that its transcript does not hold: Claude Code attaches files that it had read,
// Codex a summary that nobody else can read. The provider's reports tell. Before the
// compaction they grow with what the log counts, along a line that begins at the
// system prompt and the tools; what the first report after it lies over that line was
// put back.
type restored struct {
	first, last report
	// waits tells that no report came since the compaction.
	waits  bool
	tokens int
}

// report is what a provider reported of a request that was counted.
type report struct{ reported, counted float64 }

// leastRise is how far the counted sizes must be apart that a line is drawn by.
const leastRise = 10_000

// reset begins anew.
func (r *restored) reset() { r.waits, r.tokens = true, 0 }

// addUsage takes in a report of a request of so many counted tokens, and gives how many it
// shows to have been put back.
func (r *restored) addUsage(u tenfold.Usage, counted int) int {
	at := report{float64(u.Input) + float64(u.CacheRead) + float64(u.CacheWrite), float64(counted)}
	if at.reported <= 0 || counted <= 0 {
		return 0
	}
	if r.waits && r.last.counted-r.first.counted >= leastRise {
		perToken := (r.last.reported - r.first.reported) / (r.last.counted - r.first.counted)
		if more := at.reported - r.first.reported - perToken*(at.counted-r.first.counted); perToken > 0 && more > 0 {
			r.tokens = int(more / perToken)
		}
	}
	r.waits = false
	if r.first.counted == 0 {
		r.first = at
	}
	r.last = report{at.reported, at.counted + float64(r.tokens)}
	return r.tokens
}
