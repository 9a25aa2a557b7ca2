package chatapi

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// ChatRecord is an object of the source: its members, and where its messages
// stand if it holds any.
type ChatRecord struct {
	walk.Span
	raw     []byte // the text the places are in
	members []chatMember
	list    walk.Span
	items   []walk.Span
	id      string
}

type chatMember struct {
	name string
	at   walk.Span
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

// At is where a member's value stands; the last one of the name counts.
func (r *ChatRecord) At(name string) walk.Span {
	for i := len(r.members) - 1; i >= 0; i-- {
		if r.members[i].name == name {
			return r.members[i].at
		}
	}
	return walk.Span{}
}

// value gives a member's value, nil when there is none.
func (r *ChatRecord) value(name string) []byte {
	if at := r.At(name); at.Found() {
		return at.Of(r.raw)
	}
	return nil
}

// text gives a member that is a string, else "".
func (r *ChatRecord) text(name string) string {
	v := r.value(name)
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}

// number gives a member that is a number, else 0.
func (r *ChatRecord) number(name string) float64 {
	f, err := strconv.ParseFloat(string(r.value(name)), 64)
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
