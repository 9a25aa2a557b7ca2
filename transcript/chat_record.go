package transcript

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// chatRecord is an object of the source: its members, and where its messages
// stand if it holds any.
type chatRecord struct {
	span
	raw     []byte // the text the places are in
	members []chatMember
	list    span
	items   []span
	index   int // among the values of its source, from 0
	id      string
}

type chatMember struct {
	name string
	at   span
}

// unixTime reads seconds, or milliseconds, since 1970.
func unixTime(seconds float64) time.Time {
	if seconds > 1e11 {
		seconds /= 1000
	}
	if !(seconds > 0 && seconds < 1e11) {
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6)).UTC()
}

// at is where a member's value stands; the last one of the name counts.
func (r *chatRecord) at(name string) span {
	for i := len(r.members) - 1; i >= 0; i-- {
		if r.members[i].name == name {
			return r.members[i].at
		}
	}
	return span{}
}

// value gives a member's value, nil when there is none.
func (r *chatRecord) value(name string) []byte {
	if at := r.at(name); at.found() {
		return at.of(r.raw)
	}
	return nil
}

// text gives a member that is a string, else "".
func (r *chatRecord) text(name string) string {
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
func (r *chatRecord) number(name string) float64 {
	f, err := strconv.ParseFloat(string(r.value(name)), 64)
	if err != nil {
		return 0
	}
	return f
}

// source gives the record without its messages and the cuts.
func (r *chatRecord) source(c *chat, cuts []cut) string {
	if r.list.found() {
		cuts = append(cuts, cut{r.list, cutValue})
	}
	for i := range cuts {
		cuts[i].from -= r.from
		cuts[i].to -= r.from
	}
	return string(c.compact([]byte(splice(r.of(r.raw), cuts))))
}
