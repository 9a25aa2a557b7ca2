package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/trigger"
)

// The types of values that are more than text, a number or true and false.
type (
	// Count is a whole number from 0 on.
	Count int
	// Positive is a whole number from 1 on.
	Positive int
	// Tokens is a number of tokens; 0 is written "off".
	Tokens int
	// FitTarget is the target of the strategy fit; empty is none.
	FitTarget string
	// Size is a number of bytes (P6).
	Size tenfold.Size
	// Share is more than 0 and at most 1.
	Share float64
	// Duration is a time such as "5m".
	Duration time.Duration
	// Threshold is when to compact, as package trigger reads it.
	Threshold string
	// Strategies are strategies as --strategy takes them.
	Strategies []string
	// ModelName is PROVIDER/MODEL, or empty.
	ModelName string
	// URL is the address of an API, as [provider.CheckBaseURL] takes it.
	URL string
	// EnvName is the name of an environment variable.
	EnvName string
	// EnvNames are such names.
	EnvNames []string
	// Rules say what the agent may do (see [permission.Rules]).
	Rules []string
	// Argv is a program and its arguments.
	Argv []string
	// Dollars is an amount of money from 0 on.
	Dollars float64
)

// Provider is the part before the first slash.
func (m ModelName) Provider() string {
	provider, _, _ := strings.Cut(string(m), "/")
	return provider
}

// A rule is how the values of a type are written.
type rule struct {
	// must says what a value has to be, after "must be".
	must string
	// read turns a value of TOML (string, int64, float64, bool or []any) into one
	// whose type converts to the rule's. errMust says no more than must.
	read func(v any) (any, error)
	// least is the least number and pattern what a text matches, in the schema; a
	// type that lacks one has no numbers, or no text.
	least   *float64
	pattern string
	// secret values are not shown in errors.
	secret bool
}

const anyText = "^"

var errMust = errors.New("is not what it must be")

var rules = sync.OnceValue(func() map[reflect.Type]rule {
	zero, one := 0.0, 1.0
	return map[reflect.Type]rule{
		reflect.TypeFor[string]():   {must: "text", read: readPlain[string], pattern: anyText},
		reflect.TypeFor[bool]():     {must: "true or false", read: readPlain[bool]},
		reflect.TypeFor[[]string](): {must: "a list of names", read: readNames},
		reflect.TypeFor[Count]():    {must: "a whole number from 0 on", read: readWhole(0), least: &zero},
		reflect.TypeFor[Positive](): {must: "a whole number from 1 on", read: readWhole(1), least: &one},
		reflect.TypeFor[Tokens](): {
			must: `a number of tokens, as in 20000 or "20k", or "off"`, read: readTokens,
			least: &one, pattern: `^(off|[0-9.]+ *[tkmTKM]?)$`,
		},
		reflect.TypeFor[FitTarget](): {
			must: `a share of the conversation, as in "10%", or tokens, as in "20k"`, least: &one, pattern: `^[0-9.]+ *[tkmTKM%]?$`,
			read: func(v any) (any, error) {
				_, err := strategy.ParseTarget(written(v))
				return written(v), orMust(err)
			},
		},
		reflect.TypeFor[Size](): {
			must: `a size in bytes, as in 800 or "2KB"`, least: &zero, pattern: `^[0-9.]+ *([kmgKMG]?[bB])?$`,
			read: func(v any) (any, error) {
				n, err := tenfold.ParseSize(written(v))
				return n, orMust(err)
			},
		},
		reflect.TypeFor[Share](): {must: `a share over 0 and at most 1, as in 0.5 or "50%"`, read: readShare, pattern: `^[0-9.]+%?$`},
		reflect.TypeFor[Duration](): {
			must: `a time, as in "90s", "5m" or "1h"`, pattern: `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`,
			read: func(v any) (any, error) {
				text, _ := v.(string)
				n, err := time.ParseDuration(text)
				if err != nil || n <= 0 {
					return nil, errMust
				}
				return n, nil
			},
		},
		reflect.TypeFor[Threshold](): {
			must: `a threshold: "80%" of the window, "150k" tokens used, "-20k" left, "cache(20k, 5m)" by the prompt cache, or "off"`, pattern: anyText,
			read: func(v any) (any, error) {
				text, _ := v.(string)
				_, err := trigger.Parse(text)
				return text, orMust(err)
			},
		},
		reflect.TypeFor[Strategies](): {must: "strategies: text, or a list of texts", read: readStrategies, pattern: anyText},
		reflect.TypeFor[ModelName]():  {must: "a model, as PROVIDER/MODEL", read: readModel, pattern: `^$|^[^/\s]+/\S+$`},
		reflect.TypeFor[URL](): {
			must: "an address that begins with http:// or https://", pattern: `^https?://[^/@?#]+(/[^?#]*)?$`, secret: true,
			read: func(v any) (any, error) {
				text, ok := v.(string)
				if !ok {
					return nil, errMust
				}
				return text, provider.CheckBaseURL(text)
			},
		},
		reflect.TypeFor[EnvNames](): {must: "a list of names of environment variables", read: readEnvNames, secret: true},
		reflect.TypeFor[Rules]():    {must: `a list of rules, as in "shell:go test *"`, read: readRules},
		reflect.TypeFor[Argv]():     {must: "a list of texts: a program and its arguments", read: readArgv},
		reflect.TypeFor[Dollars]():  {must: "an amount in dollars from 0 on", read: readDollars, least: &zero},
		reflect.TypeFor[EnvName]():  {must: "the name of an environment variable", read: readEnvName, pattern: envName().String(), secret: true},
	}
})

func orMust(err error) error {
	if err != nil {
		return errMust
	}
	return nil
}

// oneOf is the rule for a value that is one of a few words.
func oneOf(words []string) rule {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteTOML(w)
	}
	last := len(words) - 1
	return rule{
		must: strings.Join(quoted[:last], ", ") + " or " + quoted[last],
		read: func(v any) (any, error) {
			if text, ok := v.(string); ok && slices.Contains(words, text) {
				return text, nil
			}
			return nil, errMust
		},
	}
}

// written is the text of a value that may be text or a whole number.
func written(v any) string {
	if n, ok := v.(int64); ok {
		return strconv.FormatInt(n, 10)
	}
	text, _ := v.(string)
	return text
}

// readPlain takes a value that is of a type already.
func readPlain[T any](v any) (any, error) {
	if _, ok := v.(T); !ok {
		return nil, errMust
	}
	return v, nil
}

func readNames(v any) (any, error) {
	names, err := readTexts(v)
	if err != nil || slices.ContainsFunc(names, func(name string) bool { return name == "" || strings.ContainsAny(name, ",+") }) {
		return nil, errMust
	}
	return names, nil
}

func readWhole(least int64) func(any) (any, error) {
	return func(v any) (any, error) {
		if n, ok := v.(int64); ok && n >= least && n <= math.MaxInt32 {
			return n, nil
		}
		return nil, errMust
	}
}

func readTokens(v any) (any, error) {
	text := written(v)
	if text == "off" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n, _ = tenfold.ParseTokens(text)
	}
	if n < 1 || n > math.MaxInt32 {
		return nil, errMust
	}
	return n, nil
}

func readShare(v any) (any, error) {
	f, ok := v.(float64)
	if !ok {
		number, percent := strings.CutSuffix(written(v), "%")
		f, _ = strconv.ParseFloat(number, 64)
		if percent {
			f /= 100
		}
	}
	if !(f > 0 && f <= 1) { // not so for NaN
		return nil, errMust
	}
	return f, nil
}

func readStrategies(v any) (any, error) {
	var texts []string
	if text, ok := v.(string); ok {
		texts = strings.Fields(text)
	} else {
		var err error
		if texts, err = readTexts(v); err != nil {
			return nil, err
		}
	}
	for _, text := range texts {
		if _, err := strategy.Parse(text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func readModel(v any) (any, error) {
	text, ok := v.(string)
	provider, model, _ := strings.Cut(text, "/")
	if !ok || (text != "" && (provider == "" || model == "")) || strings.ContainsAny(text, " \t\n") {
		return nil, errMust
	}
	return text, nil
}

var (
	envName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`) })
	// keyLike matches how the API keys of providers begin, or what nobody would
	// name a variable.
	keyLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(sk|pk|rk|xai|gsk|ghp|gho|github_pat|hf|AIza|AKIA|eyJ|r8|nvapi|key)[-_0-9A-Za-z]*[0-9]|^[0-9a-f]{24,}$|^[a-z0-9]{32,}$`)
	})
)

var errKey = errors.New("looks like an API key, so it is not shown here; put the key in an environment variable and name that variable")

func readEnvName(v any) (any, error) {
	text, ok := v.(string)
	if !ok || text == "" {
		return nil, errMust
	}
	upper := strings.ToUpper(text) == text && strings.Contains(text, "_")
	if !envName().MatchString(text) || (!upper && keyLike().MatchString(text)) {
		return nil, errKey
	}
	return text, nil
}

// describe is a value as errors show it.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "a table"
	case string:
		return strconv.Quote(clip(v, 40))
	case []any:
		return "a list"
	case int64, float64, bool:
		return fmt.Sprint(v)
	}
	return "a date"
}

// clip shortens a text for a message.
func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
