package trigger

import (
	"fmt"
	"strconv"
	"strings"

	"tenfold"
)

// Parse reads a trigger: a threshold ("80%", "150k", "-20k", "off") or one of
// the names of §5 ("turns(20)", "tokens(150k)", "context(0.8)", "always",
// "any(…)", "all(…)"), or "cache(20k, 5m)", which is [CacheAware].
func Parse(text string) (Trigger, error) {
	t, err := parse(strings.ToLower(strings.TrimSpace(text)), 0)
	if err != nil {
		return nil, fmt.Errorf("trigger %q: %w", text, err)
	}
	return t, nil
}

// maxDepth bounds how deep compositions nest in text.
const maxDepth = 16

func parse(s string, depth int) (Trigger, error) {
	switch s {
	case "off":
		return Off(), nil
	case "always":
		return Always(), nil
	case "context", "context()":
		return Context(DefaultContext), nil
	case "cache":
		return CacheAware{}, nil
	}
	if name, inner, ok := strings.Cut(s, "("); ok {
		inner, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return nil, fmt.Errorf("%q has no closing parenthesis", s)
		}
		return named(strings.TrimSpace(name), strings.TrimSpace(inner), depth)
	}
	if strings.HasSuffix(s, "%") {
		return share(s)
	}
	if number, ok := strings.CutPrefix(s, "-"); ok {
		n, err := amount(number)
		return Left(n), err
	}
	n, err := amount(s)
	return Tokens(n), err
}

func named(name, inner string, depth int) (Trigger, error) {
	switch name {
	case "turns":
		n, err := strconv.Atoi(inner)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("turns(%s): write a number of turns, as in turns(20)", inner)
		}
		return Turns(n), nil
	case "tokens":
		n, err := amount(inner)
		return Tokens(n), err
	case "context":
		return share(inner)
	case "cache":
		return cacheAware(inner)
	case "any", "all":
		if depth >= maxDepth {
			return nil, fmt.Errorf("more than %d compositions inside each other", maxDepth)
		}
		var members []Trigger
		for _, word := range split(inner) {
			m, err := parse(word, depth+1)
			if err != nil {
				return nil, err
			}
			members = append(members, m)
		}
		return compose(name == "all", members)
	}
	return nil, fmt.Errorf("unknown trigger %q: known are turns, tokens, context, cache, any, all, always, off", name)
}

// split cuts a list at the commas outside parentheses.
func split(s string) []string {
	var words []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				words = append(words, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" || len(words) > 0 {
		words = append(words, rest)
	}
	return words
}

// share reads a share of the window, "80%" or "0.8".
func share(text string) (Trigger, error) {
	number, percent := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		f /= 100
	}
	if err != nil || !isShare(f) {
		return nil, fmt.Errorf("%q is not a share of a window: write 80%%", text)
	}
	return Context(f), nil
}

// amount reads tokens, with a unit or without.
func amount(s string) (int, error) {
	if n, err := strconv.Atoi(s); err == nil && n > 0 && !strings.HasPrefix(s, "+") {
		return n, nil
	}
	if n, ok := tenfold.ParseTokens(s); ok {
		return n, nil
	}
	return 0, fmt.Errorf("%q is not a threshold: write 80%% (of the window), 150k (used), -20k (left) or off", s)
}

// number writes tokens, of which there are some, in the shortest exact form that [Parse] reads.
func number(n int) string {
	switch {
	case n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "m"
	case n%1000 == 0:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}
