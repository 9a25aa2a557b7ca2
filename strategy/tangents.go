package strategy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tenfold/internal/number"

	"tenfold"
)

// ClassifyTangents omits turns that are off the task. A [Classifier], which is a
// model, names them, and a person confirms each. It proposes nothing without a
// classifier, and never hides a turn that nobody confirmed.
//
// Source: Tenfold's rules (semantics S-13).
type ClassifyTangents struct{}

// NeedsModel implements [ModelUser].
func (ClassifyTangents) NeedsModel() bool { return true }

// Name implements [Strategy].
func (ClassifyTangents) Name() string { return "classify-tangents" }

// Propose implements [Strategy].
func (s ClassifyTangents) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	if o.Classifier == nil {
		return o.proposeNothing("there is no classifier")
	}
	r := ClassifyRequest{Log: p.Log(), Focus: o.Focus}
	cost := map[int]int{}
	for _, turn := range wholeTurns(p.Log(), o.Range) {
		tokens := 0
		var entries []tenfold.Entry
		for e := range entriesIn(p.Log(), tenfold.Range{FromTurn: turn, ToTurn: turn}) {
			if p.Reads(e.Seq) {
				entries = append(entries, e)
				_, _, after := p.Fate(e.Seq)
				tokens += after
			}
		}
		if tokens > 0 { // others are hidden already
			r.Turns = append(r.Turns, turn)
			r.Entries = append(r.Entries, entries...)
			cost[turn] = tokens
		}
	}
	if len(r.Turns) == 0 {
		return o.proposeNothing("no whole turn of turns %s is shown", o.Range)
	}
	o.underWay().plan.Asked = true
	named, err := o.Classifier.Classify(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("classify turns %s: %w", o.Range, err)
	}
	named = validTangents(named, cost)
	if len(named) == 0 {
		return o.proposeNothing("no turn of turns %s is off the task", o.Range)
	}
	if o.DryRun {
		return o.noteWithheld("off the task: %s", list(named))
	}
	if o.Confirm == nil {
		return o.proposeNothing("not confirmed, so these turns stay: %s", list(named))
	}
	confirmed, err := o.Confirm(ctx, slices.Clone(named))
	if err != nil {
		return nil, fmt.Errorf("confirm tangents: %w", err)
	}
	yes := map[int]bool{}
	for _, t := range confirmed {
		yes[t.Turn] = true
	}
	var out []tenfold.Compaction // one for each stretch of turns
	for _, t := range named {
		if n := len(out); yes[t.Turn] && n > 0 && out[n-1].ToTurn == t.Turn-1 {
			out[n-1].ToTurn = t.Turn
		} else if yes[t.Turn] {
			out = append(out, o.overlay(s, tenfold.Range{FromTurn: t.Turn, ToTurn: t.Turn}, tenfold.Compaction{Turns: tenfold.Omit}))
		}
	}
	if len(out) == 0 {
		return o.proposeNothing("no tangent was confirmed")
	}
	return out, nil
}

// wholeTurns lists the turns that lie in a range from end to end.
func wholeTurns(l *tenfold.Log, r tenfold.Range) []int {
	var turns []int
	for turn := r.FromTurn; turn <= r.ToTurn && turn < l.Turns(); turn++ {
		if t, _ := l.Turn(turn); turn == r.ToTurn && r.ToStep != nil && *r.ToStep < t.Steps-1 {
			break
		}
		turns = append(turns, turn)
	}
	return turns
}

// validTangents takes out what a model may make up: turns it was not asked about,
// turns named twice.
func validTangents(named []Tangent, cost map[int]int) []Tangent {
	var out []Tangent
	had := map[int]bool{}
	for _, t := range named {
		if tokens, asked := cost[t.Turn]; asked && !had[t.Turn] {
			had[t.Turn], t.Tokens = true, tokens
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Tangent) int { return a.Turn - b.Turn })
	return out
}

func list(tangents []Tangent) string {
	words := make([]string, len(tangents))
	for i, t := range tangents {
		words[i] = fmt.Sprintf("turn %d (%s tokens)", t.Turn, number.Thousands(t.Tokens))
		if t.Reason != "" {
			words[i] += " – " + t.Reason
		}
	}
	return strings.Join(words, ", ")
}
