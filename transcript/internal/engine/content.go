package engine

import (
	"strconv"
)

// ContentWriter reads blocks and notes which values it took over.
type ContentWriter struct {
	Scan *Scanner
	Raw  []byte
	Cuts []Cut
}

// Text takes a string over. One that would not come back the same stays in the
// line as well.
func (w *ContentWriter) Text(at Span) string {
	t, exact := w.Scan.Unquote(at)
	if exact {
		w.Cuts = append(w.Cuts, Cut{at, CutText})
	}
	return t
}

// Whole takes any value over, verbatim.
func (w *ContentWriter) Whole(at Span) string {
	w.Cuts = append(w.Cuts, Cut{at, CutValue})
	return string(at.Of(w.Raw))
}

func (w *ContentWriter) IsString(at Span) bool { return at.Found() && w.Raw[at.From] == '"' }

// BlockID names the n-th entry of a line.
func BlockID(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}
