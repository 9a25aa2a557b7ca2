package transcript

import (
	"strconv"
)

// contentWriter reads blocks and notes which values it took over.
type contentWriter struct {
	scan *scanner
	raw  []byte
	cuts []cut
}

// text takes a string over. One that would not come back the same stays in the
// line as well.
func (w *contentWriter) text(at span) string {
	t, exact := w.scan.unquote(at)
	if exact {
		w.cuts = append(w.cuts, cut{at, cutText})
	}
	return t
}

// whole takes any value over, verbatim.
func (w *contentWriter) whole(at span) string {
	w.cuts = append(w.cuts, cut{at, cutValue})
	return string(at.of(w.raw))
}

func (w *contentWriter) isString(at span) bool { return at.found() && w.raw[at.from] == '"' }

// blockID names the n-th entry of a line.
func blockID(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}
