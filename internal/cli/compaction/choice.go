package compaction

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/config"
	"tenfold/problem"
	"tenfold/strategy"
)

// chosen is a strategy and what chose it, in words.
type chosen struct {
	strategy.Strategy
	by string
	// keys are the settings that determine what it does, unless flags do.
	keys [][]string
}

// callsModel reports whether a strategy calls a model if there is one.
func (c chosen) callsModel() bool { return strategy.Summarises(c.Strategy) || NeedsModel(c.Strategy) }

// Choose finds the strategies in effect.
func (r *Flags) Choose(e *config.Effective) ([]chosen, error) { return r.choice(e, e.Config) }

// choice finds the strategies: those of flags; else none if there is a target;
// else those of a configuration; else its default profile.
func (r *Flags) choice(e *config.Effective, c config.Config) ([]chosen, error) {
	at := func(keys ...string) []string { return slices.Concat([]string{"conversation", "compaction"}, keys) }
	profile := func(name string) [][]string {
		return [][]string{at("profiles", name, "summary"), at("profiles", name, "summary", "policy")}
	}
	if len(r.Strategies) > 0 {
		return parseAll(c, r.Strategies, "--strategy", nil)
	}
	if r.Profile != "" || r.Given("profile") {
		p, err := c.Profile(r.Profile)
		return []chosen{{p, "--profile " + command.Quote(r.Profile), profile(r.Profile)}}, err
	}
	if r.Given("target") {
		return nil, nil // fit works on the raw log
	}
	if texts := c.Conversation.Compaction.Strategy; len(texts) > 0 {
		return parseAll(c, texts, "conversation.compaction.strategy", [][]string{at("strategy")})
	}
	const key = "conversation.compaction.default_profile"
	name := c.Conversation.Compaction.DefaultProfile
	p, err := c.Profile(name)
	if err != nil {
		origin, _ := e.Origin(at("default_profile")...)
		return nil, &problem.Error{Code: "config", Subject: origin.String() + ": " + key, Hint: command.Explain(err).Hint, Err: err}
	}
	return []chosen{{p, key + " " + command.Quote(name), append(profile(name), at("default_profile"))}}, nil
}

func parseAll(c config.Config, texts []string, by string, keys [][]string) ([]chosen, error) {
	var all []chosen
	for _, text := range texts {
		s, err := c.Strategy(text)
		switch {
		case errors.Is(err, strategy.ErrUnknown):
			return nil, err
		case err != nil:
			hint := cmp.Or(command.Explain(err).Hint, "write NAME or NAME:KEY=VALUE,KEY=VALUE")
			return nil, command.Usage("invalid "+by+" "+command.Quote(text)+": "+err.Error(), hint)
		}
		all = append(all, chosen{s, by + " " + command.Quote(text), keys})
	}
	return all, nil
}

// notOwn finds a strategy that calls a model but was chosen by an untrusted
// workspace file or by the conversation (M1a); nil if there is none. The other
// profiles get the instructions that whoever runs the program set.
func (r *Flags) notOwn(e *config.Effective, all []chosen) *chosen {
	mine, _ := r.choice(e, e.Mine) // without one, nothing is theirs
	for i, c := range all {
		if !c.callsModel() {
			continue
		}
		at := slices.IndexFunc(mine, func(m chosen) bool { return m.by == c.by && m.callsModel() })
		if at < 0 {
			return &all[i]
		}
		p, isProfile := c.Strategy.(strategy.Profile)
		if own, ok := mine[at].Strategy.(strategy.Profile); ok && isProfile {
			said := *p.Summary
			said.Instructions = own.Summary.Instructions
			p.Summary = &said
			all[i].Strategy = p
		}
	}
	return nil
}

// unasked says why a configured model is not called.
func (c *chosen) unasked(e *config.Effective, model string) string {
	for _, key := range c.keys {
		switch o, _ := e.Origin(key...); o.Kind {
		case config.Workspace:
			return o.String() + ": " + strings.Join(key, ".") + " would call " + model +
				`, but this file is not trusted: a digest is used; read it, then run "tenfold config trust"`
		case config.InConversation:
			return "the conversation sets " + strings.Join(key, ".") + ", which cannot make " + model +
				" be called: a digest is used; choose the strategy yourself, with --profile, --strategy or --cfg"
		}
	}
	return model + " is not called: a digest is used"
}
