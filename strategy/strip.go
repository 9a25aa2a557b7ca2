package strategy

import (
	"context"
	"strconv"

	"tenfold"
)

// stripReasoning is S-1.
type stripReasoning struct{}

func (stripReasoning) Name() string { return "strip-reasoning" }

func (stripReasoning) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: "strip-reasoning", Source: o.Source,
		Reasoning: &tenfold.Policy{Action: tenfold.Strip},
	})}, nil
}

// stripTools is S-2: tool calls strip, with hints and size gate.
type stripTools struct {
	name              string
	request, response bool
	firstLine, recall bool
	over              tenfold.Size
}

func (s stripTools) Name() string { return s.name }

func (s stripTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	strip := o.Range.On(tenfold.Compaction{
		Strategy: s.name, Source: o.Source,
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Strip, Request: s.request, Response: s.response,
			Over: s.over, FirstLine: s.firstLine, Recall: s.recall, Hints: o.Hints.For(p.ToolNames()),
		},
	})
	return append([]tenfold.Compaction{strip}, restate(p, strip)...), nil
}

// restate gives overlays that say again, on top of a strip, what selective
// policies said of single calls, wherever the strip alone would show more of
// them: the latest overlay has the word on a call (P2), so that a strip laid
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

func (s stripTools) with(key, value string) (Strategy, error) {
	var err error
	switch key {
	case "over":
		s.over, err = parseSize(key, value)
	case "request":
		s.request, err = parseBool(key, value)
	case "response":
		s.response, err = parseBool(key, value)
	case "first_line":
		s.firstLine, err = parseBool(key, value)
	case "recall":
		s.recall, err = parseBool(key, value)
	default:
		err = errNoParameter(key, "over", "request", "response", "first_line", "recall")
	}
	return s, err
}

// stripAttachments is S-4.
type stripAttachments struct{ over tenfold.Size }

func (s stripAttachments) Name() string {
	if s.over == 0 {
		return "strip-attachments"
	}
	return "strip-attachments:over=" + s.over.String()
}

func (s stripAttachments) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: s.Name(), Source: o.Source,
		Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: s.over},
	})}, nil
}

func (s stripAttachments) with(key, value string) (Strategy, error) {
	if key != "over" {
		return nil, errNoParameter(key, "over")
	}
	var err error
	s.over, err = parseSize(key, value)
	return s, err
}

// pruneTools is S-5: definitions of tools that the log never calls go.
type pruneTools struct{ keep []string }

// ownTools are offered so that the model can call them once it must (A8, A9):
// never called is what they are in most conversations, and stubs speak of
// recall.
func ownTools() []string { return []string{"compact", "recall"} }

func (s pruneTools) Name() string { return "prune-tools" }

func (s pruneTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	spared := map[string]bool{}
	for _, name := range append(p.ToolNames(), s.keep...) {
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

func (s pruneTools) with(key, value string) (Strategy, error) {
	if key != "keep" {
		return nil, errNoParameter(key, "keep")
	}
	s.keep = parseNames(value)
	return s, nil
}
