package provider_test

import (
	"testing"

	"tenfold/provider"
)

func TestThinks(t *testing.T) {
	for model, want := range map[string]bool{
		"anthropic/claude-opus-5-5": true, "us.anthropic.claude-sonnet-5": true, "claude-haiku-5.5": true, "anthropic/claude-sonnet-4-6": false, "claude-haiku-4-5": false,
		"openai/gpt-6.2": true, "openai/gpt-5-chat-latest": false, "openai/gpt-4.1": false, "openai/o3-mini": true, "ollama/gpt-oss:20b": true,
		"gemini/gemini-3-pro": true, "gemini/gemini-2.0-flash": false, "gemini/gemini-2.5-flash-lite": false, "ollama/qwen3:8b": false, "": false,
	} {
		if got := provider.Thinks(model); got != want {
			t.Errorf("%q: %v", model, got)
		}
	}
}
