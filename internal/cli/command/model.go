package command

import (
	"context"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tenfold/body"
	"tenfold/internal/config"
	"tenfold/provider"
	"tenfold/provider/catalog"
)

// Models are opened only here. Three rules protect conversations and keys:
//
//   - a model is called only if whoever runs the program named it, and chose the
//     strategy that calls it: see package compaction;
//   - the key of a built-in provider goes only to that provider's own address
//     (package catalog);
//   - a workspace's file cannot set models, addresses, keys or scripts until it
//     is trusted ([config.Trust]), and a conversation never can.

// OpenModel opens a model by name. Nothing is sent. If only the key is missing,
// it returns a model that fails when it is called.
func OpenModel(e *config.Effective, name string, waiting func(attempt int, err error, d time.Duration)) (provider.Model, error) {
	m, err := OpenOnce(e, name)
	switch {
	case provider.KindOf(err) == provider.Authentication:
		return keyless{name, err}, nil
	case err != nil:
		return nil, err
	}
	return provider.Retry(m, provider.Policy{Random: rand.Float64, Waiting: waiting}), nil
}

// OpenOnce opens a model by name that does not retry, for callers that do. A
// missing key is an error.
func OpenOnce(e *config.Effective, name string) (provider.Model, error) {
	return catalog.Catalog{Settings: providerSettings(e), Getenv: os.Getenv}.Open(name)
}

// providerSettings are the settings of all providers. Default names of keys are
// left to the catalog, which knows where each may go.
func providerSettings(e *config.Effective) map[string]catalog.Settings {
	all := map[string]catalog.Settings{}
	for name, p := range e.Providers {
		s := catalog.Settings{
			Type: p.Type, API: p.API, BaseURL: string(p.BaseURL), Timeout: time.Duration(p.Timeout),
		}
		if o, ok := e.Origin("providers", name, "api_key_env"); ok && o.Kind != config.Default {
			s.KeyEnv = string(p.APIKeyEnv)
		}
		if p.File != "" {
			o, _ := e.Origin("providers", name, "file")
			s.File = BesideFile(p.File, o)
		}
		all[name] = s
	}
	return all
}

// BesideFile resolves a file name in a setting: relative to the configuration
// file it is in, else to the working directory.
func BesideFile(name string, o config.Origin) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if (o.Kind == config.User || o.Kind == config.Workspace) && !filepath.IsAbs(name) {
		return filepath.Join(filepath.Dir(o.Name), name)
	}
	return name
}

// keyless is a model whose key is missing: a dry run works, calls fail.
type keyless struct {
	name string
	err  error
}

func (k keyless) Name() string { return k.name }

func (keyless) Profile() body.Profile { return body.Anthropic() }

func (k keyless) Stream(context.Context, provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) { yield(provider.Event{}, k.err) }
}

func (k keyless) Count(context.Context, provider.Request) (provider.Count, error) {
	return provider.Count{}, k.err
}
