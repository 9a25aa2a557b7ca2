package token

import (
	"slices"
	"strings"
)

// FallbackWindow is the context window taken for a model that no table knows
// (semantics T5).
const FallbackWindow = 128_000

// Windows says how many tokens fit into the context of a model. The zero value
// knows the models of the table that ships with the program. A Windows is
// never changed once made and is safe for concurrent use.
type Windows struct {
	extra []window // from configuration
}

// A window is the context window of the models whose name begins with name.
type window struct {
	name   string
	tokens int
}

// shipped is the table of semantics T5 and models near to those it names.
var shipped = []window{
	{"claude", 200_000},
	{"claude-2", 100_000},
	{"claude-2.1", 200_000},
	{"claude-3", 200_000},
	{"claude-haiku-4", 200_000},
	{"claude-instant", 100_000},
	{"claude-opus-4", 200_000},
	{"claude-sonnet-4", 200_000},

	{"chatgpt-4o", 128_000},
	{"gpt-3.5-turbo", 16_385},
	{"gpt-3.5-turbo-instruct", 4_096},
	{"gpt-4", 8_192},
	{"gpt-4-0125-preview", 128_000},
	{"gpt-4-1106-preview", 128_000},
	{"gpt-4-32k", 32_768},
	{"gpt-4-turbo", 128_000},
	{"gpt-4-vision-preview", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4.5", 128_000},
	{"gpt-4o", 128_000},
	{"gpt-5", 400_000},
	{"gpt-5-chat", 128_000},
	{"o1", 200_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o3", 200_000},
	{"o4", 200_000},

	{"gemini-1.5", 1_000_000},
	{"gemini-2", 1_000_000},
	{"gemini-3", 1_000_000},
	{"gemini-flash", 1_000_000},
	{"gemini-pro", 1_000_000},
}

// With returns windows that also know the models called name, or hide what was
// known of them. Below one token nothing is added.
func (w Windows) With(name string, tokens int) Windows {
	name = canonical(name)
	if name == "" || tokens < 1 {
		return w
	}
	extra := slices.DeleteFunc(slices.Clone(w.extra), func(e window) bool { return e.name == name })
	return Windows{append(extra, window{name, tokens})}
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
	size, tokens := match(model, w.extra)
	if shippedSize, shippedTokens := match(model, shipped); shippedSize > size {
		size, tokens = shippedSize, shippedTokens
	}
	if size == 0 {
		return FallbackWindow, false
	}
	return tokens, true
}

// match returns the length of the longest name that fits the model, 0 if there
// is none, and its tokens.
func match(model string, list []window) (size, tokens int) {
	model = canonical(model)
	for at := 0; ; {
		for _, e := range list {
			rest, ok := strings.CutPrefix(model[at:], e.name)
			if ok && len(e.name) > size && (rest == "" || !alphanumeric(rest[0])) {
				size, tokens = len(e.name), e.tokens
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

func canonical(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func alphanumeric(c byte) bool { return c-'0' < 10 || c-'a' < 26 }
