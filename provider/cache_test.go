package provider_test

import (
	"testing"
	"time"

	"tenfold/provider"
)

func TestCacheRuleOf(t *testing.T) {
	tests := []struct {
		model string
		least int
		step  int
		known bool
	}{
		{"claude-opus-5-5", 512, 1, true},
		{"anthropic/claude-opus-4.6", 4096, 1, true},
		{"claude-fable-5-2", 512, 1, true},
		{"claude-sonnet-5", 1024, 1, true},
		{"gpt-5.5", 1024, 128, true},
		{"claude-sonnet-4-5-20250929", 1024, 1, true},
		{"anthropic/claude-opus-4-5", 4096, 1, true},
		{"Claude-Opus-4", 1024, 1, true},
		{"claude-3-5-haiku-latest", 2048, 1, true},
		{"claude-opus-5", 512, 1, true},
		{"openai/gpt-5", 1024, 128, true},
		{"o4-mini", 1024, 128, true},
		{"gemini-2.5-pro", 2048, 1, true},
		{"gemini-3.6-flash", 4096, 1, true},
		{"us.anthropic.claude-opus-4-5-20251101-v1:0", 4096, 1, true},
		{"bedrock/global.anthropic.claude-opus-5", 512, 1, true},
		{"gpt-oss:20b", 1024, 128, true},
		{"someones-own", 1024, 1, false},
		{"", 1024, 1, false},
	}
	for _, tt := range tests {
		rule, known := provider.CacheRuleOf(tt.model)
		if rule != (provider.CacheRule{Lifetime: 5 * time.Minute, Least: tt.least, Step: tt.step}) || known != tt.known {
			t.Errorf("%q: %+v, %v", tt.model, rule, known)
		}
	}
	for _, model := range []string{"gpt-5.6-sol", "openai/gpt-6.2-astra", "gpt-7"} {
		if rule, known := provider.CacheRuleOf(model); rule != (provider.CacheRule{Lifetime: 30 * time.Minute, Least: 1024, Step: 1, Flat: true}) || !known {
			t.Errorf("%q: %+v, %v", model, rule, known)
		}
	}
}

func TestCacheRuleHit(t *testing.T) {
	openAI, _ := provider.CacheRuleOf("gpt-4o")
	anthropic, _ := provider.CacheRuleOf("claude-sonnet-4-5")
	tests := []struct {
		rule         provider.CacheRule
		tokens, want int
	}{
		{anthropic, 1023, 0},
		{anthropic, 1024, 1024},
		{anthropic, 1025, 1025},
		{openAI, 1023, 0},
		{openAI, 1024, 1024},
		{openAI, 1151, 1024},
		{openAI, 1152, 1152},
		{provider.CacheRule{}, 7, 7},
	}
	for _, tt := range tests {
		if got := tt.rule.Hit(tt.tokens); got != tt.want {
			t.Errorf("%+v of %d: %d, want %d", tt.rule, tt.tokens, got, tt.want)
		}
	}
}

func TestPriceForLongRequests(t *testing.T) {
	p := provider.Price{Input: 1, Above: 100, Over: &provider.Price{Input: 2}}
	if p.For(100).Input != 1 || p.For(101).Input != 2 || (provider.Price{Input: 3}).For(1<<30).Input != 3 {
		t.Errorf("%+v, %+v", p.For(100), p.For(101))
	}
}

// Anthropic's cache of an hour costs twice the input to write; vendors that take
// nothing for writing take nothing for that, and OpenAI takes what it always takes.
func TestPriceKeptForAnHour(t *testing.T) {
	over := provider.Price{Input: 2, CacheRead: 0.2, CacheWrite: 2.5}
	p := provider.Price{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25, Above: 100, Over: &over}
	if got := p.KeptFor(59*time.Minute, provider.CacheRule{}); got != p {
		t.Errorf("for less than an hour: %+v", got)
	}
	got := p.KeptFor(time.Hour, provider.CacheRule{})
	if got.CacheWrite != 2 || got.CacheRead != 0.1 || got.Input != 1 || got.For(101).CacheWrite != 4 || over.CacheWrite != 2.5 {
		t.Errorf("for an hour: %+v, over the limit %+v", got, got.For(101))
	}
	free := provider.Price{Input: 1, CacheRead: 0.1, CacheWrite: 1}
	if got := free.KeptFor(24*time.Hour, provider.CacheRule{}); got != free {
		t.Errorf("of a vendor that takes nothing for writing: %+v", got)
	}
	openAI, _ := provider.CacheRuleOf("gpt-6.2-sol")
	if got := p.KeptFor(24*time.Hour, openAI); got != p {
		t.Errorf("of OpenAI: %+v", got)
	}
}
