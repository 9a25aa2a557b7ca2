package chatapi

import (
	"strconv"
	"time"

	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// ChatRecord is an object of the source: its members, and where its messages
// stand if it holds any.
type ChatRecord struct {
	walk.Span
	engine.Members
	raw   []byte // the text the places are in
	list  walk.Span
	items []walk.Span
	id    string
}

// UnixTime reads seconds, or milliseconds, since 1970.
func UnixTime(seconds float64) time.Time {
	if seconds > 1e11 {
		seconds /= 1000
	}
	if !(seconds > 0 && seconds < 1e11) {
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6)).UTC()
}

// number gives a member that is a number, else 0.
func (r *ChatRecord) number(name string) float64 {
	f, err := strconv.ParseFloat(string(r.Raw(name)), 64)
	if err != nil {
		return 0
	}
	return f
}

// source gives the record without its messages and the cuts.
func (r *ChatRecord) source(c *Chat, cuts []walk.Cut) string {
	if r.list.Found() {
		cuts = append(cuts, walk.Cut{Span: r.list, With: walk.CutValue})
	}
	for i := range cuts {
		cuts[i].From -= r.From
		cuts[i].To -= r.From
	}
	return string(c.compact([]byte(walk.Splice(r.Of(r.raw), cuts))))
}
