package strategy

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"tenfold"
)

// A Profile is a named set of policies: one overlay over the range.
type Profile struct {
	Title       string
	Reasoning   *tenfold.Policy
	ToolCalls   *tenfold.ToolPolicy
	Attachments *tenfold.Policy
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
	}
}

// FindProfile gives the built-in profile of a name, or ErrUnknown.
func FindProfile(name string) (Profile, error) {
	all := Profiles()
	if p, ok := all[name]; ok {
		return p, nil
	}
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	sort.Strings(names)
	return Profile{}, fmt.Errorf("%w profile %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// Name implements [Strategy].
func (f Profile) Name() string { return "profile:" + f.Title }

// Propose implements [Strategy]: one overlay with all the profile's slots, and
// what must be said again of single calls on top of it.
func (f Profile) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	c := tenfold.Compaction{
		Profile: f.Title, Source: o.Source,
		Reasoning: f.Reasoning, ToolCalls: f.ToolCalls, Attachments: f.Attachments,
	}
	if c.ToolCalls != nil && c.ToolCalls.Hints == nil {
		withHints := *c.ToolCalls
		withHints.Hints = o.Hints.For(p.ToolNames())
		c.ToolCalls = &withHints
	}
	c = o.Range.On(c)
	return append([]tenfold.Compaction{c}, restate(p, c)...), nil
}
