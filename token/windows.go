package token

import (
	"regexp"
	"slices"
	"strings"
)

// FallbackWindow is the context window taken for a model that no table knows
// (semantics T5).
const FallbackWindow = 128_000

// Windows says how many tokens fit into the context of a model, and how many
// the model may answer. The zero value knows the models of the table that ships
// with the program. A Windows is never changed once made and is safe for
// concurrent use.
type Windows struct {
	extra []window // from configuration
}

// A window is what the models whose name begins with name take: in all, and in
// an answer. 0 is not known.
type window struct {
	name           string
	tokens, output int
}

// shipped is the table of semantics T5, by the vendors' pages of models, as of 2026-11. A request
// for a longer answer than output is refused. OpenAI's models from 5.4 on take up to 1,050,000
// tokens; what stands here is where the whole request begins to cost twice as much, and what
// their clients take that sign in with ChatGPT.
var shipped = []window{
	{"claude", 200_000, 0},
	{"claude-2", 100_000, 4_096},
	{"claude-2.1", 200_000, 4_096},
	{"claude-3", 200_000, 4_096},
	{"claude-3-5", 200_000, 8_192},
	{"claude-3-7", 200_000, 64_000},
	{"claude-fable-5", 1_000_000, 128_000},
	{"claude-haiku-4", 200_000, 64_000},
	{"claude-haiku-5", 1_000_000, 128_000},
	{"claude-instant", 100_000, 4_096},
	{"claude-mythos", 1_000_000, 128_000},
	{"claude-opus-4", 200_000, 32_000},
	{"claude-opus-4-5", 200_000, 64_000},
	{"claude-opus-4-6", 1_000_000, 128_000},
	{"claude-opus-4-7", 1_000_000, 128_000},
	{"claude-opus-4-8", 1_000_000, 128_000},
	{"claude-opus-5", 1_000_000, 128_000},
	{"claude-sonnet-4", 200_000, 64_000},
	{"claude-sonnet-4-6", 1_000_000, 128_000},
	{"claude-sonnet-5", 1_000_000, 128_000},

	{"chatgpt-4o", 128_000, 16_384},
	{"gpt-3.5-turbo", 16_385, 4_096},
	{"gpt-3.5-turbo-instruct", 4_096, 4_096},
	{"gpt-4", 8_192, 8_192},
	{"gpt-4-0125-preview", 128_000, 4_096},
	{"gpt-4-1106-preview", 128_000, 4_096},
	{"gpt-4-32k", 32_768, 8_192},
	{"gpt-4-turbo", 128_000, 4_096},
	{"gpt-4-vision-preview", 128_000, 4_096},
	{"gpt-4.1", 1_047_576, 32_768},
	{"gpt-4.5", 128_000, 16_384},
	{"gpt-4o", 128_000, 16_384},
	{"gpt-4o-2024-05-13", 128_000, 4_096},
	{"gpt-5", 400_000, 128_000},
	{"gpt-5-chat", 128_000, 16_384},
	{"gpt-5.1", 400_000, 128_000},
	{"gpt-5.2", 400_000, 128_000},
	{"gpt-5.3", 400_000, 128_000},
	{"gpt-5.3-codex-spark", 128_000, 32_000},
	{"gpt-5.4", 272_000, 128_000},
	{"gpt-5.4-mini", 400_000, 128_000},
	{"gpt-5.4-nano", 400_000, 128_000},
	{"gpt-5.4-pro", 1_050_000, 128_000},
	{"gpt-5.5", 272_000, 128_000},
	{"gpt-5.5-pro", 1_050_000, 128_000},
	{"gpt-5.6", 272_000, 128_000},
	{"gpt-5.6-cyber", 400_000, 128_000},
	{"gpt-6", 272_000, 128_000},
	{"gpt-6-cyber", 1_050_000, 128_000},
	{"o1", 200_000, 100_000},
	{"o1-mini", 128_000, 65_536},
	{"o1-preview", 128_000, 32_768},
	{"o3", 200_000, 100_000},
	{"o4", 200_000, 100_000},

	{"gemini-1.5", 1_000_000, 8_192},
	{"gemini-2", 1_000_000, 0},
	{"gemini-2.0", 1_000_000, 8_192},
	{"gemini-2.5", 1_000_000, 65_535},
	{"gemini-3", 1_000_000, 65_535},
	{"gemini-4", 1_000_000, 32_768},
	{"gemini-flash", 1_000_000, 0},
	{"gemini-pro", 1_000_000, 0},
}

// With returns windows that also know the models called name, or hide what was
// known of their context. Below one token nothing is added.
func (w Windows) With(name string, tokens int) Windows {
	return w.with(name, window{tokens: tokens})
}

// WithOutput returns windows that also know how many tokens the models called
// name may answer, or hide what was known of it. Below one token nothing is
// added.
func (w Windows) WithOutput(name string, tokens int) Windows {
	return w.with(name, window{output: tokens})
}

func (w Windows) with(name string, more window) Windows {
	name = canonical(name)
	if name == "" || max(more.tokens, more.output) < 1 {
		return w
	}
	same := func(e window) bool { return e.name == name && (e.tokens > 0) == (more.tokens > 0) }
	more.name = name
	return Windows{append(slices.DeleteFunc(slices.Clone(w.extra), same), more)}
}

// Window returns the number of tokens that fit into the context of a model,
// and whether it is known; if not, it is [FallbackWindow].
//
// A name in the table stands for the models that begin with it and go on with
// something other than a letter or digit: gpt-4o stands for
// gpt-4o-2024-08-06 but gpt-4 does not. Names of providers in front, as in
// anthropic/claude-opus-4-5, us.anthropic.claude-opus-4-5 or
// models/gemini-2.5-pro, may be there or not. The longest name that fits wins,
// and of two equal ones that of the configuration. Case does not matter.
func (w Windows) Window(model string) (tokens int, known bool) {
	tokens, known = w.find(model, func(e window) int { return e.tokens })
	if !known {
		return FallbackWindow, false
	}
	return tokens, true
}

// Output returns the number of tokens that a model may answer at most, and
// whether it is known; if not, it is 0. Names are matched as by
// [Windows.Window].
func (w Windows) Output(model string) (tokens int, known bool) {
	return w.find(model, func(e window) int { return e.output })
}

func (w Windows) find(model string, of func(window) int) (tokens int, known bool) {
	size, tokens := match(model, w.extra, of)
	if shippedSize, shippedTokens := match(model, shipped, of); shippedSize > size {
		size, tokens = shippedSize, shippedTokens
	}
	return tokens, size > 0
}

// match returns the length of the longest name that fits the model and of
// which the number asked for is known, 0 if there is none, and that number.
func match(model string, list []window, of func(window) int) (size, tokens int) {
	model = canonical(model)
	for at := 0; ; {
		for _, e := range list {
			rest, ok := strings.CutPrefix(model[at:], e.name)
			if ok && of(e) > 0 && len(e.name) > size && (rest == "" || !alphanumeric(rest[0])) {
				size, tokens = len(e.name), of(e)
			}
		}
		// What a provider puts in front ends in one of these.
		next := strings.IndexAny(model[at:], "/.:")
		if next < 0 {
			return size, tokens
		}
		at += next + 1
	}
}

// canonical gives a name as vendors write it: Claude's versions have dots elsewhere.
func canonical(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if strings.Contains(name, "claude-") {
		name = dotted.ReplaceAllString(name, "$1-$2")
	}
	return name
}

var dotted = regexp.MustCompile(`([0-9])\.([0-9])`)

func alphanumeric(c byte) bool { return c-'0' < 10 || c-'a' < 26 }
