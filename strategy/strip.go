package strategy

import (
	"context"

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
	selective := map[string]*tenfold.ToolPolicy{}
	var order []string
	for o := range p.Overlays() {
		if policy := o.Compaction.ToolCalls; o.Live && policy != nil && policy.Action == tenfold.Selective {
			selective[o.ID] = policy
			order = append(order, o.ID)
		}
	}
	if len(selective) == 0 {
		return nil
	}
	next := p.With(strip)
	again := map[string]map[string]tenfold.CallPolicy{}
	for c := range callsIn(p, rangeOf(strip)) {
		by := c.by(p)
		policy := selective[by]
		if policy == nil || !comesBack(p, next, c.seq) && (c.result == 0 || !comesBack(p, next, c.result)) {
			continue
		}
		was, ok := policy.Calls[c.key()]
		if !ok {
			was, ok = policy.Calls[c.call.CallID]
		}
		if !ok {
			was = unnamed(p, c) // by what the policy says of the rest
		}
		if again[by] == nil {
			again[by] = map[string]tenfold.CallPolicy{}
		}
		again[by][c.key()] = was
	}
	var out []tenfold.Compaction
	for _, by := range order {
		if calls := again[by]; calls != nil {
			policy := *selective[by]
			policy.Calls, policy.Rest = calls, ""
			out = append(out, rangeOf(strip).On(tenfold.Compaction{
				Profile: strip.Profile, Strategy: strip.Strategy, Source: strip.Source, ToolCalls: &policy,
			}))
		}
	}
	return out
}

// unnamed is what befell a call that a selective policy does not name.
func unnamed(p *tenfold.Projection, c aCall) tenfold.CallPolicy {
	if hidden(p, c.seq) {
		return tenfold.CallPolicy{Action: tenfold.Omit}
	}
	request, _, _ := p.Fate(c.seq)
	response, _, _ := p.Fate(c.result)
	return tenfold.CallPolicy{Action: tenfold.Strip, Request: request != tenfold.Kept, Response: response != tenfold.Kept}
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
