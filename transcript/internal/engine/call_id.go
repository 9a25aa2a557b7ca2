package engine

import (
	"strconv"

	"tenfold"
	"tenfold/internal/fitnames"
	"tenfold/transcript/internal/intake"
)

// maxSessionCallID is how long ids of calls may be in what clients send.
const maxSessionCallID = 64

// WithFitCalls gives the view of another tool's conversation with ids of calls
// that every provider takes, each of its own, on call and result alike, for a
// client, which sends them on as it finds them. Ids that fit stay as they are, and
// a view that has no others is given back.
func (v View) WithFitCalls(to intake.Format) (View, error) {
	if v.Format == to {
		return v, nil
	}
	ids := callIDs(v.Projection.Log())
	if ids == nil {
		return v, nil
	}
	return v.rewritten(func(e *tenfold.Entry) {
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			p.CallID = ids.at[e.Seq]
			e.Payload = p
		case tenfold.ToolResult:
			p.CallID = ids.of(e.Seq, p.CallID)
			e.Payload = p
		case tenfold.Approval:
			p.CallID = ids.of(e.Seq, p.CallID)
			e.Payload = p
		case tenfold.Reasoning:
			if p.CallID != "" {
				p.CallID = ids.of(e.Seq, p.CallID)
				e.Payload = p
			}
		case tenfold.Compaction:
			p.ToolCalls = ids.inPolicy(p.ToolCalls)
			e.Payload = p
		}
	})
}

// fitIDs are the ids that calls are given.
type fitIDs struct {
	at    map[int64]string // of calls, and of the results that answer them
	calls map[string][]fitCall
}

type fitCall struct {
	seq int64
	id  string
}

// of is the id of an entry that names a call: the one it answers, or the next
// one of that name, which a thought stands before, or the last.
func (f *fitIDs) of(seq int64, raw string) string {
	if id, ok := f.at[seq]; ok {
		return id
	}
	calls := f.calls[raw]
	for _, c := range calls {
		if c.seq > seq {
			return c.id
		}
	}
	if len(calls) > 0 {
		return calls[len(calls)-1].id
	}
	return fitnames.Fit(raw, maxSessionCallID, "call")
}

// inPolicy gives a policy that names the calls by their new ids. An old id may be
// that of many calls; a key that names one of them by its seq goes first.
func (f *fitIDs) inPolicy(p *tenfold.ToolPolicy) *tenfold.ToolPolicy {
	if p == nil || len(p.Calls) == 0 {
		return p
	}
	fit := *p
	fit.Calls = make(map[string]tenfold.CallPolicy, len(p.Calls))
	for raw, calls := range f.calls {
		one, named := p.Calls[raw]
		for _, c := range calls {
			if exact, ok := p.Calls[raw+"@"+strconv.FormatInt(c.seq, 10)]; ok {
				fit.Calls[c.id] = exact
			} else if named {
				fit.Calls[c.id] = one
			}
		}
	}
	return &fit
}

// callIDs gives the calls of a log their ids; nil where all are good.
func callIDs(log *tenfold.Log) *fitIDs {
	f := &fitIDs{at: map[int64]string{}, calls: map[string][]fitCall{}}
	unique := fitnames.Unique{Most: maxSessionCallID}
	last := int64(0)
	branches := map[string]bool{"": true}
	changed := false
	for e := range log.Entries() {
		last = e.Seq
		branches[e.Branch] = true
		if p, ok := e.Payload.(tenfold.ToolCall); ok {
			id := unique.Give(fitnames.Fit(p.CallID, maxSessionCallID, "call"))
			f.at[e.Seq] = id
			f.calls[p.CallID] = append(f.calls[p.CallID], fitCall{e.Seq, id})
			changed = changed || id != p.CallID
		}
	}
	if !changed {
		return nil
	}
	for branch := range branches {
		for c := range tenfold.ProjectBranch(log, branch).Calls(1, last) {
			if c.Result != 0 {
				f.at[c.Result] = f.at[c.Seq]
			}
		}
	}
	return f
}
