// Package report says what was done to a conversation and what it cost, in the
// shapes that the command line prints with --json and that the API gives: what a
// compaction did or would do, what an overlay is, tokens, money. It computes and
// shapes; it prints nothing. Field names are stable; new fields may be added.
//
// Figures are in the tokens of the conversation's provider where its log says how
// that counts, and say what they are (semantics T3). What is stored are estimates.
package report

import (
	"slices"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/strategy"
)

// A Report is what a compaction did or would do.
type Report struct {
	Conversation string `json:"conversation"`
	// From is the conversation that this one was forked from, if it was.
	From    string  `json:"from,omitzero" doc:"the conversation that this one was forked from"`
	Source  *Source `json:"source,omitzero"`
	Turns   int     `json:"turns"`
	Entries int     `json:"entries" doc:"the version of the log, afterwards"`
	DryRun  bool    `json:"dry_run"`
	Nothing string  `json:"nothing,omitzero" doc:"why nothing is compacted"`
	// Refused has the reason for each summary that was refused.
	Refused []string `json:"refused,omitempty" doc:"the reason for each summary that was refused"`
	Tokens  Tokens   `json:"tokens"`
	Target  *Target  `json:"target,omitzero"`
	// Theirs is what compactions of the tool that wrote the session had saved
	// before.
	Theirs      *Theirs `json:"theirs,omitzero"`
	Spans       []Span  `json:"spans"`
	Steps       []Step  `json:"steps"`
	Compactions []Made  `json:"compactions" doc:"the overlays that were added"`
	// Quotes are the summaries that a dry run would have requested (C8).
	Quotes []Quote `json:"quotes,omitempty" doc:"the summaries that a model would be asked for"`
	// Settings are those that the conversation keeps from now on, or no longer.
	Settings []Setting `json:"settings,omitempty"`
	Warnings []string  `json:"warnings"`
	// Resume are the commands that resume what --out wrote.
	Resume []string `json:"resume,omitempty"`
	// Path is where "resume" put the session.
	Path string `json:"path,omitzero"`
	// Parted is set where the file no longer continues what it held before.
	Parted *Parted `json:"parted,omitzero"`

	plan strategy.Plan
	view *tenfold.Projection
	drew []strategy.Span
}

type (
	// A Span is a run of turns of one fate, or the system prompt and tools.
	Span struct {
		Config       bool           `json:"config,omitzero" doc:"the system prompt and the tools"`
		FromTurn     *int           `json:"from_turn,omitzero"`
		ToTurn       *int           `json:"to_turn,omitzero"`
		FromStep     *int           `json:"from_step,omitzero"`
		ToStep       *int           `json:"to_step,omitzero"`
		Fate         string         `json:"fate" doc:"kept or compacted"`
		By           []string       `json:"by,omitempty" doc:"ids of the overlays that decided"`
		Slots        []string       `json:"slots,omitempty" doc:"what they change"`
		Entries      int            `json:"entries"`
		Fates        map[string]int `json:"fates,omitempty" doc:"entries by fate"`
		TokensBefore int            `json:"tokens_before"`
		TokensAfter  int            `json:"tokens_after"`
	}
	// A Step is what one strategy of a plan did.
	Step struct {
		Strategy     string   `json:"strategy"`
		Entries      int      `json:"entries"`
		TokensBefore int      `json:"tokens_before"`
		TokensAfter  int      `json:"tokens_after"`
		Notes        []string `json:"notes,omitempty"`
	}
	// A Made compaction is an overlay that was added.
	Made struct {
		ID      string   `json:"id"`
		Summary *Written `json:"summary,omitzero"`
	}
	// A Source is the file that a conversation was read from.
	Source struct {
		Path   string `json:"path"`
		Format string `json:"format"`
	}
	// A Quote is a summary that a dry run would have requested (C8).
	Quote struct {
		FromTurn int      `json:"from_turn"`
		ToTurn   int      `json:"to_turn"`
		ToStep   *int     `json:"to_step,omitzero"`
		Model    string   `json:"model,omitzero"`
		Input    int      `json:"input" doc:"tokens of the request"`
		Cost     *float64 `json:"cost,omitzero" doc:"US$, left out where unknown"`
	}
)

// New reports a plan over a log: view has it in effect, as the overlays with these
// ids, none on a dry run.
func New(conversation string, log *tenfold.Log, plan strategy.Plan, view *tenfold.Projection, target strategy.Target, ids ...string) Report {
	r := Report{
		Conversation: conversation, Turns: log.Turns(), Entries: int(log.Version()), Nothing: plan.Nothing, Refused: plan.Refused,
		Tokens: Totals(view, plan.Scale), Target: newTarget(target, plan, view), Theirs: TheirsOf(plan.Base(), plan.Scale),
		plan: plan, view: view, drew: strategy.Spans(view),
	}
	scaleSpans(r.drew, plan.Scale)
	for i, s := range r.drew {
		// Overlays that are only proposed have no id.
		r.drew[i].By = slices.DeleteFunc(s.By, func(id string) bool {
			o, there := view.Log().Lookup(id)
			return (!there || o.Seq > plan.Version) && !slices.Contains(ids, id)
		})
		r.Spans = append(r.Spans, newSpan(r.drew[i]))
	}
	for _, s := range plan.Steps {
		r.Steps = append(r.Steps, Step{s.Strategy, s.Entries, plan.Scale.Tokens(s.Before), plan.Scale.Tokens(s.After), s.Notes})
	}
	for i, id := range ids {
		one := Made{ID: id}
		if i < len(plan.Compactions) {
			one.Summary = WrittenOf(plan.Compactions[i].Summary, plan.Scale)
		}
		r.Compactions = append(r.Compactions, one)
	}
	return r
}

// Compacted reports a compaction that was applied to a session.
func Compacted(s *session.Session, done session.Result, target strategy.Target) Report {
	ids := make([]string, len(done.Overlays))
	for i, o := range done.Overlays {
		ids[i] = o.ID
	}
	return New(s.ID(), s.Log(), done.Plan, s.Projection(), target, ids...)
}

// Plan is what the report is of.
func (r *Report) Plan() strategy.Plan { return r.plan }

// View is the projection with the compaction in effect.
func (r *Report) View() *tenfold.Projection { return r.view }

// Drawn are the spans as they are drawn, in the tokens of the report.
func (r *Report) Drawn() []strategy.Span { return r.drew }

// Notes are what the strategies had to say, step by step.
func (r *Report) Notes() []string {
	var notes []string
	for _, s := range r.plan.Steps {
		notes = append(notes, s.Notes...)
	}
	return notes
}

// Refusal is the error for a plan that does nothing because a summary was refused
// (C6); nil for any other. Model is the one that was called, if any.
func (r *Report) Refusal(req session.Request, model string) error {
	if len(r.Refused) == 0 || r.Nothing == "" {
		return nil
	}
	hint := "nothing was compacted; try again, or use another model"
	if model == "" {
		hint = "nothing was compacted; write a shorter summary, or choose a longer range"
	}
	for _, s := range req.Strategies {
		if p, ok := s.(strategy.Profile); ok && p.Summary != nil {
			hint += "; set summary.optional in profile " + p.Title + " to apply the rest without a summary"
		}
	}
	return &problem.Error{Code: "summary_refused", Problem: r.Nothing, Hint: hint}
}

// Keep adds the settings that entries have the conversation keep from now on.
func (r *Report) Keep(entries []tenfold.Entry) []config.Setting {
	kept := SettingsIn(entries)
	r.Settings = Settings(kept)
	return kept
}

func newSpan(s strategy.Span) Span {
	out := Span{
		Config: s.Config, Fate: "kept", By: s.By, Slots: s.Slots, Entries: s.Entries, Fates: map[string]int{},
		TokensBefore: s.Before, TokensAfter: s.After,
	}
	if s.Compacted {
		out.Fate = "compacted"
	}
	if !s.Config {
		out.FromTurn, out.ToTurn, out.FromStep, out.ToStep = &s.FromTurn, &s.ToTurn, s.FromStep, s.ToStep
	}
	for fate, n := range s.Fates {
		out.Fates[fate.String()] = n
	}
	return out
}
