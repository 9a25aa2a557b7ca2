package wire

import (
	"bytes"
	"crypto/sha256"
	"hash/maphash"
	"slices"
	"sort"
	"time"
	"unicode/utf8"

	"tenfold/internal/pair"
)

// seed makes prints. They last as long as the process.
var seed = maphash.MakeSeed()

// shape says where the parts of a request of one protocol stand.
type shape struct {
	// list is the member that holds the messages. Within is the member whose
	// object may hold it and all else that counts; empty for none.
	list, within string
	// head are the members that stand before the messages for the model.
	head []string
	// unseen are members that put something before the messages which is not here.
	unseen []string
	// thread is the member that says what the vendor keeps of the conversation; empty for none.
	thread string
	// alone is set where one text may stand in the place of the list.
	alone bool
	// model reports whether the model said a message of a role and a type.
	model func(role, kind string) bool
	// text is set where a message's content may be one text instead of a list
	// with one block of text: they are the same for the model.
	text bool
}

// part is a member of the head.
type part struct {
	name  string
	at    Span
	print uint64
	sum   Sum
}

// head is what stood before the messages of a request. Its first message carries
// it, so that the next request need not read it again.
type head struct{ parts []part }

func (h *head) find(name string) (p part, ok bool) {
	if h != nil {
		for _, p := range h.parts {
			if p.name == name {
				return p, true
			}
		}
	}
	return part{}, false
}

// scan finds the messages of a body. A message of known that stands at the same
// index with the same bytes is not read.
func scan(path string, body []byte, known []Message, sh shape) (*Request, error) {
	w := walk{scanner: scanner{raw: body}, r: &Request{Path: path, Body: body}, shape: sh, known: known, head: &head{}}
	if len(known) > 0 {
		w.before = known[0].head
	}
	if w.object(false); w.peek() != 0 {
		w.fail(errSyntax)
	}
	switch {
	case w.err != nil:
		return nil, w.err
	case w.r.First == 0:
		return nil, errShape
	}
	w.sumHead()
	if len(w.r.Messages) > 0 {
		w.r.Messages[0].head = w.head
	}
	w.r.head = w.head
	return w.r, nil
}

// walk is a scan under way.
type walk struct {
	scanner
	shape        shape
	r            *Request
	known        []Message
	head, before *head
}

// object walks over the members of the body; inner tells that they are those of
// the request that the body wraps.
func (w *walk) object(inner bool) {
	var seen []string
	w.members(false, func(quoted []byte) {
		name := unquote(quoted)
		wraps := !inner && name == w.shape.within && name != ""
		if wraps || name == w.shape.list || name == "model" || name == "stream" {
			if slices.Contains(seen, name) || (name == w.shape.list && w.r.First > 0) {
				w.fail(errTwice)
				return
			}
			seen = append(seen, name)
		}
		switch {
		case wraps:
			w.object(true)
		case name == w.shape.list:
			w.messages()
		case slices.Contains(w.shape.unseen, name):
			if at := w.value(false); string(at.of(w.raw)) != "null" {
				w.fail(errShape)
			}
		case name == w.shape.thread && name != "":
			at := w.value(false)
			w.r.Continues = w.r.Continues || w.err == nil && at.Holds(w.raw, "type", "continue")
		case name == "prompt_cache_retention" || name == "prompt_cache_options":
			w.r.Kept = max(w.r.Kept, keptBy(w.checked(func() []byte { return w.value(false).of(w.raw) })))
		case slices.Contains(w.shape.head, name):
			w.part(name)
		case name == "model" && w.peek() == '"':
			w.r.Model = unquote(w.checked(w.text))
		case name == "stream":
			w.r.Stream = string(w.value(false).of(w.raw)) == "true"
		default:
			w.checked(func() []byte { return w.value(false).of(w.raw) })
		}
	})
}

// keptBy is how long a member of a request asks OpenAI's cache to live; 0 where that is as
// long as without.
func keptBy(value []byte) time.Duration {
	switch {
	case string(value) == `"24h"`:
		return 24 * time.Hour
	case Span{To: len(value)}.Holds(value, "ttl", "12h"):
		return 12 * time.Hour
	}
	return 0
}

// checked passes over something and makes sure that it is UTF-8.
func (w *walk) checked(pass func() []byte) []byte {
	raw := pass()
	if w.err == nil && !utf8.Valid(raw) {
		w.fail(errSyntax)
	}
	return raw
}

// part passes over a member of the head, unread if it is as it was.
func (w *walk) part(name string) {
	if _, twice := w.head.find(name); twice {
		w.fail(errTwice)
		return
	}
	w.peek()
	p := part{name: name, at: Span{From: w.at}}
	if was, ok := w.before.find(name); ok {
		if end := w.at + was.at.To - was.at.From; end <= len(w.raw) && maphash.Bytes(seed, w.raw[w.at:end]) == was.print {
			w.at, p.at.To, p.print, p.sum = end, end, was.print, was.sum
			w.head.parts = append(w.head.parts, p)
			return
		}
	}
	raw := w.checked(func() []byte { return w.value(false).of(w.raw) })
	p.at.To, p.print = w.at, maphash.Bytes(seed, raw)
	w.head.parts = append(w.head.parts, p)
}

// billing is how a text of Claude Code's system prompt begins that is another in each request: it
// is for the vendor's accounts, and neither the model nor its cache sees it.
const billing = "x-anthropic-billing-header:"

// sumHead sums the head, of which nothing is read that is as it was.
func (w *walk) sumHead() {
	slices.SortFunc(w.head.parts, func(a, b part) int {
		return slices.Index(w.shape.head, a.name) - slices.Index(w.shape.head, b.name)
	})
	var all []byte
	for i := range w.head.parts {
		p := &w.head.parts[i]
		if p.sum == (Sum{}) {
			s := scanner{raw: w.raw, keep: true, at: p.at.From}
			s.value(true)
			if from := bytes.Index(s.out, []byte(`"`+billing)); from >= 0 {
				if n := bytes.IndexByte(s.out[from+1:], '"'); n >= 0 {
					s.out = slices.Delete(s.out, from+1, from+1+n)
				}
			}
			p.sum = sumOf(s.out)
		}
		all = append(append(append(all, p.name...), 0), p.sum[:]...)
	}
	w.r.Head = sumOf(all)
}

func sumOf(data []byte) (sum Sum) {
	full := sha256.Sum256(data)
	copy(sum[:], full[:])
	return sum
}

// messages walks over the messages.
func (w *walk) messages() {
	c := w.peek()
	if c == '"' && w.shape.alone {
		w.alone()
		return
	}
	if c != '[' {
		w.fail(errShape)
		return
	}
	w.r.First = w.at + 1
	w.r.Messages = make([]Message, 0, len(w.known)+4)
	same := true
	var read []int
	w.list('[', ']', func() {
		i := len(w.r.Messages)
		w.peek()
		m, unread := w.unread(i)
		if !unread {
			m = w.message()
			read = append(read, i)
		}
		if same = same && unread; same {
			w.r.Same++
		}
		w.r.Messages = append(w.r.Messages, m)
	})
	if w.r.End = w.at - 1; w.err != nil {
		return
	}
	w.sum(read)
	for i := range w.r.Messages {
		m := &w.r.Messages[i]
		m.Chain = w.chain(i, m)
	}
}

// alone reads a text that stands in the place of the messages.
func (w *walk) alone() {
	m := Message{From: w.at}
	raw := w.checked(w.text)
	m.To, m.Sum, m.Print = w.at, sumOf(raw), maphash.Bytes(seed, raw)
	m.Chain = w.chain(0, &m)
	w.r.First, w.r.End, w.r.Messages = m.From, m.To, []Message{m}
}

// unread gives a message that stood at its index before, with the very bytes.
func (w *walk) unread(i int) (m Message, ok bool) {
	if i >= len(w.known) {
		return m, false
	}
	m = w.known[i]
	end := w.at + m.To - m.From
	if end > len(w.raw) || maphash.Bytes(seed, w.raw[w.at:end]) != m.Print {
		return m, false
	}
	m.From, m.To, m.head = w.at, end, nil
	w.at = end
	return m, true
}

// message walks over a message, and sums it unless it came as it is summed.
func (w *walk) message() Message {
	if w.peek() != '{' {
		w.fail(errShape)
		return Message{}
	}
	m := Message{From: w.at}
	w.loose, w.marked = false, false
	role, kind := w.fields()
	m.To, m.Model, m.Marked = w.at, w.shape.model(role, kind), w.marked
	if w.err == nil && w.loose {
		w.at, w.keep, w.out = m.From, true, slices.Grow(w.out[:0], m.To-m.From)
		_, _ = w.fields()
		w.keep = false
		m.Sum = sumOf(w.out)
	}
	return m
}

// fields walks over the members of a message.
func (w *walk) fields() (role, kind string) {
	w.members(true, func(name []byte) {
		switch string(name) {
		case `"role"`, `"type"`:
			value := w.value(false)
			if string(name) == `"role"` {
				role = value.text(w.raw)
			} else {
				kind = value.text(w.raw)
			}
		case `"content"`:
			if w.shape.text && w.peek() == '"' {
				w.write(`[{"type":"text","text":`)
				w.value(false)
				w.write(`}]`)
				return
			}
			w.value(true)
		default:
			w.value(false)
		}
	})
	return role, kind
}

// sideBySide is how many bytes of messages are summed by two goroutines.
const sideBySide = 256 << 10

// sum makes the sums of messages that were read, which is most of what a scan takes.
func (w *walk) sum(read []int) {
	size := func(list []int) (n int) {
		for _, i := range list {
			n += w.r.Messages[i].To - w.r.Messages[i].From
		}
		return n
	}
	all := size(read)
	if all < sideBySide {
		if !w.summed(read) {
			w.fail(errSyntax)
		}
		return
	}
	half := sort.Search(len(read), func(n int) bool { return size(read[:n]) >= all/2 })
	first, rest := true, true
	pair.Run(func() { first = w.summed(read[:half]) }, func() { rest = w.summed(read[half:]) })
	if !first || !rest {
		w.fail(errSyntax)
	}
}

// summed makes the sums of some messages, and tells whether all of them are UTF-8.
func (w *walk) summed(read []int) (valid bool) {
	valid = true
	for _, i := range read {
		m := &w.r.Messages[i]
		raw := w.raw[m.From:m.To]
		if m.Sum == (Sum{}) {
			m.Sum = sumOf(raw)
		}
		m.Print = maphash.Bytes(seed, raw)
		valid = valid && utf8.Valid(raw)
	}
	return valid
}

// chain gives the sum of a message and all before it.
func (w *walk) chain(i int, m *Message) Sum {
	var before Sum
	if i > 0 {
		before = w.r.Messages[i-1].Chain
	}
	if i < len(w.known) && w.known[i].Sum == m.Sum && (i == 0 || w.known[i-1].Chain == before) {
		return w.known[i].Chain
	}
	return sumOf(append(before[:], m.Sum[:]...))
}
