package token_test

import (
	"testing"

	"tenfold/token"
)

func TestT5Windows(t *testing.T) {
	tests := []struct {
		model  string
		tokens int
		known  bool
	}{
		{"claude-3-opus-20240229", 200_000, true},
		{"claude-3-5-sonnet-latest", 200_000, true},
		{"claude-sonnet-4-5-20250929", 200_000, true},
		{"anthropic/claude-opus-4-5", 200_000, true},
		{"us.anthropic.claude-sonnet-4-20250514-v1:0", 200_000, true},
		{"claude-3-5-sonnet@20240620", 200_000, true},
		{"claude-2.0", 100_000, true},
		{"claude-opus-4-6", 1_000_000, true},
		{"claude-sonnet-4-6-20260217", 1_000_000, true},
		{"anthropic/claude-sonnet-4.6", 1_000_000, true},
		{"claude-sonnet-4.5", 200_000, true},
		{"anthropic/claude-opus-5-5", 1_000_000, true},
		{"us.anthropic.claude-fable-5-2", 1_000_000, true},
		{"claude-haiku-4-5", 200_000, true},
		{"claude-haiku-5-5", 1_000_000, true},
		{"claude-of-tomorrow", 200_000, true},
		{"gpt-5.3-codex", 400_000, true},
		{"openai/gpt-6.2-sol", 272_000, true},
		{"gpt-5.4-mini", 400_000, true},
		{"gemini-4-argon", 1_000_000, true},
		{"gpt-4o", 128_000, true},
		{"gpt-4o-2024-08-06", 128_000, true},
		{"openrouter/openai/gpt-4o-mini:free", 128_000, true},
		{"GPT-4-Turbo-2024-04-09", 128_000, true},
		{"gpt-4", 8_192, true},
		{"gpt-4-0613", 8_192, true},
		{"gpt-4.1", 1_047_576, true},
		{"gpt-4.1-mini-2025-04-14", 1_047_576, true},
		{"o1", 200_000, true},
		{"o1-mini", 128_000, true},
		{"o3-mini-2025-01-31", 200_000, true},
		{"models/gemini-2.5-pro", 1_000_000, true},
		{"gemini-1.5-flash-002", 1_000_000, true},
		{"gemini-3-pro-preview", 1_000_000, true},
		{"gpt-4x", token.FallbackWindow, false},
		{"o10", token.FallbackWindow, false},
		{"llama-3-70b", 128_000, false},
		{"", 128_000, false},
		{"/", 128_000, false},
	}
	for _, test := range tests {
		tokens, known := token.Windows{}.Window(test.model)
		if tokens != test.tokens || known != test.known {
			t.Errorf("%q: %d, %v, want %d, %v", test.model, tokens, known, test.tokens, test.known)
		}
	}
}

func TestT5ConfigExtendsTheTable(t *testing.T) {
	var base token.Windows
	w := base.With("Llama-3", 8_192).With("claude-sonnet-4-5", 1_000_000).With("gpt-4o", 64_000).With("azure/gpt-4o", 32_000)
	for model, want := range map[string]int{
		"llama-3-70b":                8_192,
		"meta/llama-3":               8_192,
		"claude-sonnet-4-5-20250929": 1_000_000,
		"claude-sonnet-4-20250514":   200_000,
		"gpt-4o-mini":                64_000,
		"azure/gpt-4o":               32_000,
		"openai/gpt-4o":              64_000,
	} {
		if tokens, known := w.Window(model); tokens != want || !known {
			t.Errorf("%s: %d, %v, want %d", model, tokens, known, want)
		}
	}
	if tokens, _ := base.Window("gpt-4o"); tokens != 128_000 {
		t.Errorf("the value extended has changed: %d", tokens)
	}
	if tokens, _ := w.With("gpt-4o", 1).With("gpt-4o", 2).Window("gpt-4o"); tokens != 2 {
		t.Errorf("the last addition does not win: %d", tokens)
	}
	if tokens, known := w.With("x", 0).With("", 5).Window("x"); known {
		t.Errorf("a window of no tokens was added: %d", tokens)
	}
}

// How long an answer may be, beside the context; not every model is known.
func TestT5Output(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-4o": 16_384, "openai/gpt-4o-mini-2024-07-18": 16_384, "ft:gpt-4o:org": 16_384, "gpt-4o-2024-05-13": 4_096, "gpt-4.1-mini": 32_768,
		"gpt-4": 8_192, "gpt-4-turbo-2024-04-09": 4_096, "gpt-5-mini": 128_000, "gpt-5-chat-latest": 16_384, "o3-mini": 100_000, "o1-mini": 65_536,
		"claude-3-haiku-20240307": 4_096, "anthropic/claude-3-5-haiku-20241022": 8_192, "claude-3-7-sonnet-latest": 64_000,
		"claude-opus-4-1-20250805": 32_000, "claude-opus-4-5": 64_000, "us.anthropic.claude-sonnet-4-20250514-v1:0": 64_000, "claude-sonnet-4-6": 128_000,
		"models/gemini-1.5-pro": 8_192, "gemini-2.0-flash-001": 8_192, "gemini-2.5-flash": 65_535,
		"claude-next": 0, "gemini-2.9": 0, "llama-3": 0, "": 0,
	} {
		if tokens, known := (token.Windows{}).Output(model); tokens != want || known != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", model, tokens, known, want)
		}
	}
	w := token.Windows{}.WithOutput("llama-3", 2_048).With("llama-3", 8_192).WithOutput("GPT-4o", 1_000).With("gpt-4o", 5).WithOutput("", 3).WithOutput("x", 0)
	for model, want := range map[string]int{"llama-3-70b": 2_048, "openai/gpt-4o": 1_000, "gpt-4o-2024-05-13": 4_096, "x": 0} {
		if tokens, _ := w.Output(model); tokens != want {
			t.Errorf("%s: %d, want %d", model, tokens, want)
		}
	}
	for model, want := range map[string]int{"llama-3-70b": 8_192, "gpt-4o-mini": 5, "x": token.FallbackWindow} {
		if tokens, _ := w.Window(model); tokens != want {
			t.Errorf("%s: a context of %d, want %d", model, tokens, want)
		}
	}
}

// Values made from the same one do not see each other's additions.
func TestT5WindowsAreValues(t *testing.T) {
	w := token.Windows{}.With("a", 1).With("b", 2).With("c", 3)
	x, y := w.With("x", 10), w.With("y", 20)
	if _, known := x.Window("y"); known {
		t.Error("x knows y")
	}
	if tokens, _ := y.Window("y"); tokens != 20 {
		t.Errorf("y is %d", tokens)
	}
}
