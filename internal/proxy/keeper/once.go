package keeper

import (
	"slices"

	"tenfold"
	"tenfold/internal/pair"
	"tenfold/internal/proxy/wire"
)

// once is a protocol that reads each message of a history once, however often it is asked
// and in whichever request it comes: what a job stores it finds again in the log, and draws.
type once struct {
	wire.Protocol
	read []readMessage
}

// A readMessage is one with its pieces, at the places where it stood.
type readMessage struct {
	wire.Message
	pieces []wire.Piece
}

// Read implements [wire.Protocol]. Whoever asks may change the pieces, not their places.
func (o *once) Read(r *wire.Request, i int) ([]wire.Piece, error) {
	was, err := o.parse(r, i)
	if err != nil {
		return nil, err
	}
	return placed(was.pieces, r.Messages[i].From-was.From), nil
}

// pieces gives the pieces of a message for whoever looks at what they say alone, and changes
// nothing of them: their places may be those of another request.
func (o *once) pieces(r *wire.Request, i int) ([]wire.Piece, error) {
	was, err := o.parse(r, i)
	if err != nil {
		return nil, err
	}
	return was.pieces, nil
}

// parse reads a message, unless it was.
func (o *once) parse(r *wire.Request, i int) (*readMessage, error) {
	m := r.Messages[i]
	if missing := i + 1 - len(o.read); missing > 0 {
		o.read = append(o.read, make([]readMessage, missing)...)
	}
	was := &o.read[i]
	if was.pieces == nil || was.Print != m.Print || was.Chain != m.Chain {
		pieces, err := o.Protocol.Read(r, i)
		if err != nil {
			return nil, err
		}
		*was = readMessage{m, pieces}
	}
	return was, nil
}

// readAll reads messages before they are asked for, two at once. What cannot be read is for
// whoever asks.
func (o *once) readAll(r *wire.Request, n int) {
	if missing := n - len(o.read); missing > 0 {
		o.read = append(o.read, make([]readMessage, missing)...)
	}
	read := func(from, to int) {
		for i := from; i < to; i++ {
			_, _ = o.parse(r, i)
		}
	}
	pair.Run(func() { read(0, n/2) }, func() { read(n/2, n) })
}

// placed gives pieces of a message that stands so much further on.
func placed(pieces []wire.Piece, further int) []wire.Piece {
	out := slices.Clone(pieces)
	if further == 0 {
		return out
	}
	n := 0
	for i := range out {
		n += len(out[i].At)
	}
	places := make([]wire.Span, 0, n)
	for i := range out {
		first := len(places)
		for _, at := range out[i].At {
			places = append(places, wire.Span{From: at.From + further, To: at.To + further})
		}
		out[i].At = places[first:len(places):len(places)]
	}
	return out
}

// logged has the texts of a message that was read kept once, in the log that has them.
func (o *once) logged(i int, l *tenfold.Log, seqs []int64) {
	for j, seq := range seqs {
		if e, ok := l.Entry(seq); ok {
			o.read[i].pieces[j].Entry.Payload = e.Payload
		}
	}
}

// wire is the protocol of the history. Of messages that a request does not have nothing is
// kept: a client that compacted by itself says them no more.
func (t *thread) wire(ex *exchange) *once {
	c := &t.log
	if c.once == nil {
		c.once = &once{Protocol: ex.in.Protocol}
	}
	if n := len(ex.r.Messages); n < len(c.once.read) {
		c.once.read = slices.Delete(c.once.read, n, len(c.once.read))
	}
	return c.once
}
