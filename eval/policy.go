package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary"
)

// A Policy makes a view of a prefix: a strategy, or a baseline to hold
// strategies against.
type Policy struct {
	text   string
	family string
	target strategy.Target
	// baseline is set on what is not a strategy, or one under another name.
	baseline bool
	// strategies are those that make the view of everything, for a replay; nil
	// where there are none, or where they do not go over everything.
	strategies []strategy.Strategy
	view       func(ctx context.Context, c *Cut) (*View, error)
}

// String is the policy as it is written.
func (p Policy) String() string { return p.text }

// Family is the policy without its target: what differs by target alone is of
// one family, and one line of a plot.
func (p Policy) Family() string { return p.family }

// Baseline tells what is not a strategy, or one under another name.
func (p Policy) Baseline() bool { return p.baseline }

// View applies the policy to the prefix.
func (c *Cut) View(ctx context.Context, p Policy) (*View, error) {
	v, err := p.view(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", p.text, err)
	}
	return v, nil
}

// A BaselineInfo says what a baseline is.
type BaselineInfo struct {
	// Name is how it is written; those with a budget take "target=".
	Name, About string
	Budget      bool
}

// Baselines lists the baselines.
func Baselines() []BaselineInfo {
	return []BaselineInfo{
		{"none", "everything", false},
		{"keep-newest-10", "the newest 10 results, the others cleared (any number)", false},
		{"head-tail", "the newest 10 results, of the others head and tail", false},
		{"narration", "what was said, without the calls; of results 300 characters", false},
		{"window", "the newest whole turns within the target", true},
		{"suffix", "the newest lines within the target", true},
		{"code", "the newest texts of code within the target, each whole and once", true},
		{"atoms", "no lines, only a list of names: the adversary", true},
		{"clairvoyant", "the best lines for what will be used: the bound", true},
	}
}

// ParsePolicies reads policies, each once, those of [Defaults] where there are none;
// wrong words an error of one.
func ParsePolicies(texts []string, wrong func(text string, err error) error) (all []Policy, err error) {
	if len(texts) == 0 {
		texts = Defaults()
	}
	for i, text := range texts {
		if slices.Contains(texts[:i], text) {
			continue
		}
		p, err := ParsePolicy(text)
		if err != nil {
			return nil, wrong(text, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// ParsePolicy reads a policy: a baseline, with the target where it takes one
// ("suffix:target=10%"), or a strategy as a command line has it.
func ParsePolicy(text string) (Policy, error) {
	name, parameters, _ := strings.Cut(text, ":")
	p := Policy{text: text, family: familyOf(name, parameters), baseline: true}
	if n, ok := strings.CutPrefix(name, "keep-newest-"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 0 || parameters != "" {
			return Policy{}, fmt.Errorf("%q is not a policy: write keep-newest-10 or another number", text)
		}
		s, err := strategy.Parse(fmt.Sprintf("micro:keep_recent=%d,over=0", count))
		p.strategies, p.view = []strategy.Strategy{s}, planned(whole, s)
		return p, err
	}
	switch name {
	case "none", "head-tail", "narration":
		if parameters != "" {
			return Policy{}, fmt.Errorf("%s takes no parameters, so not %q", name, parameters)
		}
		if name == "none" {
			p.view = func(_ context.Context, c *Cut) (*View, error) { return c.ViewOf(c.projection), nil }
			return p, nil
		}
		if name == "narration" {
			p.view = func(_ context.Context, c *Cut) (*View, error) { return c.narration(), nil }
			return p, nil
		}
		s, err := strategy.Parse("trim-results")
		p.view = planned(beforeNewest, s)
		return p, err
	case "window", "suffix", "code", "atoms", "clairvoyant":
		return p.budgeted(name, parameters)
	}
	s, err := strategy.Parse(text)
	if err != nil {
		return Policy{}, err
	}
	for parameter := range strings.SplitSeq(parameters, ",") {
		if target, ok := strings.CutPrefix(parameter, "target="); ok {
			if p.target, err = strategy.ParseTarget(target); err != nil {
				return Policy{}, err
			}
		}
	}
	p.baseline, p.strategies, p.view = false, []strategy.Strategy{s}, planned(whole, s)
	return p, nil
}

// budgeted reads the parameters of a baseline with a budget.
func (p Policy) budgeted(name, parameters string) (Policy, error) {
	horizon := All
	for parameter := range strings.SplitSeq(parameters, ",") {
		key, value, _ := strings.Cut(parameter, "=")
		var err error
		switch {
		case parameter == "":
		case key == "target":
			p.target, err = strategy.ParseTarget(value)
		case key == "horizon" && name == "clairvoyant":
			if horizon, err = strconv.Atoi(value); err == nil && horizon < 1 {
				err = fmt.Errorf("horizon=%s: write how many requests to look ahead", value)
			}
		default:
			err = fmt.Errorf("%s has no parameter %q: write %s:target=10%%", name, key, name)
		}
		if err != nil {
			return Policy{}, err
		}
	}
	if !p.target.Set() {
		return Policy{}, fmt.Errorf("%s needs a target: write %s:target=10%%", name, name)
	}
	switch target := p.target; name {
	case "window":
		p.view = func(ctx context.Context, c *Cut) (*View, error) { return c.window(ctx, target) }
	case "suffix":
		p.view = func(_ context.Context, c *Cut) (*View, error) { return c.suffix(c.budget(target)), nil }
	case "code":
		p.view = func(_ context.Context, c *Cut) (*View, error) { return c.code(c.budget(target)), nil }
	case "atoms":
		p.view = func(_ context.Context, c *Cut) (*View, error) { return c.atomList(c.budget(target)), nil }
	default:
		p.view = func(_ context.Context, c *Cut) (*View, error) { return c.clairvoyant(c.budget(target), horizon), nil }
	}
	return p, nil
}

// familyOf is a policy's name and parameters without the target.
func familyOf(name, parameters string) string {
	rest := slices.DeleteFunc(strings.Split(parameters, ","), func(s string) bool {
		return s == "" || strings.HasPrefix(s, "target=")
	})
	if len(rest) == 0 {
		return name
	}
	return name + ":" + strings.Join(rest, ",")
}

// budget is a target in tokens.
func (c *Cut) budget(t strategy.Target) int {
	if t.Share > 0 {
		return int(t.Share * float64(c.tokens))
	}
	return t.Tokens
}

// whole is the range of everything.
func whole(c *Cut) (tenfold.Range, bool) {
	return tenfold.Range{ToTurn: c.log.Turns() - 1}, c.log.Turns() > 0
}

// newestLeft is how many of the newest results the baseline head-tail leaves
// alone.
const newestLeft = 10

// beforeNewest is the range up to the step before the newest results.
func beforeNewest(c *Cut) (tenfold.Range, bool) {
	left := newestLeft
	for seq := c.log.Version(); seq > 0; seq-- {
		if call := c.log.Pair(seq); call == 0 || call > seq {
			continue
		}
		if left--; left > 0 {
			continue
		}
		turn, step, _ := c.log.Where(seq)
		switch {
		case step > 0:
			step--
			return tenfold.Range{ToTurn: turn, ToStep: &step}, true
		case turn > 0:
			return tenfold.Range{ToTurn: turn - 1}, true
		}
		break
	}
	return tenfold.Range{}, false
}

// planned is the view that strategies make of a range. Where the range is
// empty, all stays.
func planned(over func(*Cut) (tenfold.Range, bool), strategies ...strategy.Strategy) func(context.Context, *Cut) (*View, error) {
	return func(ctx context.Context, c *Cut) (*View, error) {
		r, ok := over(c)
		if !ok {
			return c.ViewOf(c.projection), nil
		}
		plan, err := strategy.Pipeline(strategies).Plan(ctx, c.projection, strategy.Options{
			Range: r, Source: "lab", Summarizer: summary.Digest{}, Index: c.index,
		})
		if err != nil {
			return nil, err
		}
		v := c.ViewOf(plan.View())
		for _, s := range plan.Steps {
			v.Notes = append(v.Notes, s.Notes...)
		}
		return v, nil
	}
}
