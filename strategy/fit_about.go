package strategy

import (
	"slices"

	"tenfold"
	"tenfold/tool"
)

// recentTurns is how many turns back a plan file counts as being worked on.
const recentTurns = 3

// keepPlanFile keeps the newest version of a plan file that is being worked on as
// it was read or written (F5): whole where it is short, else that it was, so that
// its path says where to see it again.
func (f *fitting) keepPlanFile(calls []toolCall) {
	l := f.p.Log()
	for _, c := range slices.Backward(calls) {
		if turn, _, _ := l.Where(c.seq); turn < l.Turns()-recentTurns {
			return
		}
		r, _ := l.Entry(c.result)
		if result, ok := r.Payload.(tenfold.ToolResult); !ok || result.Ended().Bad() {
			continue
		}
		t, _ := tool.Lookup(c.call.Name)
		for _, op := range t.Operations(c.call.Arguments) {
			if op.Op == tool.FileModified || !tool.IsPlanFile(op.Path) {
				continue // an edit shows a part of it
			}
			e, _ := l.Entry(c.seq)
			f.stand(c.seq, stance{what: StandsPlan, whole: e.Tokens+r.Tokens <= min(openError, f.limit/4)})
			return
		}
	}
}

// keepImages keeps the images and documents that results of the turn under way
// show, the newest ones first, for at most a quarter of the target. Of the others
// it stays that they were looked at, so that the path says where to see them again.
func (f *fitting) keepImages(calls []toolCall) {
	l := f.p.Log()
	now, _, _ := l.Where(f.p.Version())
	left := f.limit / 4
	for _, c := range slices.Backward(calls) {
		if turn, _, _ := l.Where(c.seq); turn != now {
			return
		}
		r, _ := l.Entry(c.result)
		result, ok := r.Payload.(tenfold.ToolResult)
		if !ok || !slices.ContainsFunc(result.Parts, func(p tenfold.Part) bool { return p.File != nil }) {
			continue
		}
		whole := r.Tokens <= left
		if whole {
			left -= r.Tokens
		}
		f.stand(c.seq, stance{what: StandsHandles, whole: whole})
	}
}
