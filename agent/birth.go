package agent

import (
	"fmt"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
)

// The most that is stored of one result: what goes beyond is left out of its
// middle. A part that is not text and larger than that goes.
const maxResult = 16 << 20

// bounded gives the parts of a result within bounds.
func bounded(parts []tenfold.Part) []tenfold.Part {
	out := make([]tenfold.Part, 0, len(parts))
	left := maxResult
	for _, p := range parts {
		size := len(p.Text)
		if p.File != nil {
			size += len(p.File.URI) + len(p.File.Detail)
		}
		switch {
		case size <= left:
		case p.File != nil:
			p = tenfold.TextPart(fmt.Sprintf("[a file of %d bytes is left out: a result may have %d]", size, maxResult))
		default:
			half := left / 2
			p = tenfold.TextPart(fmt.Sprintf("%s\n[%d bytes are left out here: a result may have %d]\n%s", p.Text[:half], size-2*half, maxResult, p.Text[size-half:]))
		}
		left = max(left-size, 0)
		out = append(out, p)
	}
	return out
}

// least is what a result may have, in tokens, where those of the calls before it have
// left nothing, and the others still to come have as much.
const least = 500

// resultRoom is how many tokens the next result of the branch may have. The last step is
// never compacted, so that the results of one response must not fill the window: they
// have half of it, the first ones more than the last. It is called with the lock held.
func (w *worker) resultRoom() int {
	p := w.past.at(w.branch)
	left, more := max(w.control.Window()/2-p.given, 0), max(len(p.open)-1, 0)
	return min(w.options.TrimOver, left-more*min(least, left/(more+1)))
}

// trimmed adds the overlay that shortens a result over the limit before a model sees it
// (live V3). The results before it are in the log.
func (w *worker) trimmed(j job, entries []tenfold.Entry) []tenfold.Entry {
	if len(entries) != 1 || w.options.TrimOver <= 0 {
		return entries
	}
	result, _ := entries[0].Payload.(tenfold.ToolResult)
	tokens := entries[0].Tokens
	w.mu.Lock()
	limit := w.resultRoom()
	turn, _, _ := w.session.Log().Where(j.seq)
	w.mu.Unlock()
	if tokens <= limit {
		return entries
	}
	policy, _, after, ok := strategy.AtBirth(j.call, result, w.counter, tokens, limit)
	if !ok {
		return entries
	}
	return append(entries, tenfold.Entry{Branch: w.branch, Payload: tenfold.Compaction{
		FromTurn: turn, ToTurn: turn, Strategy: "trim", Source: tenfold.SourceBirth,
		Reason: fmt.Sprintf("a result of %d tokens, the limit is %d", tokens, limit), Handle: session.Handle(w.session.ID()),
		TokensBefore: tokens, TokensAfter: after,
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Recall: true,
			Calls: map[string]tenfold.CallPolicy{fmt.Sprintf("%s@%d", j.call.CallID, j.seq): policy},
		},
	}})
}
