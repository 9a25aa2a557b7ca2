package eval

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/summary"
)

// A HeldOutCell is what one strategy's plan came to that was prepared at a cut and
// held against the requests after it (live V4).
type HeldOutCell struct {
	Policy string `json:"policy"`
	Cut    int    `json:"cut"`
	// Used is how many names those requests had from the prefix, Lost how many of
	// them the prepared plan hides, Left how many the plan that was made again does.
	Used int `json:"used"`
	Lost int `json:"lost"`
	Left int `json:"left"`
	// Prepared and Committed are the tokens of the two views.
	Prepared  int `json:"tokens_prepared"`
	Committed int `json:"tokens_committed"`
	// Early is the CUR of what those requests use first, Late that of what the
	// requests after them do, as far as the main horizon reaches.
	Early Change `json:"cur_early"`
	Late  Change `json:"cur_late"`
}

// A Change is a share with the plan as it was prepared, and as it was committed.
type Change struct {
	Prepared  Share `json:"prepared"`
	Committed Share `json:"committed"`
}

// HeldOut holds the plans of all strategies against later requests, at each
// cut after which there are so many.
func (s *Session) HeldOut(ctx context.Context, o Options) ([]HeldOutCell, error) {
	var cells []HeldOutCell
	for _, percent := range o.Cuts {
		c, err := s.Cut(percent)
		if errors.Is(err, ErrShort) || err == nil && c.last+o.HeldOut >= s.requests {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range o.Policies {
			if p.baseline || len(p.strategies) == 0 {
				continue
			}
			cell, err := c.heldOut(ctx, p, o.HeldOut, o.Main())
			if err != nil {
				return nil, fmt.Errorf("policy %s: %w", p.text, err)
			}
			cells = append(cells, cell)
		}
	}
	return cells, nil
}

func (c *Cut) heldOut(ctx context.Context, p Policy, requests, horizon int) (HeldOutCell, error) {
	cell := HeldOutCell{Policy: p.text, Cut: c.percent}
	r, ok := whole(c)
	if !ok {
		return cell, nil
	}
	o := strategy.Options{Range: r, Source: "lab", Summarizer: summary.Digest{}, Index: c.index}
	prepared, err := strategy.Pipeline(p.strategies).Plan(ctx, c.projection, o)
	if err != nil {
		return cell, err
	}
	committed, held, err := session.Hold(prepared, c.after(requests), func(needed []strategy.Needed) (strategy.Plan, error) {
		with := o
		with.Needed = needed
		return strategy.Pipeline(p.strategies).Plan(ctx, c.projection, with)
	})
	if err != nil {
		return cell, err
	}
	cell.Used, cell.Lost, cell.Left = held.Used, len(held.Lost), len(held.Left)
	before, after := c.ViewOf(prepared.View()), c.ViewOf(committed.View())
	cell.Prepared, cell.Committed = before.Tokens, after.Tokens
	cell.Early.Prepared, cell.Late.Prepared = c.split(before, requests, horizon)
	cell.Early.Committed, cell.Late.Committed = c.split(after, requests, horizon)
	return cell, nil
}

// after is the conversation so many requests after the cut.
func (c *Cut) after(requests int) *tenfold.Projection {
	l := tenfold.NewLog(tenfold.WithCounter(c.log.Counter()))
	for e := range c.log.Entries() {
		_, _ = l.Append(e)
	}
	s := c.session
	for i := range s.entries {
		if n := s.entries[i].request; n > c.last && n <= c.last+requests {
			e, _ := s.log.Entry(s.entries[i].seq)
			_, _ = l.Append(e)
		}
	}
	return tenfold.Project(l)
}

// split is the CUR of what the first requests after the cut use first, and of what
// the others within the horizon do.
func (c *Cut) split(v *View, requests, horizon int) (early, late Share) {
	for i, st := range c.find(v) {
		switch k := &c.carried[i]; {
		case k.after <= requests:
			early.add(k.weight, st.readable)
		case k.within(horizon):
			late.add(k.weight, st.readable)
		}
	}
	return early, late
}

// A HeldOutRow joins the cells of one policy.
type HeldOutRow struct {
	Policy string `json:"policy"`
	// Cuts is how many plans were held against later requests, Found in how many
	// of them something was lost; Used, Lost and Left count names over all.
	Cuts  int `json:"cuts"`
	Found int `json:"found"`
	Used  int `json:"used"`
	Lost  int `json:"lost"`
	Left  int `json:"left"`
	// Growth is how much larger the committed view is than the prepared one, over
	// the cuts where something was lost.
	Growth Estimate `json:"growth"`
	// The four CURs, over those cuts too: [HeldOutCell].
	EarlyPrepared  Estimate `json:"cur_early_prepared"`
	EarlyCommitted Estimate `json:"cur_early_committed"`
	LatePrepared   Estimate `json:"cur_late_prepared"`
	LateCommitted  Estimate `json:"cur_late_committed"`
}

// heldOut joins the cells of each policy that has any.
func (r *Result) heldOut() []HeldOutRow {
	var rows []HeldOutRow
	for _, p := range r.Options.Policies {
		row := HeldOutRow{Policy: p.text}
		for i := range r.Sessions {
			for _, c := range r.Sessions[i].HeldOut {
				if c.Policy == p.text {
					row.Cuts++
					row.Used, row.Lost, row.Left = row.Used+c.Used, row.Lost+c.Lost, row.Left+c.Left
					if c.Lost > 0 {
						row.Found++
					}
				}
			}
		}
		if row.Cuts == 0 {
			continue
		}
		figure := func(of func(HeldOutCell) Share) Estimate { return estimate(r.heldOutSamples(p.text, of)) }
		row.Growth = figure(func(c HeldOutCell) Share { return Share{float64(c.Committed), float64(c.Prepared)} })
		row.EarlyPrepared = figure(func(c HeldOutCell) Share { return c.Early.Prepared })
		row.EarlyCommitted = figure(func(c HeldOutCell) Share { return c.Early.Committed })
		row.LatePrepared = figure(func(c HeldOutCell) Share { return c.Late.Prepared })
		row.LateCommitted = figure(func(c HeldOutCell) Share { return c.Late.Committed })
		rows = append(rows, row)
	}
	return rows
}

// heldOutSamples gives a policy's figure of each session that has it, over the
// cuts where something was lost.
func (r *Result) heldOutSamples(policy string, of func(HeldOutCell) Share) []sample {
	var out []sample
	for i := range r.Sessions {
		var values []float64
		for _, c := range r.Sessions[i].HeldOut {
			if v, ok := of(c).Value(); ok && c.Policy == policy && c.Lost > 0 {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			out = append(out, sample{r.Sessions[i].Source, mean(values)})
		}
	}
	return out
}

// heldOutTable is what holding plans against later requests found and gave.
func (r *Result) heldOutTable(s Summary) Table {
	n := strconv.Itoa(r.Options.HeldOut)
	t := Table{
		Title: "Held-out commit after " + n + " requests",
		About: "Plans prepared at the cut, and held against the " + n + " requests after it. found: plans that hide names which those requests had from the prefix. lost: " +
			"such names, of all that they had from it; left: those that the plan made again still hides. size: its view over that of the prepared one. early: CUR of what those " +
			"requests use, as prepared → as committed; late: of what the requests after them use. The last three are over the plans in which something was found.",
		Columns: []string{"found", "lost", "left", "size", "early", "late"},
	}
	for _, row := range s.HeldOut {
		t.Rows = append(t.Rows, TableRow{row.Policy, []string{
			fmt.Sprintf("%d/%d", row.Found, row.Cuts), fmt.Sprintf("%d/%d", row.Lost, row.Used), strconv.Itoa(row.Left), decimal(row.Growth),
			decimal(row.EarlyPrepared) + " → " + decimal(row.EarlyCommitted), decimal(row.LatePrepared) + " → " + decimal(row.LateCommitted),
		}})
	}
	return t
}
