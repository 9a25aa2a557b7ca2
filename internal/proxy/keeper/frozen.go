package keeper

import (
	"fmt"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// A frozen prefix is what requests of an epoch begin with, byte for byte, in the
// place of messages of the client's (live X3).
type frozen struct {
	epoch string
	// upto is how many messages it stands for, chain what they are.
	upto  int
	chain wire.Sum
	bytes []byte
	// tokens is about what it takes.
	tokens int
	begun  bool // a request was sent with it
	// requests counts those that it was sent with, misses in how many of them in a
	// row the vendor's cache did not have it (X6).
	requests, misses int
}

// holds tells whether a request begins with the messages that it stands for.
func (f *frozen) holds(r *wire.Request) bool {
	return f != nil && r != nil && f.upto <= len(r.Messages) && r.Messages[f.upto-1].Chain == f.chain
}

// replaced is how many bytes of a request it stands for.
func (f *frozen) replaced(r *wire.Request) int { return r.Messages[f.upto-1].To - r.Messages[0].From }

// splice gives the body of a request with it: the messages behind it are as they
// came.
func (f *frozen) splice(r *wire.Request) []byte { return r.With(f.bytes, f.upto) }

// A drawing puts a projection into a request (X2a).
type drawing struct {
	w      wire.Protocol
	r      *wire.Request
	s      *story
	known  *sketch // of the first messages; nil for none
	pieces [][]wire.Piece
	at     map[int64]int // the message of an entry
	items  []tenfold.Item
	// changed is the last message that is shown otherwise than it came, -1 for none.
	changed int
}

// drawing reads the messages of a story, and holds the projection against them. What a
// sketch of it has drawn is not drawn again.
func (s *story) drawing(w wire.Protocol, r *wire.Request, p *tenfold.Projection, known *sketch) (*drawing, error) {
	n := 0
	for _, list := range s.seqs {
		n += len(list)
	}
	d := &drawing{w: w, r: r, s: s, known: known, pieces: make([][]wire.Piece, len(s.seqs)), at: make(map[int64]int, n)}
	for i := range d.pieces {
		var err error
		if d.pieces[i], err = s.read(w, r, i); err != nil {
			return nil, err
		}
		for _, one := range d.pieces[i] {
			d.at[one.Entry.Seq] = i
		}
	}
	d.items, d.changed = shownOf(p, s, d.pieces, d.at)
	return d, nil
}

// frozen gives the prefix for all messages that are shown otherwise than they came, nil
// where there are none.
func (d *drawing) frozen() (*frozen, error) {
	if d.changed < 0 {
		return nil, nil
	}
	r, upto := d.r, d.changed+1
	prefix := d.upto(upto)
	// Where the last messages of the prefix are gone, two of the client's would
	// stand side by side, or one behind a summary that is a user's: they are joined.
	if upto < len(d.pieces) && !r.Messages[upto].Model && len(prefix) > 0 {
		last := prefix[len(prefix)-1]
		if last.Seq == 0 && last.Payload.Kind() == tenfold.KindUserMessage || last.Seq != 0 && d.at[last.Seq] < upto-1 && !r.Messages[d.at[last.Seq]].Model {
			upto++
			prefix = d.upto(upto)
		}
	}
	f := &frozen{upto: upto, chain: r.Messages[upto-1].Chain}
	for _, it := range prefix {
		f.tokens += it.Tokens
	}
	var err error
	if f.bytes, err = d.edit(upto, prefix); err != nil {
		return nil, err
	}
	if err := wire.Check(f.bytes); err != nil {
		return nil, fmt.Errorf("the edited messages cannot be read: %w", err)
	}
	return f, nil
}

// upto gives the items that are part of the first messages.
func (d *drawing) upto(n int) []tenfold.Item {
	return prefixItems(d.items, func(it tenfold.Item) bool { return d.at[it.Seq] < n })
}

// prefixItems gives the items that are part of the prefix, and what the projection added
// between them or ahead of the rest.
func prefixItems(items []tenfold.Item, inside func(tenfold.Item) bool) (out []tenfold.Item) {
	last, first := -1, len(items)
	for i, it := range items {
		switch {
		case it.Seq == 0 || it.Seq >= unlogged: // those say nothing of the order
		case inside(it):
			last = i
		default:
			first = min(first, i)
		}
	}
	part := func(i int) bool {
		return items[i].Seq == 0 && (i < last || i < first) || items[i].Seq != 0 && inside(items[i])
	}
	n := 0
	for n < len(items) && part(n) {
		n++
	}
	out = items[:n:n] // nearly always all of them
	for i := n; i < len(items); i++ {
		if part(i) {
			out = append(out, items[i])
		}
	}
	return out
}

// shownOf gives the items of a projection that a request can show, and the last
// message that has something which is shown otherwise than it came, or not at all;
// -1 where there is none.
func shownOf(p *tenfold.Projection, s *story, pieces [][]wire.Piece, at map[int64]int) (items []tenfold.Item, changed int) {
	changed = -1
	seen, bound := make(map[int64]bool, len(at)), staleReasoning(p.Log())
	items = make([]tenfold.Item, 0, len(at))
	add := func(it tenfold.Item) {
		m, ok := at[it.Seq]
		switch {
		case it.Seq == 0 && it.Added == tenfold.AddedPlaceholder:
			return // whoever made the request knows better what its vendor wants
		case it.Seq != 0 && !ok:
			return // the client took it out itself
		case bound[it.Seq]:
			words, ok := it.Payload.(tenfold.AssistantMessage)
			if !ok {
				return // it is bound to another view
			}
			words.Signature, it.Fate, changed = "", tenfold.Stripped, max(changed, m)
			it.Payload = words
		case it.Seq != 0 && (it.Fate != tenfold.Kept || it.Noted):
			changed = max(changed, m)
		}
		seen[it.Seq] = true
		items = append(items, it)
	}
	if s.base != nil {
		for _, list := range pieces[:s.base.messages] {
			for _, one := range list {
				add(s.base.item(one.Entry, s.now))
			}
		}
	} else if text := p.Continuation(); text != "" {
		add(tenfold.Item{ID: "continuation", Added: tenfold.AddedSummary, Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: true}})
	}
	ours := s.base != nil // what was added stands in the text of the base
	for it := range p.Items() {
		if ours = ours && (it.Seq == 0 || it.Seq <= s.base.seq); !ours {
			add(it)
		}
	}
	for i, list := range pieces {
		for _, one := range list {
			e := one.Entry
			if e.Seq >= unlogged && !seen[e.Seq] { // it stays as it is
				items = append(items, tenfold.Item{Seq: e.Seq, ID: e.ID, Payload: e.Payload})
			}
			if e.Seq >= unlogged || seen[e.Seq] || !e.Payload.Kind().Visible() {
				continue
			}
			_, by, _ := p.Fate(e.Seq)
			if by != "" || wire.Bound(e.Payload) {
				changed = max(changed, i) // hidden, or bound to what stood before it (B1)
			}
		}
	}
	return items, changed
}
