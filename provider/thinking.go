package provider

import (
	"slices"
	"strings"
)

// thinking are how the names of models begin that think before they answer unless told otherwise, and
// plain those among them that do not. As of 2026-11:
//
//   - https://platform.claude.com/docs/en/build-with-claude/thinking
//   - https://developers.openai.com/api/docs/guides/reasoning
//   - https://ai.google.dev/gemini-api/docs/thinking
var (
	thinking = []string{
		"claude-fable-", "claude-mythos-", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5",
		"gpt-5", "gpt-6", "gpt-oss", "o1", "o3", "o4", "codex-", "gemini-2.5", "gemini-3", "gemini-4", "gemini-flash", "gemini-pro",
	}
	plain = []string{"gpt-5-chat", "gpt-5.1-chat", "gemini-2.5-flash-lite"}
)

// Thinks reports whether a model is known to think before it answers unless told otherwise. What it
// thinks counts into [Request.MaxTokens], so that a limit for the answer alone leaves none of it.
func Thinks(model string) bool {
	name := ownName(model)
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc(thinking, begins) && !slices.ContainsFunc(plain, begins)
}
