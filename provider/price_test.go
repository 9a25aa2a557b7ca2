package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tenfold"
	"tenfold/provider"
)

func TestPrices(t *testing.T) {
	million := tenfold.Usage{Input: 1e6}
	for model, want := range map[string]float64{
		"claude-sonnet-4-5":                    3,
		"anthropic/claude-sonnet-4-5-20250929": 3,
		"claude-sonnet-5":                      2,
		"claude-fable-5-2":                     8,
		"openai/gpt-6.2-sol":                   4, // of a request of a million tokens
		"gemini-4-neon":                        3,
		"Claude-Opus-4-1":                      15,
		"openrouter/anthropic/claude-opus-4.1": 15,
		"claude-3-5-haiku-latest":              0.80,
		"openai/gpt-4o-2024-08-06":             2.50,
		"gpt-4o-mini":                          0.15,
		"gemini/gemini-2.5-flash":              0.30,
	} {
		if got, ok := provider.Cost(model, million); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v", model, got, ok, want)
		}
	}
	for _, model := range []string{
		"", "gpt", "gpt-4o-audio-preview", "gpt-5-codex-new", "claude-sonnet", "claude-sonnet-5-7", "claude-sonnet-5-beta",
		"ollama/qwen3:8b", "gpt-4o-2024-08-0x", "-latest", "-2024-08-06", "/", "gemini-2.5-flash-image",
	} {
		if got, ok := provider.Cost(model, million); ok || got != 0 {
			t.Errorf("%s costs %v: a guess", model, got)
		}
	}
}

func TestCostCountsEachKindOfToken(t *testing.T) {
	p := provider.Prices{"m": {Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 2, Above: 1000, Over: &provider.Price{Input: 100}}}
	u := tenfold.Usage{Input: 100, Output: 20, CacheRead: 500, CacheWrite: 400}
	if got, ok := p.Cost("x/m", u); !ok || math.Abs(got-1150e-6) > 1e-12 {
		t.Errorf("%v, %v", got, ok)
	}
	u.Input++ // 1001 tokens of input: the other price
	if got, ok := p.Cost("m", u); !ok || math.Abs(got-10100e-6) > 1e-12 {
		t.Errorf("above: %v, %v", got, ok)
	}
	said := 0.5
	u.Cost = &said
	if got, ok := p.Cost("unknown", u); !ok || got != said {
		t.Errorf("the provider's word: %v, %v", got, ok)
	}
	if got, ok := provider.Prices(nil).Cost("m", tenfold.Usage{Input: 1}); ok || got != 0 {
		t.Errorf("no table: %v, %v", got, ok)
	}
	if got := provider.Prices(nil).With(p)["m"].Input; got != 1 {
		t.Errorf("with: %v", got)
	}
	mine := provider.Shipped().With(provider.Prices{"gpt-4o": {Input: 7}})
	got, _ := mine.Cost("gpt-4o", tenfold.Usage{Input: 1e6})
	shipped, _ := provider.Cost("gpt-4o", tenfold.Usage{Input: 1e6})
	if got != 7 || shipped != 2.50 {
		t.Errorf("overridden %v, shipped %v", got, shipped)
	}
}

// Prices that are sane: reading a cache is no dearer than reading anew, and
// writing is dearer than reading.
func TestShippedPricesAreSane(t *testing.T) {
	p := provider.Shipped()
	if len(p) < 30 {
		t.Fatalf("%d prices", len(p))
	}
	for model, price := range p {
		for at := &price; at != nil; at = at.Over {
			if at.Input <= 0 || at.CacheRead > at.Input/2 || at.Output < at.Input || at.CacheWrite < at.Input {
				t.Errorf("%s: %+v", model, *at)
			}
		}
	}
}

func TestShippedPricesAreTheCallersOwn(t *testing.T) {
	dear := 0
	for name, price := range provider.Shipped() {
		if price.Over != nil {
			price.Over.Input *= -1
			if again := provider.Shipped()[name]; again.Over.Input < 0 {
				t.Errorf("%s: a caller's change of its table reaches the next one", name)
			}
			dear++
		}
	}
	if dear == 0 {
		t.Error("no model has a price for long requests")
	}
}

func TestParsePrices(t *testing.T) {
	for text, want := range map[string]string{
		"\"m\" = [1, 2, 3]":           "line 1",
		"\n\"m\" = [1, 2, 3, x]":      "line 2",
		"\"m\" = [1, 2, 3, -4]":       "line 1",
		"\"m\" = [1, 2, 3, NaN]":      "line 1",
		"m = [1, 2, 3, 4]":            "line 1",
		"nonsense":                    "line 1",
		"\"m > 5\" = [1, 2, 3, 4]":    "none below",
		"\"m > many\" = [1, 2, 3, 4]": "invalid number",
	} {
		if _, err := provider.ParsePrices(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestKeysAreNeverPrinted(t *testing.T) {
	key, err := provider.KeyFrom(func(name string) string { return "secret-of-" + name }, "MY_KEY")
	if err != nil || string(key) != "secret-of-MY_KEY" {
		t.Fatal(err)
	}
	o := provider.Options{Key: key}
	raw, err := json.Marshal(o.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(o), fmt.Sprintf("%+v %#v %s %q %x", o, o, key, key, key), string(raw)} {
		if strings.Contains(text, "secret") || strings.Contains(text, "736563") {
			t.Errorf("the key is in %s", text)
		}
	}
	_, err = provider.KeyFrom(func(string) string { return "" }, "MY_KEY")
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.Authentication || !strings.Contains(err.Error(), "MY_KEY") || e.Hint == "" {
		t.Errorf("%v", err)
	}
}
