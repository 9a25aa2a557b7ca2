package cli

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/eval"
	"tenfold/internal/cli/terminal"
)

// The lines of "lab --json": one for each session that was measured, then the
// summary. A share of nothing is null.

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

// labSpendingJSON is an [eval.Spending].
type labSpendingJSON struct {
	Policy    string  `json:"policy"`
	Asked     string  `json:"model,omitzero"`
	Sessions  int     `json:"sessions"`
	Unknown   int     `json:"unpriced"`
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
	Kept       eval.Share      `json:"kept"`
	Recall     []labRecallJSON `json:"recall"`
	Density    eval.Share      `json:"density"`
	User       eval.Share      `json:"user_verbatim"`
	Trail      eval.Share      `json:"artifact_trail"`
	Stale      eval.Share      `json:"stale"`
	Violations *int            `json:"violations"`
	Problem    string          `json:"problem,omitzero"`
	Notes      []string        `json:"notes,omitzero"`
	Lost       []labLostJSON   `json:"lost,omitzero"`
}

type tokensPairJSON struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// labRecallJSON is an [eval.Recall].
type labRecallJSON struct {
	// Horizon is 0 for all requests after the cut.
	Horizon    int        `json:"horizon"`
	Carried    int        `json:"carried"`
	Presence   eval.Share `json:"presence"`
	CUR        eval.Share `json:"cur"`
	Strict     eval.Share `json:"cur_strict"`
	ResultOnly eval.Share `json:"cur_result_only"`
	EDR        eval.Share `json:"edr"`
}

// labLostJSON is an [eval.Lost].
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
	Policy     string        `json:"policy"`
	Horizon    int           `json:"horizon"`
	Kept       eval.Estimate `json:"kept"`
	Presence   eval.Estimate `json:"presence"`
	CUR        eval.Estimate `json:"cur"`
	Strict     eval.Estimate `json:"cur_strict"`
	ResultOnly eval.Estimate `json:"cur_result_only"`
	Density    eval.Estimate `json:"density"`
	User       eval.Estimate `json:"user_verbatim"`
	Trail      eval.Estimate `json:"artifact_trail"`
	Stale      eval.Estimate `json:"stale"`
	Violations *int          `json:"violations"`
}

// labMeanJSON is an [eval.Estimate].
type labMeanJSON struct {
	Mean     float64 `json:"mean"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	P10      float64 `json:"p10"`
	Sessions int     `json:"sessions"`
	Sources  int     `json:"sources"`
}

// labEqualJSON is an [eval.Equal].
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

// labMarshalers write shares and estimates as numbers, null where there is none,
// with six digits: beyond them sums differ between processors.
var labMarshalers = json.WithMarshalers(json.JoinMarshalers(
	json.MarshalToFunc(func(out *jsontext.Encoder, v float64) error {
		return out.WriteToken(jsontext.Float(math.Round(v*1e6) / 1e6))
	}),
	json.MarshalToFunc(func(out *jsontext.Encoder, s eval.Share) error {
		v, ok := s.Value()
		if !ok {
			return out.WriteToken(jsontext.Null)
		}
		return json.MarshalEncode(out, v)
	}),
	json.MarshalToFunc(func(out *jsontext.Encoder, e eval.Estimate) error {
		if !e.OK() {
			return out.WriteToken(jsontext.Null)
		}
		return json.MarshalEncode(out, labMeanJSON(e))
	}),
))

// printJSON prints the results of a run as JSON.
func (k *lab) printJSON(r *eval.Result, s eval.Summary) error {
	for i := range r.Sessions {
		one := &r.Sessions[i]
		if one.Skipped != "" && len(r.Sessions) > 1 {
			continue // the summary counts them
		}
		if err := k.emitLab(sessionJSON(one, len(r.Sessions) == 1)); err != nil {
			return err
		}
	}
	return k.emitLab(map[string]labSummaryJSON{"summary": k.summaryJSON(r, s)})
}

func (k *lab) emitLab(v any) error {
	line, err := terminal.MarshalLine(v, labMarshalers)
	if err == nil {
		k.EmitLine(line)
	}
	return err
}

func sessionJSON(one *eval.SessionResult, lost bool) labSessionJSON {
	out := labSessionJSON{
		Transcript: one.Name, Conversation: one.Conversation, Source: one.Source, Format: string(one.Format),
		Requests: one.Requests, Tokens: one.Tokens, Skipped: one.Skipped,
	}
	for _, c := range one.Cells {
		cell := labCellJSON{
			Policy: c.Policy, Cut: c.Cut, Tokens: tokensPairJSON{c.Before, c.After}, Kept: c.Kept, Density: c.Density, User: c.User,
			Trail: c.Trail, Stale: c.Stale, Violations: checkedJSON(c.Violations), Problem: c.Problem, Notes: c.Notes,
		}
		for _, h := range c.Recalls {
			cell.Recall = append(cell.Recall, labRecallJSON(h))
		}
		for _, l := range c.Lost {
			if lost {
				cell.Lost = append(cell.Lost, labLostJSON(l))
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	for _, p := range one.Priced {
		r := p.Result
		out.Money = append(out.Money, labPriceJSON{
			p.Policy, r.Model, !p.Unknown, r.None.Dollars, r.Own.Dollars, r.Rule.Dollars, r.Rule.Firings, r.Rule.BreakEven,
		})
	}
	return out
}

func (k *lab) summaryJSON(r *eval.Result, s eval.Summary) labSummaryJSON {
	out := labSummaryJSON{
		Sessions: s.Sessions, Sources: s.Sources, Cuts: s.Cuts, Skipped: s.Skipped, Failed: len(r.Failures), Excluded: k.exclude,
	}
	for _, g := range s.Groups {
		group := labGroupJSON{By: g.By, Name: g.Name}
		for _, w := range g.Rows {
			group.Rows = append(group.Rows, labRowJSON{
				w.Policy, w.Horizon, w.Kept, w.Presence, w.CUR, w.Strict, w.ResultOnly, w.Density, w.User, w.Trail, w.Stale, checkedJSON(w.Violations),
			})
		}
		out.Groups = append(out.Groups, group)
	}
	for _, e := range s.Equals {
		out.Equal = append(out.Equal, labEqualJSON(e))
	}
	for _, sp := range s.Spending {
		out.Money = append(out.Money, labSpendingJSON(sp))
	}
	for _, c := range s.Worst {
		out.Worst = append(out.Worst, labCaseJSON{c.Name, c.Conversation, c.Policy, c.Cut, c.Horizon, c.Kept, c.CUR, c.Command()})
	}
	return out
}

// checkedJSON is nil if violations were not checked.
func checkedJSON(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}
