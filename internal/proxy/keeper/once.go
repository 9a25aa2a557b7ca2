package keeper

import (
	"slices"

	"tenfold/internal/proxy/wire"
)

// once is a protocol that reads each message of a request once, however often it is asked:
// what a job stores it finds again in the log, and draws.
type once struct {
	wire.Protocol
	of   *wire.Request
	read [][]wire.Piece
}

// Read implements [wire.Protocol]. Whoever asks may change the pieces, not their places.
func (o *once) Read(r *wire.Request, i int) ([]wire.Piece, error) {
	if r != o.of {
		return o.Protocol.Read(r, i)
	}
	if o.read[i] == nil {
		pieces, err := o.Protocol.Read(r, i)
		if err != nil {
			return nil, err
		}
		o.read[i] = pieces
	}
	return slices.Clone(o.read[i]), nil
}

// wire is the protocol of a request, for the job under way.
func (t *thread) wire(ex *exchange) wire.Protocol {
	c := &t.log
	if c.once == nil || c.once.of != ex.r {
		c.once = &once{ex.in.Protocol, ex.r, make([][]wire.Piece, len(ex.r.Messages))}
	}
	return c.once
}
