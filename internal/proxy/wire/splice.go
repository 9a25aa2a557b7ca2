package wire

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"tenfold"
)

// A patch puts a text in the place of a range of a body.
type patch struct {
	Span
	text []byte
}

// patched gives the range of a body with patches in it, which are in order and do
// not meet.
func patched(body []byte, at Span, patches []patch) []byte {
	if len(patches) == 0 {
		return at.of(body)
	}
	n := at.To - at.From
	for _, p := range patches {
		n += len(p.text) - (p.To - p.From)
	}
	return appendPatched(make([]byte, 0, n), body, at, patches)
}

func appendPatched(out, body []byte, at Span, patches []patch) []byte {
	from := at.From
	for _, p := range patches {
		out = append(append(out, body[from:p.From]...), p.text...)
		from = p.To
	}
	return append(out, body[from:at.To]...)
}

// without gives patches that take elements out of a list or members out of an
// object, each with a comma beside it.
func without(list []Span, gone func(i int) bool) (patches []patch) {
	stays := false
	for i, at := range list {
		switch {
		case !gone(i):
			stays = true
			continue
		case stays:
			at.From = list[i-1].To
		case i+1 < len(list):
			at.To = list[i+1].From
		}
		patches = append(patches, patch{Span: at})
	}
	return patches
}

// joined gives the elements of a list.
func joined(elements [][]byte) []byte { return bytes.Join(elements, []byte(",")) }

// With gives the body with other bytes in the place of the messages before upto, as
// [Protocol.Edit] gives them.
func (r *Request) With(prefix []byte, upto int) []byte {
	rest := r.Body[r.End:]
	if upto < len(r.Messages) {
		rest = r.Body[r.Messages[upto].From:]
	}
	out := make([]byte, 0, r.First+len(prefix)+1+len(rest))
	out = append(append(out, r.Body[:r.First]...), prefix...)
	if len(prefix) > 0 && upto < len(r.Messages) {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// Check tells whether bytes can stand in the place of messages: some, with the commas
// between them, or none. All else of a request is as a scan found it.
func Check(messages []byte) error {
	s := scanner{raw: messages}
	for s.peek() == '{' {
		s.value(false)
		if s.peek() != ',' {
			break
		}
		if s.at++; s.peek() != '{' {
			s.fail(errShape)
		}
	}
	switch {
	case s.err != nil:
		return s.err
	case s.at < len(messages):
		return errShape
	case !utf8.Valid(messages):
		return errSyntax
	}
	return nil
}

// fate is what became of a piece: what of it is shown, nil where nothing is, and
// what the projection put in before it.
type fate struct {
	shown *tenfold.Item
	added []tenfold.Payload
}

// fates holds a projection's items against the pieces they are made of. Last is
// what stands after the last of them. A placeholder is not put in: a client that
// sends a call without its result knows best.
func fates(pieces [][]Piece, shown []tenfold.Item) (list [][]fate, last []tenfold.Payload) {
	type place struct{ message, piece int }
	n := 0
	for i := range pieces {
		n += len(pieces[i])
	}
	at, end, all := make(map[int64]place, n), int64(0), make([]fate, n)
	list = make([][]fate, len(pieces))
	for i := range pieces {
		n = len(pieces[i])
		list[i], all = all[:n:n], all[n:]
		for j := range pieces[i] {
			if seq := pieces[i][j].Entry.Seq; seq > 0 {
				at[seq], end = place{i, j}, max(end, seq)
			}
		}
	}
	var added []tenfold.Payload
	for i := range shown {
		it := &shown[i]
		if it.Seq == 0 {
			if it.Added != tenfold.AddedPlaceholder {
				added = append(added, it.Payload)
			}
			continue
		}
		if p, ok := at[it.Seq]; ok {
			list[p.message][p.piece] = fate{it, added}
			added = nil
		} else if it.Seq > end && it.Payload.Kind() != tenfold.KindToolResult {
			break
		}
	}
	return list, added
}

// changed reports whether an item may say something else than its entry.
func (f *fate) changed() bool { return f.shown.Fate != tenfold.Kept || f.shown.Noted }

// A slot is a part of what is shown: the old one of that index, the old one with
// another text, or, with old -1, a new text.
type slot struct {
	old  int
	text string
	same bool
}

// align finds the parts of a message or result in what is shown of it. What stays
// keeps its place; a text that is shortened takes that of one that is gone.
func align(old, now []tenfold.Part) (slots []slot) {
	next := 0 // of the old parts
	var fresh []string
	settle := func(end int) { // the new texts, before the old part of that index
		var texts []int
		for ; next < end; next++ {
			if old[next].File == nil {
				texts = append(texts, next)
			}
		}
		for i, text := range fresh {
			s := slot{old: -1, text: text}
			if left := len(fresh) - i; left <= len(texts) {
				s.old, texts = texts[0], texts[1:]
			}
			slots = append(slots, s)
		}
		fresh = nil
	}
	for _, p := range now {
		i := slices.IndexFunc(old[next:], func(o tenfold.Part) bool { return samePart(o, p) })
		switch {
		case i >= 0:
			at := next + i
			settle(at)
			slots = append(slots, slot{old: at, same: true})
			next = at + 1
		case p.File == nil && !tenfold.Blank(p.Text):
			fresh = append(fresh, p.Text)
		}
	}
	settle(len(old))
	return slots
}

func samePart(a, b tenfold.Part) bool {
	if a.File == nil || b.File == nil {
		return a.File == b.File && a.Text == b.Text
	}
	return *a.File == *b.File
}
