package cli

import (
	"slices"
	"strings"

	"tenfold/problem"
	"tenfold/session"
	"tenfold/strategy"
)

// refused is the error for a plan of which nothing is left because a summary was
// refused (C6); nil for any other.
func (r *report) refused(req session.Request, model string) error {
	if len(r.plan.Refused) == 0 || r.plan.Nothing == "" {
		return nil
	}
	hint := "nothing was written; try again, or another model"
	if model == "" {
		hint = "nothing was written; write a shorter one, or let it stand for more"
	}
	for _, s := range req.Strategies {
		if p, ok := s.(strategy.Profile); ok && p.Summary != nil {
			hint += "; summary.optional in profile " + p.Title + " applies the rest without it"
		}
	}
	return &problem.Error{Code: "summary_refused", Problem: r.plan.Nothing, Hint: hint}
}

// tellNotes tells what the strategies had to say of what they did, once each, and
// warns of a summary that was left out (C6). What they say of doing nothing
// stands in the report.
func (a *app) tellNotes(r *report) {
	if r.plan.Nothing != "" {
		return
	}
	if len(r.plan.Refused) > 0 {
		a.warn("without a summary: " + strings.Join(r.plan.Refused, "; "))
	}
	said := slices.Concat(r.said, r.plan.Refused)
	for _, note := range stepNotes(r.plan) {
		if !slices.Contains(said, note) {
			a.noticef("%s", visibleLine(note))
			said = append(said, note)
		}
	}
}
