package cli

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

// Where models are reached is read here, and nowhere else. Three things keep a
// conversation and a key from going where nobody meant them to:
//
//   - a model is called only if whoever runs the program named it, and chose what
//     it is called for: see modelFor and notOwn;
//   - the key of a provider that comes with the program goes to that provider's
//     own address only (package catalog);
//   - the file of a workspace says nothing of models, addresses, keys and scripts
//     until the person trusts it ([config.Trust]), and a conversation never does.

// openModel makes the model of a name. Nothing is sent. Where only the key is
// missing it gives a model that says so when it is asked.
func openModel(e *config.Effective, name string, waiting func(attempt int, err error, d time.Duration)) (provider.Model, error) {
	m, err := catalog.Catalog{Settings: providerSettings(e), Getenv: os.Getenv}.Open(name)
	switch {
	case provider.KindOf(err) == provider.Authentication:
		return keyless{name, err}, nil
	case err != nil:
		return nil, err
	}
	return provider.Retry(m, provider.Policy{Random: rand.Float64, Waiting: waiting}), nil
}

// providerSettings are the settings of all providers. The names of keys that
// are defaults are left to the catalog, which knows where each may go.
func providerSettings(e *config.Effective) map[string]catalog.Settings {
	all := map[string]catalog.Settings{}
	for name, p := range e.Providers {
		s := catalog.Settings{
			Type: string(p.Type), API: string(p.API), BaseURL: string(p.BaseURL), Timeout: time.Duration(p.Timeout),
		}
		if o, ok := e.Origin("providers", name, "api_key_env"); ok && o.Kind != config.Default {
			s.KeyEnv = string(p.APIKeyEnv)
		}
		if p.File != "" {
			o, _ := e.Origin("providers", name, "file")
			s.File = besideFile(p.File, o)
		}
		all[name] = s
	}
	return all
}

// besideFile finds a file that a setting names: from the directory of the file
// that names it, or from where the program runs.
func besideFile(name string, o config.Origin) string {
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

// keyless stands for a model whose key is not there. A dry run can tell of it,
// and what needs it learns why there is nothing.
type keyless struct {
	name string
	err  error
}

// Name implements [provider.Model].
func (k keyless) Name() string { return k.name }

// Profile implements [provider.Model].
func (keyless) Profile() body.Profile { return body.Anthropic() }

// Stream implements [provider.Model].
func (k keyless) Stream(context.Context, provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) { yield(provider.Event{}, k.err) }
}

// Count implements [provider.Model].
func (k keyless) Count(context.Context, provider.Request) (provider.Count, error) {
	return provider.Count{}, k.err
}
