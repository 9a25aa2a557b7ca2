package strategy

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/internal/set"
	"tenfold/tool"
)

// StripReasoning removes the model's reasoning. It always proposes; where there is
// no reasoning, the plan says that nothing would change.
//
// Source: the conversation compaction of JP, its RFD 064 (semantics S-1).
type StripReasoning struct{}

// Name implements [Strategy].
func (StripReasoning) Name() string { return "strip-reasoning" }

// Propose implements [Strategy].
func (s StripReasoning) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.overlay(s, o.Range, tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})}, nil
}

// StripAttachments replaces images and attached files with stubs that name them.
// It always proposes; where there are none, the plan says that nothing would
// change.
//
// Source: the conversation compaction of JP, its RFD 064 (semantics S-4).
type StripAttachments struct {
	// Over spares whatever is no larger.
	Over tenfold.Size `param:"over"`
}

// Name implements [Strategy].
func (s StripAttachments) Name() string { return textForm("strip-attachments", s) }

// Propose implements [Strategy].
func (s StripAttachments) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.overlay(s, o.Range, tenfold.Compaction{
		Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: settled(s).Over},
	})}, nil
}

// PruneTools removes the definitions of tools that the conversation never calls.
// A tool that is called later comes back the next time. It proposes nothing where
// every defined tool was called.
//
// Source: Tenfold's rules (semantics S-5).
type PruneTools struct {
	// Keep names tools to keep, joined by +. Nil means compact and recall, which
	// agents call only once they must (A8, A9).
	Keep []string `param:"keep"`
}

// Name implements [Strategy].
func (s PruneTools) Name() string { return textForm("prune-tools", s) }

// Propose implements [Strategy].
func (s PruneTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	// Never called is what they are in most conversations, and stubs speak of recall.
	own := func(name string) bool { return s.Keep == nil && (name == "compact" || tool.Recalls(name)) }
	spared := set.Of(slices.Concat(p.ToolNames(), s.Keep)...)
	// The latest overlay's list is the one that counts, so that a new one
	// goes on from it; a tool that was called since comes back.
	var before, names []string
	for overlay := range p.Overlays() {
		if d := overlay.Compaction.ToolDefinitions; overlay.Live && d != nil {
			before = nil
			if d.Action == tenfold.Prune {
				before = d.Names
			}
		}
	}
	for _, name := range before {
		if !spared[name] && !own(name) {
			names = append(names, name)
		}
	}
	changed := len(names) < len(before)
	for _, t := range p.Config().Tools {
		if !spared[t.Name] && !own(t.Name) {
			names = append(names, t.Name)
			changed = true
		}
	}
	if !changed {
		return o.proposeNothing("no definition of a tool that is never called is left")
	}
	return []tenfold.Compaction{o.overlay(s, o.Range, tenfold.Compaction{
		ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: names},
	})}, nil
}

// StripTools shortens the arguments and the results of tool calls to stubs: short
// arguments, and a line that says how the call ended. Tools may ask for their
// requests or responses to be kept (H1). It always proposes; where nothing is
// left to strip, the plan says so.
//
// As strip-tool-results it keeps the arguments.
//
// Source: the conversation compaction of JP, its RFD 064 (semantics S-2).
type StripTools struct {
	// Over spares whatever is no larger.
	Over tenfold.Size `param:"over"`
	// KeepRequests keeps the arguments as they are.
	KeepRequests bool `param:"!request"`
	// KeepResponses keeps the results as they are.
	KeepResponses bool `param:"!response"`
	// Arguments is how much stays of stripped arguments: empty for their short
	// values, "primary" for what a call is about, "none" for nothing.
	Arguments tenfold.Arguments `param:"arguments"`
	// FirstLine keeps the first line of what is stripped.
	FirstLine bool `param:"first_line"`
	// Recall ends each stub with a reference that lets a model ask for the
	// original (A9).
	Recall bool `param:"recall"`
}

// Name implements [Strategy]. With KeepRequests alone it is strip-tool-results.
func (s StripTools) Name() string {
	if s.KeepRequests && !s.KeepResponses {
		s.KeepRequests = false
		return textForm("strip-tool-results", s)
	}
	return textForm("strip-tools", s)
}

// Propose implements [Strategy].
func (s StripTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	strip := o.overlay(s, o.Range, tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{
		Action: tenfold.Strip, Request: !s.KeepRequests, Response: !s.KeepResponses,
		Over: settled(s).Over, FirstLine: s.FirstLine, Recall: s.Recall, Hints: o.Hints.For(p.ToolNames()),
		Arguments: s.Arguments, Primary: tool.Primary(p.ToolNames()),
	}})
	return append([]tenfold.Compaction{strip}, restate(p, strip)...), nil
}

// restate gives overlays that say again, on top of a strip, what selective
// policies said of single calls, wherever the strip alone would show more of
// them: the latest overlay wins on a call (P2), so that a strip laid
// over a call that dedup-tools omitted would bring its stub back. Strategies
// see what the earlier ones give (S-15); this one strips what it sees.
func restate(p *tenfold.Projection, strip tenfold.Compaction) []tenfold.Compaction {
	selective := map[string]*restated{}
	var order []*restated
	for o := range p.Overlays() {
		if policy := o.Compaction.ToolCalls; o.Live && policy != nil && policy.Action == tenfold.Selective {
			selective[o.ID] = &restated{ToolPolicy: *policy, handle: o.Compaction.Handle}
			order = append(order, selective[o.ID])
		}
	}
	if strip.ToolCalls == nil || len(selective) == 0 {
		return nil
	}
	next := p.With(strip)
	for c := range p.Calls(p.Log().Extent(rangeOf(strip))) {
		if !comesBack(p, next, c.Seq) && (c.Result == 0 || !comesBack(p, next, c.Result)) {
			continue
		}
		_, by, _ := p.Fate(c.Seq)
		if by == "" {
			_, by, _ = p.Fate(c.Result)
		}
		if r := selective[by]; r != nil {
			r.add(p, c)
		}
	}
	var out []tenfold.Compaction
	for _, r := range order {
		if len(r.picks) == 0 && len(r.calls) == 0 {
			continue
		}
		r.Calls, r.Groups, r.Rest = r.calls, nil, ""
		out = append(out, rangeOf(strip).On(tenfold.Compaction{
			Profile: strip.Profile, Strategy: strip.Strategy, Source: strip.Source, Handle: r.handle, ToolCalls: naming(r.picks, r.ToolPolicy),
		}))
	}
	return out
}

// restated is a selective policy, and what of it is to be said again.
type restated struct {
	tenfold.ToolPolicy
	handle string
	groups map[int64]*tenfold.CallPolicy // by seq
	picks  []pick
	calls  map[string]tenfold.CallPolicy
	rest   wishes
}

// add says of a call what the policy says of it.
func (r *restated) add(p *tenfold.Projection, c tenfold.Call) {
	if r.groups == nil {
		r.groups, r.rest = map[int64]*tenfold.CallPolicy{}, wishes{}
		for i := range r.Groups {
			for _, seq := range r.Groups[i].Entries {
				r.groups[seq] = cmp.Or(r.groups[seq], &r.Groups[i].CallPolicy)
			}
		}
	}
	id := payloadOf[tenfold.ToolCall](p.Log(), c.Seq).CallID
	key := id + "@" + strconv.FormatInt(c.Seq, 10)
	for _, name := range []string{key, id} {
		if was, ok := r.Calls[name]; ok {
			if r.calls == nil {
				r.calls = map[string]tenfold.CallPolicy{}
			}
			r.calls[key] = was
			return
		}
	}
	was := r.groups[c.Seq]
	if was == nil { // by what the policy says of the rest
		was = r.rest.policy(wish{c.Request == tenfold.Omitted, c.Request != tenfold.Kept, c.Response != tenfold.Kept})
	}
	r.picks = append(r.picks, pick{c.Seq, c.Result, was})
}

// comesBack reports whether an entry that was hidden shows again, or one that
// was shortened is whole.
func comesBack(p, next *tenfold.Projection, seq int64) bool {
	return (hidden(p, seq) && !hidden(next, seq)) || (changed(p, seq) && !changed(next, seq))
}
