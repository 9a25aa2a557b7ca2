package strategy

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"tenfold"
	"tenfold/tool"
)

// A Profile is a named set of policies: one overlay over the range.
type Profile struct {
	Title       string
	Reasoning   *tenfold.Policy
	ToolCalls   *tenfold.ToolPolicy
	Attachments *tenfold.Policy
	// Turns is Omit to hide the range altogether, Keep to show it again.
	Turns tenfold.Action
	// Summary has a summary written; nil has none.
	Summary *ProfileSummary
	// Fit has the whole view fitted into a target (F1); what is
	// said by other slots is then no matter. Zero for none.
	Fit Target
}

// A ProfileSummary is how a profile wants its summary. Its zero value is a
// pair, written as the summarizer does.
type ProfileSummary struct {
	Placement    tenfold.Placement
	Instructions string
	// Budget is the most tokens a digest may have; 0 leaves it to the digest.
	Budget int
	// Optional has the profile's other slots applied without the summary where
	// that is refused. A profile is else applied whole or not at all.
	Optional bool
}

// DefaultProfile is the profile used when none is named.
const DefaultProfile = "default"

// Profiles gives the profiles that come with the program. The map is the
// caller's.
func Profiles() map[string]Profile {
	strip := func() *tenfold.Policy { return &tenfold.Policy{Action: tenfold.Strip} }
	return map[string]Profile{
		DefaultProfile: {
			Title: DefaultProfile, Reasoning: strip(),
			ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true},
		},
		"light": {Title: "light", Reasoning: strip()},
		"heavy": {
			Title: "heavy", Reasoning: strip(),
			ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true},
			Summary:   &ProfileSummary{Placement: tenfold.PlacePair},
		},
		"tenfold": {Title: "tenfold", Fit: Target{Share: 0.10}},
	}
}

// FindProfile gives the built-in profile of a name, or ErrUnknown.
func FindProfile(name string) (Profile, error) {
	all := Profiles()
	if p, ok := all[name]; ok {
		return p, nil
	}
	return Profile{}, UnknownName("profile", name, slices.Sorted(maps.Keys(all)))
}

// NeedsModel implements [ModelUser].
func (f Profile) NeedsModel() bool { return f.Summary != nil }

// Summarises implements [SummaryWriter].
func (f Profile) Summarises() bool { return f.Summary != nil }

// ChoosesEnd implements [EndChooser].
func (f Profile) ChoosesEnd() bool { return f.Fit.Set() }

// Name implements [Strategy].
func (f Profile) Name() string { return "profile:" + f.Title }

// Propose implements [Strategy]: one overlay with all the profile's slots, and
// what must be said again of single calls on top of it. Where its summary is
// refused there is none, unless the summary is optional.
func (f Profile) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	if f.Fit.Set() {
		fitted, err := Fit{Target: f.Fit}.Propose(ctx, p, o)
		for i := range fitted {
			fitted[i].Profile = f.Title
		}
		return fitted, err
	}
	c := tenfold.Compaction{
		Profile: f.Title, Source: o.Source,
		Reasoning: f.Reasoning, ToolCalls: f.ToolCalls, Attachments: f.Attachments, Turns: f.Turns,
	}
	if c.ToolCalls != nil {
		policy := *c.ToolCalls
		if policy.Hints == nil {
			policy.Hints = o.Hints.For(p.ToolNames())
		}
		if policy.Primary == nil && policy.Request {
			policy.Primary = tool.Primary(p.ToolNames())
		}
		c.ToolCalls = &policy
	}
	c = o.withReferences(c)
	if f.Summary != nil {
		with := o
		if f.Summary.Instructions != "" {
			with.Instructions = f.Summary.Instructions
		}
		with.Budget = cmp.Or(o.Budget, f.Summary.Budget)
		written, refused, err := job{by: f, span: o.Range, placement: f.Summary.Placement}.write(ctx, p, with)
		if err != nil || (refused && !f.Summary.Optional) {
			return nil, err
		}
		if len(written) > 0 {
			// It may cover more than was asked for (C4), and so do the slots:
			// what a summary hides they change nothing of.
			c.Summary = written[0].Summary
			c.FromTurn, c.ToTurn, c.ToStep = written[0].FromTurn, written[0].ToTurn, written[0].ToStep
			return []tenfold.Compaction{c}, nil
		}
	}
	c = o.Range.On(c)
	return append([]tenfold.Compaction{c}, restate(p, c)...), nil
}
