package keeper

import (
	"reflect"
	"slices"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// A sketch is what can be drawn of a prefix before the request is there that begins the
// epoch: all but the answer that this one brings back. The prefix made of it is, byte
// for byte, what would be drawn without it.
type sketch struct {
	epoch string
	chain wire.Sum  // what the messages are
	seqs  [][]int64 // and their entries
	now   string    // the text of their base
	// bytes are the messages in the view, made of these items.
	bytes []byte
	items []tenfold.Item
	// least is the prefix where all that follows stays as it comes, made of these.
	least      *frozen
	leastItems []tenfold.Item
}

// sketch draws a history whose newest request is the drawing's; nil where what follows
// may change how it ends.
func (d *drawing) sketch(epoch string) (*sketch, error) {
	n := len(d.pieces)
	if n == 0 || n < len(d.r.Messages) {
		return nil, nil
	}
	items, _, ok := d.split(d.upto(n), n)
	if !ok {
		return nil, nil
	}
	k := &sketch{epoch: epoch, chain: d.r.Messages[n-1].Chain, seqs: slices.Clone(d.s.seqs), now: d.s.now, items: items}
	var err error
	if k.bytes, err = d.w.Edit(d.r, n, d.pieces, items); err != nil {
		return nil, err
	}
	if k.least, err = d.frozen(); err != nil {
		return nil, err
	}
	if k.least != nil {
		k.leastItems = d.upto(k.least.upto)
	}
	return k, nil
}

// of gives the sketch where it is one of an epoch and of what a request begins with.
func (k *sketch) of(epoch string, r *wire.Request, s *story) *sketch {
	if k == nil || k.epoch != epoch || k.now != s.now {
		return nil
	}
	n := len(k.seqs)
	if n > min(len(r.Messages), len(s.seqs)) || r.Messages[n-1].Chain != k.chain || !slices.EqualFunc(k.seqs, s.seqs[:n], slices.Equal) {
		return nil
	}
	return k
}

// split parts items of a prefix into those of the first n messages and the rest. It is
// false where the two cannot be drawn one after the other: the first must end with a
// message of the client's, and the rest begin with one of the model's.
func (d *drawing) split(prefix []tenfold.Item, n int) (first, rest []tenfold.Item, ok bool) {
	logged := slices.IndexFunc(prefix, func(it tenfold.Item) bool { return it.Seq >= unlogged }) // those stand at the end
	if logged < 0 {
		logged = len(prefix)
	}
	k := slices.IndexFunc(prefix[:logged], func(it tenfold.Item) bool { return it.Seq != 0 && d.at[it.Seq] >= n })
	if k < 0 {
		k = logged
	}
	first, rest = slices.Clone(prefix[:k]), slices.Clone(prefix[k:logged])
	for _, it := range prefix[logged:] {
		if d.at[it.Seq] < n {
			first = append(first, it)
		} else {
			rest = append(rest, it)
		}
	}
	ends := k > 0 && prefix[k-1].Seq != 0 && d.at[prefix[k-1].Seq] == n-1 && !d.r.Messages[n-1].Model
	begins := len(rest) == 0 || rest[0].Seq != 0 && d.at[rest[0].Seq] == n && d.r.Messages[n].Model
	return first, rest, ends && begins && (logged == len(prefix) || prefix[logged-1].Seq != 0)
}

// edit gives the bytes of the prefix that is made of items.
func (d *drawing) edit(upto int, prefix []tenfold.Item) ([]byte, error) {
	if d.known == nil {
		return d.w.Edit(d.r, upto, d.pieces[:upto], prefix)
	}
	k, n := d.known, len(d.known.seqs)
	if k.least != nil && k.least.upto == upto && slices.EqualFunc(prefix, k.leastItems, shownAlike) {
		return k.least.bytes, nil
	}
	if upto > n {
		if first, rest, ok := d.split(prefix, n); ok && slices.EqualFunc(first, k.items, shownAlike) {
			if len(rest) == 0 {
				return k.bytes, nil // what of the answer is changed was but thought
			}
			behind := *d.r
			behind.Messages = d.r.Messages[n:]
			tail, err := d.w.Edit(&behind, upto-n, d.pieces[n:upto], rest)
			return slices.Concat(k.bytes, []byte{','}, tail), err
		}
	}
	return d.w.Edit(d.r, upto, d.pieces[:upto], prefix)
}

// shownAlike tells whether two items of an epoch show the same.
func shownAlike(a, b tenfold.Item) bool {
	return a.Seq == b.Seq && a.ID == b.ID && a.Added == b.Added && a.Fate == b.Fate && a.Noted == b.Noted && a.Tokens == b.Tokens &&
		(a.Seq != 0 && !a.Noted || reflect.DeepEqual(a.Payload, b.Payload))
}
