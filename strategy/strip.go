package strategy

import (
	"context"
	"strconv"

	"tenfold"
)

// StripReasoning hides reasoning (semantics S-1). It always proposes.
type StripReasoning struct{}

// Name implements [Strategy].
func (StripReasoning) Name() string { return "strip-reasoning" }

// Propose implements [Strategy].
func (s StripReasoning) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source,
		Reasoning: &tenfold.Policy{Action: tenfold.Strip},
	})}, nil
}

// StripTools makes stubs of the arguments and the results of tool calls, as far
// as the tools' hints let it (semantics S-2). It always proposes.
type StripTools struct {
	// Over leaves what is no larger as it is.
	Over tenfold.Size
	// KeepRequests and KeepResponses leave arguments, or results, as they are.
	KeepRequests, KeepResponses bool
	// FirstLine keeps the first line of what is stripped.
	FirstLine bool
	// Recall ends each stub with a reference by which a model can ask for what
	// it stands for (A9).
	Recall bool
}

// Name implements [Strategy]. With KeepRequests alone it is strip-tool-results.
func (s StripTools) Name() string {
	if s.KeepRequests && !s.KeepResponses {
		s.KeepRequests = false
		return written("strip-tool-results", s.parameters())
	}
	return written("strip-tools", s.parameters())
}

func (s *StripTools) parameters() []parameter {
	return []parameter{
		size("over", &s.Over, 0), unless("request", &s.KeepRequests), unless("response", &s.KeepResponses),
		flag("first_line", &s.FirstLine), flag("recall", &s.Recall),
	}
}

// Propose implements [Strategy].
func (s StripTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	strip := o.Range.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source,
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Strip, Request: !s.KeepRequests, Response: !s.KeepResponses,
			Over: number(s.Over, 0), FirstLine: s.FirstLine, Recall: s.Recall, Hints: o.Hints.For(p.ToolNames()),
		},
	})
	return append([]tenfold.Compaction{strip}, restate(p, strip)...), nil
}

// restate gives overlays that say again, on top of a strip, what selective
// policies said of single calls, wherever the strip alone would show more of
// them: the latest overlay wins on a call (P2), so that a strip laid
// over a call that dedup-tools omitted would bring its stub back. Strategies
// see what the earlier ones give (S-15); this one strips what it sees.
func restate(p *tenfold.Projection, strip tenfold.Compaction) []tenfold.Compaction {
	if strip.ToolCalls == nil {
		return nil
	}
	selective := map[string]*spoken{}
	var order []*spoken
	for o := range p.Overlays() {
		if policy := o.Compaction.ToolCalls; o.Live && policy != nil && policy.Action == tenfold.Selective {
			selective[o.ID] = &spoken{policy: policy}
			order = append(order, selective[o.ID])
		}
	}
	if len(selective) == 0 {
		return nil
	}
	next := p.With(strip)
	for c := range callsIn(p, rangeOf(strip)) {
		if !comesBack(p, next, c.Seq) && (c.Result == 0 || !comesBack(p, next, c.Result)) {
			continue
		}
		_, by, _ := p.Fate(c.Seq)
		if by == "" {
			_, by, _ = p.Fate(c.Result)
		}
		if s := selective[by]; s != nil {
			s.repeat(p, c)
		}
	}
	var out []tenfold.Compaction
	for _, s := range order {
		if policy := s.again(); policy != nil {
			out = append(out, rangeOf(strip).On(tenfold.Compaction{
				Profile: strip.Profile, Strategy: strip.Strategy, Source: strip.Source, ToolCalls: policy,
			}))
		}
	}
	return out
}

// spoken is a selective policy, and what of it is to be said again.
type spoken struct {
	policy *tenfold.ToolPolicy
	groups map[int64]*tenfold.CallPolicy // by seq
	picks  []pick
	calls  map[string]tenfold.CallPolicy
	rest   map[want]*tenfold.CallPolicy
}

// repeat says of a call what was said of it.
func (s *spoken) repeat(p *tenfold.Projection, c tenfold.Call) {
	if s.groups == nil {
		s.groups, s.calls, s.rest = map[int64]*tenfold.CallPolicy{}, map[string]tenfold.CallPolicy{}, map[want]*tenfold.CallPolicy{}
		for i := range s.policy.Groups {
			g := &s.policy.Groups[i]
			for _, seq := range g.Entries {
				if s.groups[seq] == nil {
					s.groups[seq] = &g.CallPolicy
				}
			}
		}
	}
	e, _ := p.Log().Entry(c.Seq)
	id := e.Payload.(tenfold.ToolCall).CallID
	key := id + "@" + strconv.FormatInt(c.Seq, 10)
	for _, name := range []string{key, id} {
		if was, ok := s.policy.Calls[name]; ok {
			s.calls[key] = was
			return
		}
	}
	was := s.groups[c.Seq]
	if was == nil { // by what the policy says of the rest
		w := want{c.Request == tenfold.Omitted, c.Request != tenfold.Kept, c.Response != tenfold.Kept}
		if s.rest[w] == nil {
			s.rest[w] = w.policy()
		}
		was = s.rest[w]
	}
	s.picks = append(s.picks, pick{c.Seq, c.Result, was})
}

// again is the policy for the calls that were repeated; nil for none.
func (s *spoken) again() *tenfold.ToolPolicy {
	if len(s.picks) == 0 && len(s.calls) == 0 {
		return nil
	}
	policy := *s.policy
	policy.Calls, policy.Groups, policy.Rest = nil, nil, ""
	if len(s.calls) > 0 {
		policy.Calls = s.calls
	}
	return naming(s.picks, policy)
}

// comesBack reports whether an entry that was hidden shows again, or one that
// was shortened is whole.
func comesBack(p, next *tenfold.Projection, seq int64) bool {
	was, _, _ := p.Fate(seq)
	now, _, _ := next.Fate(seq)
	return (hidden(p, seq) && !hidden(next, seq)) || (was != tenfold.Kept && now == tenfold.Kept)
}

// StripAttachments makes stubs of images and files (semantics S-4). It always
// proposes.
type StripAttachments struct {
	// Over leaves what is no larger as it is.
	Over tenfold.Size
}

// Name implements [Strategy].
func (s StripAttachments) Name() string { return written("strip-attachments", s.parameters()) }

func (s *StripAttachments) parameters() []parameter { return []parameter{size("over", &s.Over, 0)} }

// Propose implements [Strategy].
func (s StripAttachments) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source,
		Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: number(s.Over, 0)},
	})}, nil
}

// PruneTools takes the definitions of tools out that the log never calls
// (semantics S-5). It proposes nothing where there are none.
type PruneTools struct {
	// Keep are names of tools that stay; nil is the two that agents call only
	// once they must, compact and recall (A8, A9).
	Keep []string
}

// ownTools are offered so that the model can call them once it must (A8, A9):
// never called is what they are in most conversations, and stubs speak of
// recall.
func ownTools() []string { return []string{"compact", "recall"} }

// Name implements [Strategy].
func (s PruneTools) Name() string { return written("prune-tools", s.parameters()) }

func (s *PruneTools) parameters() []parameter { return []parameter{toolNames("keep", &s.Keep)} }

// Propose implements [Strategy].
func (s PruneTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	if s.Keep == nil {
		s.Keep = ownTools()
	}
	spared := map[string]bool{}
	for _, name := range append(p.ToolNames(), s.Keep...) {
		spared[name] = true
	}
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
		if !spared[name] {
			names = append(names, name)
		}
	}
	changed := len(names) < len(before)
	for _, t := range p.Config().Tools {
		if !spared[t.Name] {
			names = append(names, t.Name)
			changed = true
		}
	}
	if !changed {
		o.Notef("no definition of a tool that is never called is left")
		return nil, nil
	}
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source,
		ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: names},
	})}, nil
}
