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

// trim gives the overlay that shortens a result over the limit before a model sees
// it (live V3); nil for one that stays as it is. It counts the result as well.
func (w *worker) trim(j job, e *tenfold.Entry) *tenfold.Compaction {
	result, _ := e.Payload.(tenfold.ToolResult)
	limit, size := w.options.TrimOver, 0
	for _, p := range result.Parts {
		size += len(p.Text)
	}
	if limit <= 0 || size <= limit { // a token is a byte or more
		return nil
	}
	counter := w.session.Log().Counter()
	e.Tokens = tenfold.CountPayload(counter, result)
	if e.Tokens <= limit {
		return nil
	}
	policy, _, after, ok := strategy.AtBirth(j.call, result, counter, e.Tokens, limit)
	if !ok {
		return nil
	}
	w.mu.Lock()
	turn, _, _ := w.session.Log().Where(j.seq)
	w.mu.Unlock()
	return &tenfold.Compaction{
		FromTurn: turn, ToTurn: turn, Strategy: "trim", Source: tenfold.SourceBirth,
		Reason: fmt.Sprintf("a result of %d tokens, the limit is %d", e.Tokens, limit), Handle: session.Handle(w.session.ID()),
		TokensBefore: e.Tokens, TokensAfter: after,
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Recall: true,
			Calls: map[string]tenfold.CallPolicy{fmt.Sprintf("%s@%d", j.call.CallID, j.seq): policy},
		},
	}
}
