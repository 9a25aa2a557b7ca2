package provider

import (
	"strings"
	"time"
)

// A CacheRule is how a provider keeps the prompts it has read, so that the next
// request that begins alike reads that part at the price of a cache read. The
// part that is new is written, at the price of a cache write.
type CacheRule struct {
	// Lifetime is how long a prompt is kept that no request touches.
	Lifetime time.Duration
	// Least is how many tokens a prompt must have to be kept at all; what is
	// shorter costs what plain input costs.
	Least int
	// Step is what hits are counted in, in tokens: 1, or 128 with OpenAI.
	Step int
	// Flat is set where it costs no more to have prompts kept for longer, though it costs
	// something to write them.
	Flat bool
}

// Hit is how many of the tokens that a request has in common with what is kept
// are read from the cache.
func (r CacheRule) Hit(tokens int) int {
	if tokens < r.Least {
		return 0
	}
	return tokens - tokens%max(r.Step, 1)
}

// cacheRules are by what the names of models begin with; the first that fits
// counts. As of 2026-11:
//
//   - https://platform.claude.com/docs/en/build-with-claude/prompt-caching: five
//     minutes unless asked otherwise, begun anew by each use; the least depends
//     on the model.
//   - https://developers.openai.com/api/docs/guides/prompt-caching: from 1,024
//     tokens on. Up to 5.5 they are counted in steps of 128 and kept for 5 to 10
//     minutes of quiet, of which the lesser is taken here; later models keep
//     them for 30 minutes, to the token. Others run the models that are free to
//     run (gpt-oss), for which nothing is known.
//   - https://ai.google.dev/gemini-api/docs/caching: implicit, from 2,048 tokens
//     on with 2.5 and 4,096 with what came after. How long is not promised; five
//     minutes, as with the others, are an assumption.
var cacheRules = []struct {
	prefix string
	rule   CacheRule
}{
	{"claude-opus-4-5", anthropicRule(4096)},
	{"claude-opus-4-6", anthropicRule(4096)},
	{"claude-opus-4-7", anthropicRule(2048)},
	{"claude-haiku-4-5", anthropicRule(4096)},
	{"claude-3-5-haiku", anthropicRule(2048)},
	{"claude-3-haiku", anthropicRule(2048)},
	{"claude-sonnet-5-5", anthropicRule(512)},
	{"claude-opus-5", anthropicRule(512)},
	{"claude-fable-", anthropicRule(512)},
	{"claude-mythos-", anthropicRule(512)},
	{"claude-haiku-5", anthropicRule(512)},
	{"claude-", anthropicRule(1024)},
	{"gpt-5.6", openAILater},
	{"gpt-3", openAIRule},
	{"gpt-4", openAIRule},
	{"gpt-5", openAIRule},
	{"gpt-oss", openAIRule},
	{"gpt-", openAILater},
	{"o1", openAIRule},
	{"o3", openAIRule},
	{"o4", openAIRule},
	{"gemini-2.5", CacheRule{5 * time.Minute, 2048, 1, false}},
	{"gemini-", CacheRule{5 * time.Minute, 4096, 1, false}},
}

func anthropicRule(least int) CacheRule { return CacheRule{5 * time.Minute, least, 1, false} }

var openAIRule, openAILater = CacheRule{5 * time.Minute, 1024, 128, false}, CacheRule{30 * time.Minute, 1024, 1, true}

// CacheRuleOf gives the rule of a model, with the name of its provider in front,
// as in anthropic/claude-opus-5 or us.anthropic.claude-opus-5, or without. It is false for a model whose provider's rule is not known; the
// rule given then is Anthropic's usual one, 5 minutes and 1,024 tokens.
func CacheRuleOf(model string) (CacheRule, bool) {
	name := ownName(model)
	for _, c := range cacheRules {
		if strings.HasPrefix(name, c.prefix) {
			return c.rule, true
		}
	}
	return anthropicRule(1024), false
}

// ownName is what the vendor of a model calls it, on Bedrock too.
func ownName(model string) string {
	name := bareName(model)
	if _, after, ok := strings.Cut(name, "anthropic."); ok {
		return after
	}
	return name
}

// KeptFor gives the price where the client asks a provider of a rule to keep its
// prompts for a time: what is written to a cache of Anthropic's for an hour costs
// twice what input costs. Vendors that take nothing for writing take nothing for
// that, and OpenAI takes no more.
func (p Price) KeptFor(lifetime time.Duration, r CacheRule) Price {
	if lifetime < time.Hour || r.Flat {
		return p
	}
	if p.CacheWrite > p.Input {
		p.CacheWrite = 2 * p.Input
	}
	if p.Over != nil {
		over := p.Over.KeptFor(lifetime, r)
		p.Over = &over
	}
	return p
}

// For gives the price of a request with so many tokens of input, the cache's
// included.
func (p Price) For(input int) Price {
	if p.Over != nil && input > p.Above {
		return *p.Over
	}
	return p
}
