package cli

import (
	"math"

	"tenfold/eval"
)

// The lines of "lab --json": one for each session that was measured, then the
// failures, then the summary. A share that there is none of is null.

type labSessionJSON struct {
	Transcript   string         `json:"transcript"`
	Conversation string         `json:"conversation"`
	Source       string         `json:"source"`
	Format       string         `json:"format"`
	Requests     int            `json:"requests"`
	Tokens       int            `json:"tokens"`
	Skipped      string         `json:"skipped,omitzero"`
	Cells        []labCellJSON  `json:"cells,omitzero"`
	Money        []labPriceJSON `json:"money,omitzero"`
}

// labPriceJSON is what the input costs, in US dollars: without compaction, as
// the session's tool compacted, and with the policy, fired by the default rule.
type labPriceJSON struct {
	Policy    string  `json:"policy"`
	Model     string  `json:"model"`
	Priced    bool    `json:"priced"`
	None      float64 `json:"none"`
	Own       float64 `json:"own"`
	Rule      float64 `json:"rule"`
	Firings   int     `json:"firings"`
	BreakEven int     `json:"break_even,omitzero"`
}

type labSpendingJSON struct {
	Policy    string  `json:"policy"`
	Model     string  `json:"model,omitzero"`
	Sessions  int     `json:"sessions"`
	Unpriced  int     `json:"unpriced"`
	None      float64 `json:"none"`
	Own       float64 `json:"own"`
	Rule      float64 `json:"rule"`
	Firings   int     `json:"firings"`
	Dearer    int     `json:"dearer"`
	BreakEven int     `json:"break_even,omitzero"`
}

type labCellJSON struct {
	Policy     string          `json:"policy"`
	Cut        int             `json:"cut"`
	Tokens     tokensPairJSON  `json:"tokens"`
	Kept       *float64        `json:"kept"`
	Recall     []labRecallJSON `json:"recall"`
	Density    *float64        `json:"density"`
	User       *float64        `json:"user_verbatim"`
	Trail      *float64        `json:"artifact_trail"`
	Stale      *float64        `json:"stale"`
	Violations *int            `json:"violations"`
	Problem    string          `json:"problem,omitzero"`
	Notes      []string        `json:"notes,omitzero"`
	Lost       []labLostJSON   `json:"lost,omitzero"`
}

type tokensPairJSON struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

type labRecallJSON struct {
	// Horizon is 0 for all requests after the cut.
	Horizon    int      `json:"horizon"`
	Carried    int      `json:"carried"`
	Presence   *float64 `json:"presence"`
	CUR        *float64 `json:"cur"`
	Strict     *float64 `json:"cur_strict"`
	ResultOnly *float64 `json:"cur_result_only"`
}

type labLostJSON struct {
	Atom       string  `json:"atom"`
	After      int     `json:"after"`
	Weight     float64 `json:"weight"`
	Present    bool    `json:"present"`
	ResultOnly bool    `json:"result_only"`
}

type labSummaryJSON struct {
	Sessions int               `json:"sessions"`
	Sources  int               `json:"sources"`
	Cuts     int               `json:"cuts"`
	Skipped  int               `json:"skipped"`
	Failed   int               `json:"failed"`
	Excluded []string          `json:"excluded_sources"`
	Groups   []labGroupJSON    `json:"groups"`
	Equal    []labEqualJSON    `json:"equal_recall"`
	Worst    []labCaseJSON     `json:"worst"`
	Money    []labSpendingJSON `json:"money"`
}

type labGroupJSON struct {
	By   string       `json:"by"`
	Name string       `json:"name"`
	Rows []labRowJSON `json:"rows"`
}

type labRowJSON struct {
	Policy     string       `json:"policy"`
	Horizon    int          `json:"horizon"`
	Kept       *labMeanJSON `json:"kept"`
	Presence   *labMeanJSON `json:"presence"`
	CUR        *labMeanJSON `json:"cur"`
	Strict     *labMeanJSON `json:"cur_strict"`
	ResultOnly *labMeanJSON `json:"cur_result_only"`
	Density    *labMeanJSON `json:"density"`
	User       *labMeanJSON `json:"user_verbatim"`
	Trail      *labMeanJSON `json:"artifact_trail"`
	Stale      *labMeanJSON `json:"stale"`
	Violations *int         `json:"violations"`
}

type labMeanJSON struct {
	Mean     float64 `json:"mean"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	P10      float64 `json:"p10"`
	Sessions int     `json:"sessions"`
	Sources  int     `json:"sources"`
}

type labEqualJSON struct {
	Family  string  `json:"family"`
	Policy  string  `json:"policy"`
	Horizon int     `json:"horizon"`
	CUR     float64 `json:"cur"`
	Kept    float64 `json:"kept"`
	Other   float64 `json:"other_kept"`
}

type labCaseJSON struct {
	Transcript   string  `json:"transcript"`
	Conversation string  `json:"conversation"`
	Policy       string  `json:"policy"`
	Cut          int     `json:"cut"`
	Horizon      int     `json:"horizon"`
	Kept         float64 `json:"kept"`
	CUR          float64 `json:"cur"`
	Command      string  `json:"command"`
}

// printJSON prints the results of a run as JSON.
func (k *lab) printJSON(r *eval.Result, s eval.Summary) error {
	for i := range r.Sessions {
		one := &r.Sessions[i]
		if one.Skipped != "" && len(r.Sessions) > 1 {
			continue // the summary counts them
		}
		if err := k.Emit(sessionJSON(one, len(r.Sessions) == 1)); err != nil {
			return err
		}
	}
	return k.Emit(map[string]labSummaryJSON{"summary": k.summaryJSON(r, s)})
}

func sessionJSON(one *eval.SessionResult, lost bool) labSessionJSON {
	out := labSessionJSON{
		Transcript: one.Name, Conversation: one.Conversation, Source: one.Source, Format: string(one.Format),
		Requests: one.Requests, Tokens: one.Tokens, Skipped: one.Skipped,
	}
	for _, c := range one.Cells {
		cell := labCellJSON{
			Policy: c.Policy, Cut: c.Cut, Tokens: tokensPairJSON{c.Before, c.After}, Kept: shareJSON(c.Kept),
			Density: shareJSON(c.Density), User: shareJSON(c.User), Trail: shareJSON(c.Trail), Stale: shareJSON(c.Stale),
			Violations: checkedJSON(c.Violations), Problem: c.Problem, Notes: c.Notes,
		}
		for _, h := range c.Recalls {
			cell.Recall = append(cell.Recall, labRecallJSON{
				h.Horizon, h.Carried, shareJSON(h.Presence), shareJSON(h.CUR), shareJSON(h.Strict), shareJSON(h.ResultOnly),
			})
		}
		for _, l := range c.Lost {
			if lost {
				cell.Lost = append(cell.Lost, labLostJSON{l.Atom, l.After, rounded(l.Weight), l.Present, l.ResultOnly})
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	for _, p := range one.Priced {
		r := p.Result
		out.Money = append(out.Money, labPriceJSON{
			p.Policy, r.Model, !p.Unknown, rounded(r.None.Dollars), rounded(r.Own.Dollars), rounded(r.Rule.Dollars), r.Rule.Firings, r.Rule.BreakEven,
		})
	}
	return out
}

func (k *lab) summaryJSON(r *eval.Result, s eval.Summary) labSummaryJSON {
	out := labSummaryJSON{
		Sessions: s.Sessions, Sources: s.Sources, Cuts: s.Cuts, Skipped: s.Skipped, Failed: len(r.Failures),
		Excluded: append([]string{}, k.exclude...), Equal: []labEqualJSON{}, Worst: []labCaseJSON{}, Money: []labSpendingJSON{},
	}
	for _, g := range s.Groups {
		group := labGroupJSON{By: g.By, Name: g.Name}
		for _, w := range g.Rows {
			group.Rows = append(group.Rows, labRowJSON{
				Policy: w.Policy, Horizon: w.Horizon, Kept: meanJSON(w.Kept), Presence: meanJSON(w.Presence), CUR: meanJSON(w.CUR),
				Strict: meanJSON(w.Strict), ResultOnly: meanJSON(w.ResultOnly), Density: meanJSON(w.Density), User: meanJSON(w.User),
				Trail: meanJSON(w.Trail), Stale: meanJSON(w.Stale), Violations: checkedJSON(w.Violations),
			})
		}
		out.Groups = append(out.Groups, group)
	}
	for _, e := range s.Equals {
		out.Equal = append(out.Equal, labEqualJSON{e.Family, e.Policy, e.Horizon, rounded(e.CUR), rounded(e.Kept), rounded(e.Other)})
	}
	for _, sp := range s.Spending {
		out.Money = append(out.Money, labSpendingJSON{
			sp.Policy, sp.Asked, sp.Sessions, sp.Unknown, rounded(sp.None), rounded(sp.Own), rounded(sp.Rule), sp.Firings, sp.Dearer, sp.BreakEven,
		})
	}
	for _, c := range s.Worst {
		out.Worst = append(out.Worst, labCaseJSON{
			c.Name, c.Conversation, c.Policy, c.Cut, c.Horizon, rounded(c.Kept), rounded(c.CUR), c.Command(),
		})
	}
	return out
}

func shareJSON(s eval.Share) *float64 {
	v, ok := s.Value()
	if !ok {
		return nil
	}
	return new(rounded(v))
}

func meanJSON(e eval.Estimate) *labMeanJSON {
	if !e.OK() {
		return nil
	}
	return &labMeanJSON{rounded(e.Mean), rounded(e.Low), rounded(e.High), rounded(e.P10), e.Sessions, e.Sources}
}

func checkedJSON(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// rounded leaves six digits: beyond them sums differ between processors.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }
