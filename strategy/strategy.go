package strategy

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"tenfold"
	"tenfold/tool"
)

// Options are what all strategies of a plan share.
type Options struct {
	// Range is what may be compacted.
	Range tenfold.Range
	// Hints are the tools' wishes; nil means [tool.Builtin].
	Hints tool.Hints
	// Source says who asks: "user", "auto", …
	Source string
}

// A Strategy proposes overlays. Implementations are safe for concurrent use
// and keep nothing of what they are shown.
type Strategy interface {
	// Name is the strategy as it is written: name and parameters.
	Name() string
	// Propose gives the overlays the strategy would lay over p within
	// o.Range; none when it has nothing to say. Bounds and Source are set.
	Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error)
}

// A Step is what one strategy of a plan does (S-17).
type Step struct {
	Strategy string
	// Entries is how many entries it changes the fate or cost of.
	Entries int
	// Before and After are the projection's tokens before and after it.
	Before, After int
}

// A Plan is what a pipeline would do. It was made for one version of the log.
type Plan struct {
	Version     int64
	Range       tenfold.Range
	Compactions []tenfold.Compaction
	Steps       []Step
	// Before and After are the projection as it stands and as it would be.
	Before, After *tenfold.Projection
	// Nothing says why there is nothing to do; empty when there is (S-16).
	Nothing string
}

// A Pipeline is strategies composed left to right.
type Pipeline []Strategy

// Plan runs the pipeline over the range (S-15 to S-17). It writes nothing.
func (pl Pipeline) Plan(ctx context.Context, p *tenfold.Projection, o Options) (Plan, error) {
	if o.Hints == nil {
		o.Hints = tool.Builtin()
	}
	plan := Plan{Version: p.Version(), Range: o.Range, Before: p, After: p}
	for _, s := range pl {
		if err := ctx.Err(); err != nil {
			return Plan{}, err
		}
		proposed, err := s.Propose(ctx, plan.After, o)
		if err != nil {
			return Plan{}, fmt.Errorf("strategy %s: %w", s.Name(), err)
		}
		plan.add(s.Name(), proposed)
	}
	if len(plan.Compactions) == 0 {
		plan.Nothing = fmt.Sprintf("nothing in turns %s would change", o.Range)
	}
	return plan, nil
}

// add takes in what one strategy proposes, if it changes anything, and reports
// what each of its slots gains.
func (plan *Plan) add(name string, proposed []tenfold.Compaction) {
	before := plan.After
	next := before
	if len(proposed) > 0 {
		next = before.With(proposed...)
	}
	changed := before.Changed(next)
	if changed == 0 && next.Tokens() == before.Tokens() {
		plan.Steps = append(plan.Steps, Step{Strategy: name, Before: before.Tokens(), After: before.Tokens()})
		return
	}
	for i := range proposed {
		proposed[i].TokensBefore, proposed[i].TokensAfter = before.Tokens(), next.Tokens()
	}
	plan.Compactions = append(plan.Compactions, proposed...)
	plan.After = next
	parts := slots(proposed)
	if len(parts) < 2 {
		plan.Steps = append(plan.Steps, Step{name, changed, before.Tokens(), next.Tokens()})
		return
	}
	for _, part := range parts {
		with := before.With(part.compaction)
		plan.Steps = append(plan.Steps, Step{part.name, before.Changed(with), before.Tokens(), with.Tokens()})
		before = with
	}
}

// part is one slot of an overlay, named for the strategy that would make it.
type part struct {
	name       string
	compaction tenfold.Compaction
}

// slots takes a lone overlay apart, so that what each slot gains can be told.
// Overlays whose slots hang together are left whole.
func slots(proposed []tenfold.Compaction) []part {
	if len(proposed) != 1 || proposed[0].Summary != nil || proposed[0].Turns != "" {
		return nil
	}
	c := proposed[0]
	bare := tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}.On(tenfold.Compaction{})
	var parts []part
	put := func(name string, set func(*tenfold.Compaction)) {
		one := bare
		set(&one)
		parts = append(parts, part{name, one})
	}
	if c.Reasoning != nil {
		put("strip-reasoning", func(d *tenfold.Compaction) { d.Reasoning = c.Reasoning })
	}
	if c.ToolCalls != nil {
		put("strip-tools", func(d *tenfold.Compaction) { d.ToolCalls = c.ToolCalls })
	}
	if c.Attachments != nil {
		put("strip-attachments", func(d *tenfold.Compaction) { d.Attachments = c.Attachments })
	}
	if c.ToolDefinitions != nil {
		put("prune-tools", func(d *tenfold.Compaction) { d.ToolDefinitions = c.ToolDefinitions })
	}
	return parts
}

// ErrUnknown says that there is no strategy or profile of a name.
var ErrUnknown = errors.New("unknown")

// strategies is what Parse knows, by name.
var strategies = map[string]func() Strategy{
	"strip-reasoning": func() Strategy { return stripReasoning{} },
	"strip-tools":     func() Strategy { return stripTools{name: "strip-tools", request: true, response: true} },
	// The alias of S-2 strips results only.
	"strip-tool-results": func() Strategy { return stripTools{name: "strip-tool-results", response: true} },
}

// Names lists the strategies, sorted.
func Names() []string {
	names := make([]string, 0, len(strategies))
	for name := range strategies {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// configurable is implemented by strategies that take parameters.
type configurable interface {
	with(key, value string) (Strategy, error)
}

// Parse reads a strategy as a command line writes it: "name" or
// "name:key=value,key=value". An unknown name is ErrUnknown.
func Parse(text string) (Strategy, error) {
	name, parameters, _ := strings.Cut(text, ":")
	fresh, ok := strategies[name]
	if !ok {
		return nil, fmt.Errorf("%w strategy %q: there are %s", ErrUnknown, name, strings.Join(Names(), ", "))
	}
	s := fresh()
	if parameters == "" {
		return s, nil
	}
	for parameter := range strings.SplitSeq(parameters, ",") {
		key, value, _ := strings.Cut(parameter, "=")
		c, ok := s.(configurable)
		if !ok {
			return nil, fmt.Errorf("strategy %s takes no parameters, so not %q", name, parameter)
		}
		next, err := c.with(key, value)
		if err != nil {
			return nil, fmt.Errorf("strategy %s: %w", name, err)
		}
		s = next
	}
	return s, nil
}
