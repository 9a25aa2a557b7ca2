package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tenfold/provider"
)

// Options say what to measure.
type Options struct {
	Policies []Policy
	// Cuts are in percent of the requests, Horizons in requests after the cut,
	// [All] among them.
	Cuts, Horizons []int
	// MinRequests leaves out sessions with fewer requests: in a short one a
	// policy that keeps ten results keeps all.
	MinRequests int
	// Unchecked leaves out the provider profiles' checks, which take the most
	// time.
	Unchecked bool
	// Recall asks a search for what each view hides and the requests of the main
	// horizon use: see [Found].
	Recall bool
	// Lost keeps what each view lost, for a run over few sessions.
	Lost bool
	// HeldOut is after how many more requests each strategy's plan is committed
	// (live V4); zero measures nothing of that.
	HeldOut int
	// Live replays each session in these ways, at the same prices.
	Live []LiveWay
	// Money replays each session at the prices of the models named, or of its
	// own where none is.
	Money  bool
	Models []string
	// Prices are those that are known; nil means those of the program.
	Prices provider.Prices
}

// A Cell is what one policy came to at one cut of a session.
type Cell struct {
	Policy string `json:"policy"`
	// Cut is in percent of the requests.
	Cut    int `json:"cut"`
	Tokens `json:"tokens"`
	Score
	// Found is what a search finds of what the view hides; nil where nobody asked.
	Found *Found `json:"found,omitzero"`
	// Notes are what the strategies had to say.
	Notes []string `json:"notes,omitzero"`
}

// Tokens are those of the raw prefix and of the view.
type Tokens struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// A SkipError says why a session is left out. It is not a failure.
type SkipError struct{ Reason string }

// Error implements error.
func (s *SkipError) Error() string { return s.Reason }

// Measure measures the policies on the session: a cell for each cut and
// policy, in that order. Cuts after which nothing is used from memory have
// none. A session that has no cell at all is a [*SkipError].
func (s *Session) Measure(ctx context.Context, o Options) ([]Cell, error) {
	if n := s.Requests(); n < o.MinRequests {
		return nil, &SkipError{fmt.Sprintf("it has %d requests, less than %d", n, o.MinRequests)}
	}
	farthest := slices.Max(append([]int{1}, o.Horizons...))
	if slices.Contains(o.Horizons, All) {
		farthest = All
	}
	var cells []Cell
	short := true
	for _, percent := range o.Cuts {
		c, err := s.Cut(percent)
		if errors.Is(err, ErrShort) {
			continue
		}
		if err != nil {
			return nil, err
		}
		short = false
		if n, _ := c.Carried(farthest); n == 0 {
			continue
		}
		for _, p := range o.Policies {
			cell, err := c.measure(ctx, p, o)
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell)
		}
	}
	switch {
	case short:
		return nil, &SkipError{"it is too short to be cut"}
	case len(cells) == 0:
		return nil, &SkipError{"no tool call uses a name from before a cut that was not shown again"}
	}
	return cells, nil
}

func (c *Cut) measure(ctx context.Context, p Policy, o Options) (Cell, error) {
	if err := ctx.Err(); err != nil {
		return Cell{}, err
	}
	v, err := c.View(ctx, p)
	if err != nil {
		return Cell{}, err
	}
	cell := Cell{
		Policy: p.text, Cut: c.percent, Tokens: Tokens{c.tokens, v.Tokens},
		Score: c.Score(v, o.Horizons...), Notes: v.Notes,
	}
	if o.Recall {
		found, err := c.Found(ctx, v, o.Main())
		if err != nil {
			return Cell{}, err
		}
		cell.Found = &found
	}
	if !o.Lost {
		cell.Lost = nil
	}
	if !o.Unchecked {
		err = v.Check(&cell.Score)
	}
	return cell, err
}
