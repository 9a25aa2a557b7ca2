package tenfold

import "slices"

// config is the configuration in effect at the end of the log.
type config struct {
	current      Config
	extras       []string // what the deltas hold beside, in order
	systemTokens int
	toolTokens   []int
}

// Config is a configuration: what all config deltas together say.
type Config struct {
	Model  string
	System string
	Tools  []ToolDefinition
}

// Config is the configuration in effect (P7), with the system prompt and the
// tools as the projection shows them: summaries placed there (P4), pruned
// tools gone.
func (p *Projection) Config() Config {
	c := p.config.current
	c.System = p.system()
	if pruned := p.pruned(); pruned != nil {
		c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t ToolDefinition) bool {
			return pruned[t.Name]
		})
	}
	return c
}

// Continuation is the section that summaries placed in the system prompt add to
// its end (P4): for clients that bring a system prompt of their own. Empty
// without any.
func (p *Projection) Continuation() string {
	p.arrange()
	return p.continuation()
}

func (c *config) merge(counter Counter, d ConfigDelta) {
	if d.Extra != "" {
		c.extras = append(c.extras, d.Extra)
	}
	if d.Model != "" {
		c.current.Model = d.Model
	}
	if d.System != nil {
		c.current.System = *d.System
		c.systemTokens = counter.Count(*d.System)
	}
	if d.Tools != nil {
		c.current.Tools = *d.Tools
		c.toolTokens = make([]int, len(*d.Tools))
		for i, t := range *d.Tools {
			c.toolTokens[i] = counter.Count(t.Name) + counter.Count(t.Description) + counter.Count(t.Schema)
		}
	}
}

// count sums the configuration raw and as projected, texts placed in the
// system prompt aside.
func (c *config) count(p *Projection) Count {
	sum := Count{Before: c.systemTokens, After: c.systemTokens}
	pruned := p.pruned()
	for i, t := range c.toolTokens {
		sum.Before += t
		if !pruned[c.current.Tools[i].Name] {
			sum.After += t
		}
	}
	return sum
}

// pruned names the tools whose definitions go: the latest live overlay with an
// opinion says so.
func (p *Projection) pruned() map[string]bool {
	for i := len(p.overlays) - 1; i >= 0; i-- {
		if o := &p.overlays[i]; o.live && o.lo <= o.hi && o.c.ToolDefinitions != nil {
			if o.c.ToolDefinitions.Action != Prune {
				return nil
			}
			names := make(map[string]bool, len(o.c.ToolDefinitions.Names))
			for _, name := range o.c.ToolDefinitions.Names {
				names[name] = true
			}
			return names
		}
	}
	return nil
}
