package compaction

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/config"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/summary"
)

// subject is the conversation of a request, and the model it names.
type subject struct{ conversation, model string }

// chooseWriters chooses who writes summaries and who names tangents (M1a): as the
// command line says; else the model of modelFor, with the digest as fallback
// (A6); else the digest, which needs no model. Only a model names tangents.
func (r *Flags) chooseWriters(a *command.App, req *session.Request, e *config.Effective, all []chosen, of subject) error {
	r.Writers = &Writers{App: a}
	classifies := slices.IndexFunc(all, func(c chosen) bool { return NeedsModel(c.Strategy) })
	summarises := slices.ContainsFunc(all, func(c chosen) bool { return strategy.Summarises(c.Strategy) })
	req.Options.Summarizer = r.Writers
	var model *summary.Model
	if classifies >= 0 || (summarises && r.writer == nil) {
		name, key, told := modelFor(e, all)
		r.told = told
		if c := r.notOwn(e, all); c != nil && name != "" {
			if classifies >= 0 {
				return command.Usage(all[classifies].by+": a conversation cannot choose a strategy that calls a model", "choose it yourself, with --strategy")
			}
			r.told, name = c.unasked(e, name), ""
		}
		if name != "" {
			m, err := command.OpenModel(e, name, r.Writers.waiting)
			if err != nil {
				return Named(key, err)
			}
			model = r.Writers.Model(e, all, m)
		}
	}
	if classifies >= 0 {
		if model == nil {
			return command.Usage(all[classifies].by+": requires a model, and none is configured",
				"set one: --cfg conversation.compaction.summarizer_model=anthropic/claude-haiku-4-5")
		}
		if err := r.confirmTangents(a, req, all[classifies].by); err != nil {
			return err
		}
		r.Writers.classifier = summary.Classifier{Model: *model}
		req.Options.Classifier = r.Writers
	}
	switch {
	case r.writer != nil:
		r.Writers.by = r.writer
		return nil
	case model == nil:
		r.Writers.by = summary.Digest{}
	case e.Conversation.Compaction.Auto.Fallback == "none":
		r.Writers.by = *model
	default:
		r.Writers.by = summary.Ladder{*model, summary.Digest{}}
	}
	if !summarises {
		return nil
	}
	r.Writers.conversation = of.conversation
	dir, err := ArtifactsDir(a, e)
	if err == nil && dir != "" {
		r.Writers.artifacts = summary.Directory(dir)
	}
	return err
}

// modelFor chooses the model (M1a): the profile's, else the one for summaries,
// else the model of conversations, each as set by whoever runs the program. A
// model set by a conversation only causes a warning, since conversations come
// from elsewhere.
func modelFor(e *config.Effective, all []chosen) (name, key, told string) {
	keys := [][]string{{"conversation", "compaction", "summarizer_model"}, {"model", "name"}}
	for _, c := range all {
		if p, ok := c.Strategy.(strategy.Profile); ok && p.Summary != nil {
			keys = slices.Insert(keys, 0, []string{"conversation", "compaction", "profiles", p.Title, "summary", "model"})
		}
	}
	for _, path := range keys {
		own, origin, said := e.Own(path...)
		key = strings.Join(path, ".")
		if said != "" && told == "" {
			told = "ignored the model " + command.Quote(said) + " set by the conversation; set " + key + " yourself to use it"
		}
		if own != "" {
			return own, origin.String() + ": " + key, told
		}
	}
	return "", "", told
}

// Named adds to an error which setting named the model.
func Named(key string, err error) error {
	return &problem.Error{Code: "config", Subject: key, Hint: command.Explain(err).Hint, Err: err}
}

// Model makes a model write summaries.
func (k *Writers) Model(e *config.Effective, all []chosen, m provider.Model) *summary.Model {
	k.Name = m.Name()
	out := &summary.Model{
		Provider: m, Window: e.Mine.Window(m.Name()), MaxOutput: e.Mine.MaxOutput(m.Name()), Facts: summary.LedgerFacts, Cost: provider.Cost, Progress: k.at,
		// One request may take as long as its provider is given.
		Timeout: max(summary.DefaultTimeout, time.Duration(e.Providers[config.ModelName(m.Name()).Provider()].Timeout)),
	}
	for _, c := range all {
		if p, ok := c.Strategy.(strategy.Profile); ok && p.Summary != nil {
			out.MaxTokens = int(e.Mine.Conversation.Compaction.Profiles[p.Title].Summary.MaxTokens)
		}
	}
	return out
}

// ArtifactsDir is the directory of artifacts (M5): as configured, else beside the
// store; empty for a store in memory.
func ArtifactsDir(a *command.App, e *config.Effective) (string, error) {
	dir := e.Conversation.Compaction.SessionDir
	if dir != "" {
		o, _ := e.Origin("conversation", "compaction", "session_dir")
		return filepath.Abs(command.BesideFile(dir, o))
	}
	const ending = ".sessions"
	url := a.URL()
	if command.IsShared(url) {
		active, err := command.SharedActive(url)
		return strings.TrimSuffix(active, ".active") + ending, err
	}
	path, inMemory, err := command.StorePath(url, "--store or TENFOLD_STORE")
	if err != nil || inMemory {
		return "", err
	}
	return filepath.Abs(strings.TrimSuffix(path, ".db") + ending)
}

// NeedsModel reports whether a strategy can do nothing without a model: a digest
// can replace only a summary.
func NeedsModel(s strategy.Strategy) bool {
	return strategy.NeedsModel(s) && !strategy.Summarises(s)
}
