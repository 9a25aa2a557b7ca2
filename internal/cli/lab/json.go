package lab

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/eval"
	"tenfold/internal/cli/terminal"
)

// The lines of "lab --json": one for each session that was measured, then the
// summary. They are eval's own types; a share of nothing is null, and so is a
// check that was not made.

// labPriceJSON is an [eval.Priced]: what the input costs, in US dollars, without
// compaction, as the session's tool compacted, and with the policy, fired by the
// default rule.
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

// labLiveJSON is an [eval.LivePriced]: what the input costs, in US dollars, as the
// client compacted, and through us.
type labLiveJSON struct {
	Way      string  `json:"way"`
	Model    string  `json:"model"`
	StandIn  bool    `json:"stand_in"`
	Hour     bool    `json:"hour"`
	Requests int     `json:"requests"`
	Without  float64 `json:"without"`
	With     float64 `json:"with"`
	Worst    float64 `json:"worst"`
	Cold     int     `json:"cold"`
	Full     int     `json:"full"`
	Cleared  int     `json:"cleared"`
	Asked    int     `json:"asked"`
}

type labSummaryJSON struct {
	eval.Summary
	Failed   int      `json:"failed"`
	Excluded []string `json:"excluded_sources"`
}

// labCaseJSON is an [eval.Case] with the command that shows it.
type labCaseJSON struct {
	plainCase
	Command string `json:"command"`
}

// The types without the functions below.
type (
	plainCase     eval.Case
	plainEstimate eval.Estimate
)

// labMarshalers write shares and estimates as numbers, with six digits: beyond
// them sums differ between processors.
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
		return json.MarshalEncode(out, plainEstimate(e))
	}),
	json.MarshalToFunc(func(out *jsontext.Encoder, n eval.Checked) error {
		if n < 0 {
			return out.WriteToken(jsontext.Null)
		}
		return out.WriteToken(jsontext.Int(int64(n)))
	}),
	json.MarshalToFunc(func(out *jsontext.Encoder, c eval.Case) error {
		return json.MarshalEncode(out, labCaseJSON{plainCase(c), c.Command()})
	}),
	json.MarshalToFunc(func(out *jsontext.Encoder, p eval.Priced) error {
		r := p.Result
		return json.MarshalEncode(out, labPriceJSON{
			p.Policy, r.Model, !p.Unknown, r.None.Dollars, r.Own.Dollars, r.Rule.Dollars, r.Rule.Firings, r.Rule.BreakEven,
		})
	}),
	json.MarshalToFunc(func(out *jsontext.Encoder, p eval.LivePriced) error {
		r := p.Result
		return json.MarshalEncode(out, labLiveJSON{
			p.Way, r.Model, p.StandIn, p.Hour, r.Requests, r.Without.Dollars, r.With.Dollars, r.Worst, r.Cold, r.Full, r.Cleared, r.Asked,
		})
	}),
	json.MarshalToFunc(marshalRow),
))

// marshalRow writes a row with a field for each measure.
func marshalRow(out *jsontext.Encoder, row eval.Row) error {
	type field struct {
		name  string
		value any
	}
	fields := []field{{"policy", row.Policy}, {"horizon", row.Horizon}}
	for _, m := range eval.Measures() {
		fields = append(fields, field{m.Field(), row.Figures[m]})
	}
	fields = append(fields, field{"edits", row.Edits}, field{"edits_ready", row.Ready}, field{"violations", row.Violations})
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, f := range fields {
		if err := out.WriteToken(jsontext.String(f.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(out, f.value); err != nil {
			return err
		}
	}
	return out.WriteToken(jsontext.EndObject)
}

// printJSON prints the results of a run as JSON.
func (k *lab) printJSON(r *eval.Result, s eval.Summary) error {
	for i := range r.Sessions {
		one := &r.Sessions[i]
		if one.Skipped != "" && len(one.Live) == 0 && len(r.Sessions) > 1 {
			continue // the summary counts them
		}
		if err := k.emitLab(one); err != nil {
			return err
		}
	}
	return k.emitLab(map[string]labSummaryJSON{"summary": {s, len(r.Failures), k.exclude}})
}

func (k *lab) emitLab(v any) error {
	line, err := terminal.MarshalLine(v, labMarshalers)
	if err == nil {
		k.EmitLine(line)
	}
	return err
}
