package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/problem"
	"tenfold/store/vault"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/tool"
)

// Tail is what stays at the end when nothing else is said (C3).
func (c Config) Tail() tenfold.Tail {
	return tenfold.Tail{Turns: int(c.Conversation.Compaction.KeepLast), Tokens: int(c.Conversation.Compaction.KeepTokens)}
}

// ProfileNames lists the profiles, sorted.
func (c Config) ProfileNames() []string {
	return slices.Sorted(maps.Keys(c.Conversation.Compaction.Profiles))
}

// Profile gives a profile as a strategy. An unknown name is
// [strategy.ErrUnknown].
func (c Config) Profile(name string) (strategy.Profile, error) {
	p, ok := c.Conversation.Compaction.Profiles[name]
	if !ok {
		if base, _, _ := strings.Cut(name, ":"); slices.Contains(strategy.Names(), base) {
			return strategy.Profile{}, isThe(name, "profile", "strategy")
		}
		return strategy.Profile{}, strategy.UnknownName("profile", name, c.ProfileNames())
	}
	out := strategy.Profile{
		Title: name, Reasoning: p.Reasoning.policy(), Attachments: p.Attachments.policy(),
		ToolCalls: p.ToolCalls.policy(), Turns: p.Turns.Policy,
	}
	if p.Fit != "" {
		fit, err := strategy.ParseTarget(string(p.Fit))
		if err != nil {
			return strategy.Profile{}, fmt.Errorf("profile %s: %w", name, err)
		}
		out.Fit = fit
	}
	if p.Summary.Policy == "summarize" {
		out.Summary = &strategy.ProfileSummary{
			Placement: p.Summary.Placement, Instructions: p.Summary.Instructions,
			Optional: p.Summary.Optional, Budget: int(p.Summary.Budget),
		}
	}
	return out, nil
}

func (p Policy) policy() *tenfold.Policy {
	if p.Policy == "" {
		return nil
	}
	return &tenfold.Policy{Action: p.Policy, Over: tenfold.Size(p.Over)}
}

func (t ToolCalls) policy() *tenfold.ToolPolicy {
	if t.Policy == "" {
		return nil
	}
	out := tenfold.ToolPolicy{Action: t.Policy, Over: tenfold.Size(t.Over), FirstLine: t.FirstLine, Recall: t.Recall, Arguments: t.Arguments}
	switch t.Policy {
	case "strip":
		out.Request, out.Response = true, true
	case "strip-requests":
		out.Action, out.Request = tenfold.Strip, true
	case "strip-responses":
		out.Action, out.Response = tenfold.Strip, true
	default:
		return &out
	}
	if t.Request != nil {
		out.Request = *t.Request
	}
	if t.Response != nil {
		out.Response = *t.Response
	}
	return &out
}

// Strategy reads a strategy as --strategy writes it, with what the
// configuration says of its parameters.
func (c Config) Strategy(text string) (strategy.Strategy, error) {
	name, said, _ := strings.Cut(text, ":")
	parameters := c.parameters(name)
	if said != "" {
		parameters = append(parameters, said)
	}
	if len(parameters) > 0 {
		name += ":" + strings.Join(parameters, ",")
	}
	s, err := strategy.Parse(name)
	if errors.Is(err, strategy.ErrUnknown) {
		if slices.Contains(c.ProfileNames(), name) {
			return nil, isThe(name, "strategy", "profile")
		}
		if first, _, more := strings.Cut(name, ","); more && slices.Contains(strategy.Names(), first) {
			return nil, &problem.Error{Problem: fmt.Sprintf("unknown strategy %q", name), Hint: "give each strategy its own --strategy", Err: strategy.ErrUnknown}
		}
	}
	return s, err
}

// isThe tells who takes a profile for a strategy, or the other way round.
func isThe(name, wanted, other string) error {
	return &problem.Error{
		Problem: fmt.Sprintf("unknown %s %q", wanted, name), Hint: fmt.Sprintf("it is a %s, which --%s takes", other, other), Err: strategy.ErrUnknown,
	}
}

// parameters are those of a strategy that the configuration sets otherwise
// than the strategy itself does.
func (c Config) parameters(name string) []string {
	compaction := c.Conversation.Compaction
	var out []string
	switch name {
	case "auto":
		if compaction.SummarizeThreshold > 0 {
			out = append(out, "summarize_threshold="+strconv.FormatFloat(float64(compaction.SummarizeThreshold), 'g', -1, 64))
		}
	case "micro":
		out = append(out, fmt.Sprintf("keep_recent=%d", compaction.Micro.KeepRecent), "over="+tenfold.Size(compaction.Micro.Over).String())
		if !slices.Equal(compaction.Micro.Exempt, usualExempt) {
			out = append(out, "exempt="+strings.Join(compaction.Micro.Exempt, "+"))
		}
	}
	return out
}

// usualExempt is what stands for the tools that are exempt by themselves: the
// names here and their like in other agents.
var usualExempt = []string{"skill", "task", "todo_write", "todo_read", "ask"}

// ToolSettings are what is said of single tools (H1); nil where nothing is.
func (c Config) ToolSettings() tool.Settings {
	all := tool.Settings{}
	for name, t := range c.Agent.Tools {
		if t.Subsumes {
			all[name] = tool.Setting{Subsumes: &t.Subsumes}
		}
	}
	for name, t := range c.Conversation.Tools {
		h := t.Compaction
		all[name] = tool.Setting{
			Request: h.Request, Response: h.Response,
			Dedup: h.Dedup, Subsumes: cmp.Or(h.Subsumes, all[name].Subsumes), Exempt: h.Exempt,
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// KeyNames are the environment variables that hold keys, or say where ours are kept, as the
// address of a store may hold a password: no program is given them.
func (c Config) KeyNames() []string {
	names := []string{"TENFOLD_TOKEN", "TENFOLD_STORE", vault.EnvKey, vault.EnvFile, vault.EnvCommand}
	for _, p := range c.Providers {
		if p.APIKeyEnv != "" {
			names = append(names, string(p.APIKeyEnv))
		}
	}
	return names
}

// Window is how many tokens the context of a model holds (T5); a conversation
// that names none has the model of the configuration.
func (c Config) Window(model string) int {
	model = cmp.Or(model, string(c.Model.Name))
	var w token.Windows
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		w = w.With(name, int(c.Models[name].ContextWindow))
	}
	tokens, _ := w.Window(model)
	return tokens
}

// MaxOutput is how many tokens a model may answer; 0 when that is not known.
func (c Config) MaxOutput(model string) int {
	var w token.Windows
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		w = w.WithOutput(name, int(c.Models[name].MaxOutput))
	}
	tokens, _ := w.Output(model)
	return tokens
}

// Dangling lists the names in the configuration that nothing has, as problems whose
// subject is the key.
func (c Config) Dangling() []*problem.Error {
	const at = "conversation.compaction."
	var all []*problem.Error
	compaction := c.Conversation.Compaction
	if _, err := c.Profile(compaction.DefaultProfile); err != nil {
		all = append(all, &problem.Error{
			Subject: at + "default_profile", Problem: "no profile " + quoteTOML(compaction.DefaultProfile),
			Hint: "choose one of " + strings.Join(c.ProfileNames(), ", "),
		})
	}
	model := func(key string, m ModelName) {
		if _, ok := c.Providers[m.Provider()]; !ok && m != "" {
			all = append(all, &problem.Error{
				Subject: key, Problem: "no provider " + quoteTOML(m.Provider()),
				Hint: "choose one of " + strings.Join(slices.Sorted(maps.Keys(c.Providers)), ", ") + ", or add [providers." + m.Provider() + "]",
			})
		}
	}
	model("model.name", c.Model.Name)
	model(at+"summarizer_model", compaction.SummarizerModel)
	for _, name := range c.ProfileNames() {
		model(at+"profiles."+join([]string{name})+".summary.model", compaction.Profiles[name].Summary.Model)
	}
	return append(all, c.danglingAgent()...)
}
