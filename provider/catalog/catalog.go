// Package catalog makes a model of its name: "anthropic/claude-sonnet-5-5",
// "ollama/qwen3:8b", or "NAME/model" with a NAME of the caller's own settings.
//
// It is the one package that knows all providers, and it is what the command
// line imports.
package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"tenfold/body"
	"tenfold/provider"
	"tenfold/provider/anthropic"
	"tenfold/provider/gemini"
	"tenfold/provider/openai"
	"tenfold/provider/script"
)

// Settings say how the models of one provider are reached. Fields that are
// empty are those of the built-in provider of the same name, if there is one.
type Settings struct {
	// Type is the wire format: "anthropic", "openai" or "gemini"; or "script",
	// which plays File and sends nothing. Empty for a name that is not built in
	// is openai.
	Type string
	// File holds the answers of a script, as [script.Parse] reads them.
	File string
	// API is "responses" or "chat", for the type openai. Empty is responses
	// at OpenAI and chat elsewhere, which is what other servers know best.
	API string
	// BaseURL is the address; a name that is not built in needs one.
	BaseURL string
	// KeyEnv names the environment variable with the key; empty for servers
	// that ask for none. A built-in provider's own key goes only to its own
	// address: who sets another BaseURL names the key for it as well.
	KeyEnv string
	// Timeout is the most a whole answer may take.
	Timeout time.Duration
	// Extra is a JSON object whose members go into each request.
	Extra string
}

// builtin are the providers that need no settings.
func builtin(name string) (Settings, bool) {
	switch name {
	case "anthropic":
		return Settings{Type: "anthropic", KeyEnv: "ANTHROPIC_API_KEY"}, true
	case "openai":
		return Settings{Type: "openai", API: "responses", KeyEnv: "OPENAI_API_KEY"}, true
	case "gemini":
		return Settings{Type: "gemini", KeyEnv: "GEMINI_API_KEY"}, true
	case "ollama":
		return Settings{Type: "openai", API: "chat", BaseURL: "http://localhost:11434/v1"}, true
	}
	return Settings{}, false
}

// Builtin lists the names that need no settings.
func Builtin() []string { return []string{"anthropic", "gemini", "ollama", "openai"} }

// A Catalog makes models. Its fields are not to be changed while it is in use;
// it is safe for concurrent use.
type Catalog struct {
	// Settings are the caller's, by name of the provider.
	Settings map[string]Settings
	// Getenv reads an environment variable: os.Getenv, or what stands for it.
	Getenv func(string) string
	// Client makes the requests; nil is Go's own.
	Client *http.Client
}

// Open makes the model of a name like "anthropic/claude-sonnet-5-5". Nothing is
// sent. Errors are [*provider.Error]: of kind Invalid for names and settings
// that are wrong, Authentication for a key that is not there.
func (c Catalog) Open(name string) (provider.Model, error) {
	vendor, model, ok := strings.Cut(name, "/")
	if !ok || vendor == "" || model == "" {
		return nil, &provider.Error{
			Kind: provider.Invalid, Message: fmt.Sprintf("invalid model name %q", name),
			Hint: "use PROVIDER/MODEL, for example anthropic/claude-sonnet-5-5",
		}
	}
	s, err := c.settings(vendor, name)
	if err != nil {
		return nil, err
	}
	if s.Type == "script" {
		return play(name, s.File)
	}
	o := provider.Options{BaseURL: s.BaseURL, Timeout: s.Timeout, Client: c.Client, Extra: s.Extra}
	if s.KeyEnv != "" {
		getenv := c.Getenv
		if getenv == nil {
			getenv = func(string) string { return "" }
		}
		if o.Key, err = provider.KeyFrom(getenv, s.KeyEnv); err != nil {
			return nil, err
		}
	}
	switch s.Type {
	case "anthropic":
		return opened(anthropic.New(name, o))
	case "gemini":
		return opened(gemini.New(name, o))
	case "openai":
		return opened(openai.New(name, openai.API(s.API), o))
	}
	return nil, &provider.Error{
		Kind: provider.Invalid, Model: name, Message: fmt.Sprintf("unknown provider type %q", s.Type),
		Hint: "use anthropic, openai, gemini or script",
	}
}

// play gives a model that plays a file.
func play(name, file string) (provider.Model, error) {
	data, err := os.ReadFile(file)
	why, hint := "", `name a file of JSON lines such as {"text":"…"} with "file"`
	var answers []script.Answer
	if err != nil {
		why = err.Error()
		if file == "" {
			why = "no file is named"
		}
	} else if answers, err = script.Parse(data); err != nil {
		why, hint = file+": "+err.Error(), `each line is an answer, such as {"text":"…"}`
	}
	if err != nil {
		return nil, &provider.Error{Kind: provider.Invalid, Model: name, Message: "the script cannot be played: " + why, Err: err, Hint: hint}
	}
	return provider.Observed(script.New(answers...).As(name, body.Anthropic())), nil
}

// opened keeps a nil pointer from becoming a model.
func opened[M provider.Model](m M, err error) (provider.Model, error) {
	if err != nil {
		return nil, err
	}
	return provider.Observed(m), nil
}

// settings joins what the caller says with what is built in.
func (c Catalog) settings(vendor, name string) (Settings, error) {
	s, set := c.Settings[vendor]
	b, known := builtin(vendor)
	switch {
	case !known && !set:
		names := slices.Compact(slices.Sorted(slices.Values(append(Builtin(), slices.Collect(maps.Keys(c.Settings))...))))
		return s, &provider.Error{
			Kind: provider.Invalid, Model: name, Message: fmt.Sprintf("unknown provider %q", vendor),
			Hint: "use " + strings.Join(names, ", ") + ", or configure another one with a base_url",
		}
	case !known && s.BaseURL == "" && s.Type != "script":
		return s, &provider.Error{
			Kind: provider.Invalid, Model: name, Message: fmt.Sprintf("provider %q has no base_url", vendor),
			Hint: "set base_url in its settings",
		}
	}
	s.Type = cmp.Or(s.Type, b.Type, "openai")
	own := known && s.Type == b.Type && (s.BaseURL == "" || s.BaseURL == b.BaseURL)
	if own {
		s.BaseURL = b.BaseURL
		s.KeyEnv = cmp.Or(s.KeyEnv, b.KeyEnv)
		s.API = cmp.Or(s.API, b.API)
	}
	if s.API == "" && s.Type == "openai" {
		s.API = "chat"
	}
	return s, nil
}
