package strategy

import (
	"slices"

	"tenfold"
)

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
		f.keepCall(c.seq, stance{what: StandsHandles, whole: whole})
	}
}
