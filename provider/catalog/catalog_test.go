package catalog_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/provider"
	"tenfold/provider/catalog"
	"tenfold/provider/providertest"
)

// spy sees where a request goes and with what.
type spy struct{ url, key, body string }

// RoundTrip implements [http.RoundTripper].
func (s *spy) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	*s = spy{url: r.URL.String(), body: string(raw)}
	for _, h := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		s.key += r.Header.Get(h)
	}
	return nil, errors.Join(errors.New("offline"), err)
}

func TestOpen(t *testing.T) {
	getenv := func(name string) string {
		return map[string]string{"ANTHROPIC_API_KEY": "a-key", "OPENAI_API_KEY": "o-key", "GEMINI_API_KEY": "g-key", "MINE": "m-key"}[name]
	}
	settings := map[string]catalog.Settings{
		"local":  {BaseURL: "http://127.0.0.1:8080/v1"},
		"hosted": {BaseURL: "https://hosted.example/v1/", KeyEnv: "MINE", API: "responses", Extra: `{"temperature":0}`},
		"claude": {Type: "anthropic", BaseURL: "https://proxy.example", KeyEnv: "MINE"},
		"google": {Type: "gemini", BaseURL: "https://proxy.example/v1", KeyEnv: "MINE"},
		"broken": {Type: "telepathy", BaseURL: "https://x.example"},
		"empty":  {BaseURL: "https://x.example", KeyEnv: "NOT_SET"},
		"lost":   {},
		"query":  {BaseURL: "http://127.0.0.1:1/admin/x?y="},
		"parent": {Type: "anthropic", BaseURL: "http://127.0.0.1:1/v1/../x"},
		"secret": {Type: "gemini", BaseURL: "http://me:hunter2@127.0.0.1:1/", KeyEnv: "MINE"},
	}
	builtins := catalog.Catalog{Getenv: getenv}
	moved := catalog.Catalog{Getenv: getenv, Settings: map[string]catalog.Settings{
		"openai": {BaseURL: "https://elsewhere.example/v1"}, "anthropic": {BaseURL: "https://elsewhere.example"},
		"gemini": {BaseURL: "https://elsewhere.example"}, "ollama": {API: "responses"},
	}}
	all := catalog.Catalog{Getenv: getenv, Settings: settings}
	for _, c := range []struct {
		from      catalog.Catalog
		name      string
		url, key  string
		body      string
		kind      provider.Kind
		inMessage string
	}{
		{builtins, "anthropic/claude-sonnet-4-5", "https://api.anthropic.com/v1/messages", "a-key", `"model":"claude-sonnet-4-5"`, "", ""},
		{builtins, "openai/gpt-5", "https://api.openai.com/v1/responses", "Bearer o-key", `"input":`, "", ""},
		{builtins, "gemini/gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "g-key", `"contents":`, "", ""},
		{builtins, "ollama/qwen3:8b", "http://localhost:11434/v1/chat/completions", "", `"model":"qwen3:8b"`, "", ""},
		{all, "anthropic/claude-sonnet-4-5", "https://api.anthropic.com/v1/messages", "a-key", ``, "", ""},
		{all, "local/org/model", "http://127.0.0.1:8080/v1/chat/completions", "", `"model":"org/model"`, "", ""},
		{all, "hosted/m", "https://hosted.example/v1/responses", "Bearer m-key", `"temperature":0`, "", ""},
		{all, "claude/m", "https://proxy.example/v1/messages", "m-key", `"max_tokens":`, "", ""},
		{all, "google/m", "https://proxy.example/v1/models/m:streamGenerateContent?alt=sse", "m-key", `"contents":`, "", ""},
		{moved, "openai/gpt-5", "https://elsewhere.example/v1/chat/completions", "", ``, "", ""},
		{moved, "anthropic/m", "https://elsewhere.example/v1/messages", "", ``, "", ""},
		{moved, "gemini/m", "https://elsewhere.example/v1beta/models/m:streamGenerateContent?alt=sse", "", ``, "", ""},
		{moved, "ollama/m", "http://localhost:11434/v1/responses", "", ``, "", ""},
		{all, "broken/m", "", "", "", provider.Invalid, "telepathy"},
		{all, "empty/m", "", "", "", provider.Authentication, "NOT_SET"},
		{all, "lost/m", "", "", "", provider.Invalid, "no base_url"},
		{all, "query/m", "", "", "", provider.Invalid, "must not have a query"},
		{all, "parent/m", "", "", "", provider.Invalid, "must not have . or .."},
		{all, "secret/m", "", "", "", provider.Invalid, "holds a user or a password"},
		{all, "nobody/m", "", "", "", provider.Invalid, `unknown provider "nobody"`},
		{all, "anthropic", "", "", "", provider.Invalid, "invalid model name"},
		{all, "anthropic/", "", "", "", provider.Invalid, "invalid model name"},
		{catalog.Catalog{}, "openai/gpt-5", "", "", "", provider.Authentication, "OPENAI_API_KEY"},
	} {
		s := &spy{}
		c.from.Client = &http.Client{Transport: s}
		m, err := c.from.Open(c.name)
		if c.kind != "" {
			if provider.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.inMessage) || m != nil {
				t.Errorf("%s: %v, %v", c.name, m, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, err = provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t)})
		if provider.KindOf(err) != provider.Unreachable || s.url != c.url || s.key != c.key || !strings.Contains(s.body, c.body) || m.Name() != c.name {
			t.Errorf("%s: %+v, %v", c.name, *s, err)
		}
	}
	for _, name := range catalog.Builtin() {
		if m, err := builtins.Open(name + "/m"); err != nil || m.Name() != name+"/m" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A script needs no key, no address and no network.
func TestOpenScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "play.jsonl")
	c := catalog.Catalog{Settings: map[string]catalog.Settings{
		"demo": {Type: "script", File: file}, "ollama": {Type: "script", File: file},
	}}
	if _, err := c.Open("demo/one"); provider.KindOf(err) != provider.Invalid || !strings.Contains(err.Error(), "cannot be played") {
		t.Errorf("without a file: %v", err)
	}
	if err := os.WriteFile(file, []byte(`{"text":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open("demo/one"); err == nil || !strings.Contains(err.Error(), file+": line 1: /text is a number, not a string") {
		t.Errorf("of a bad file: %v", err)
	}
	if err := os.WriteFile(file, []byte(`{"text":"It was baked."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo/one", "ollama/m"} {
		m, err := c.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t)})
		if err != nil || got.Text() != "It was baked." || m.Name() != name || got.Usage.Model != name {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if err := os.WriteFile(file, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open("demo/one"); provider.KindOf(err) != provider.Invalid || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a file that is none: %v", err)
	}
}
