package cli

import (
	"tenfold"
	"tenfold/strategy"
)

// The machine form of reports. Names are promised; more may come.
type (
	reportJSON struct {
		Conversation string      `json:"conversation"`
		From         string      `json:"from,omitzero"`
		Source       *sourceJSON `json:"source,omitzero"`
		Turns        int         `json:"turns"`
		Entries      int         `json:"entries"`
		DryRun       bool        `json:"dry_run"`
		Nothing      string      `json:"nothing,omitzero"`
		// Refused says of each summary that was not taken why.
		Refused     []string         `json:"refused,omitempty"`
		Tokens      tokensJSON       `json:"tokens"`
		Target      *targetJSON      `json:"target,omitzero"`
		Spans       []spanJSON       `json:"spans"`
		Steps       []stepJSON       `json:"steps"`
		Compactions []compactionJSON `json:"compactions"`
		// Quotes are the summaries that a dry run would have asked for.
		Quotes []quoteJSON `json:"quotes,omitempty"`
		// Settings are what the conversation keeps since, or no longer.
		Settings []keptJSON `json:"settings,omitempty"`
		Warnings []string   `json:"warnings"`
		// Resume are the commands with which a client goes on with what --out
		// wrote.
		Resume []string `json:"resume,omitempty"`
		// Parted is set where the file no longer continues what it held before.
		Parted *partedJSON `json:"parted,omitzero"`
	}
	sourceJSON struct {
		Path   string `json:"path"`
		Format string `json:"format"`
	}
	tokensJSON struct {
		Before int    `json:"before"`
		After  int    `json:"after"`
		Method string `json:"method"`
	}
	spanJSON struct {
		Config       bool           `json:"config,omitzero"`
		FromTurn     *int           `json:"from_turn,omitzero"`
		ToTurn       *int           `json:"to_turn,omitzero"`
		FromStep     *int           `json:"from_step,omitzero"`
		ToStep       *int           `json:"to_step,omitzero"`
		Fate         string         `json:"fate"`
		By           []string       `json:"by,omitempty"`
		Slots        []string       `json:"slots,omitempty"`
		Entries      int            `json:"entries"`
		Fates        map[string]int `json:"fates,omitzero"`
		TokensBefore int            `json:"tokens_before"`
		TokensAfter  int            `json:"tokens_after"`
	}
	stepJSON struct {
		Strategy     string `json:"strategy"`
		Entries      int    `json:"entries"`
		TokensBefore int    `json:"tokens_before"`
		TokensAfter  int    `json:"tokens_after"`
		// Notes are what the strategy had to say.
		Notes []string `json:"notes,omitempty"`
	}
	compactionJSON struct {
		ID      string       `json:"id"`
		Summary *writtenJSON `json:"summary,omitzero"`
	}
)

func countJSON(c tenfold.Count) tokensJSON {
	return tokensJSON{Before: c.Before, After: c.After, Method: counterName}
}

func (r *report) json() reportJSON {
	out := reportJSON{
		Conversation: r.conversation, From: r.from, Source: r.source, Target: r.targetJSON(), DryRun: r.dryRun, Nothing: r.plan.Nothing, Refused: r.plan.Refused,
		Turns: r.turns, Entries: r.entries, Tokens: countJSON(r.total()), Parted: r.parted,
		Spans: []spanJSON{}, Steps: []stepJSON{}, Compactions: []compactionJSON{}, Warnings: []string{},
	}
	for _, s := range r.spans() {
		out.Spans = append(out.Spans, newSpanJSON(s))
	}
	for _, s := range r.plan.Steps {
		out.Steps = append(out.Steps, stepJSON{s.Strategy, s.Entries, s.Before, s.After, s.Notes})
	}
	for i, id := range r.compactions {
		one := compactionJSON{ID: id}
		if i < len(r.plan.Compactions) {
			one.Summary = newWrittenJSON(r.plan.Compactions[i].Summary)
		}
		out.Compactions = append(out.Compactions, one)
	}
	out.Resume = r.resume
	out.Quotes, out.Settings = r.quotes, keptsJSON(r.kept)
	out.Warnings = append(out.Warnings, r.warnings...)
	return out
}

func newSpanJSON(s strategy.Span) spanJSON {
	out := spanJSON{
		Config: s.Config, Fate: "kept", By: s.By, Slots: s.Slots, Entries: s.Entries,
		TokensBefore: s.Before, TokensAfter: s.After,
	}
	if s.Compacted {
		out.Fate = "compacted"
	}
	if !s.Config {
		out.FromTurn, out.ToTurn, out.FromStep, out.ToStep = &s.FromTurn, &s.ToTurn, s.FromStep, s.ToStep
	}
	for fate, n := range s.Fates {
		if out.Fates == nil {
			out.Fates = map[string]int{}
		}
		out.Fates[fate.String()] = n
	}
	return out
}
