package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/trigger"
)

// A value is a type of its own that is read from what TOML holds: a string, an
// int64, a float64, a bool or a []any.
type value interface {
	// set takes v; errMust says no more than must does.
	set(v any) error
	// must says what a value has to be, after "must be".
	must() string
}

var errMust = errors.New("is not what it must be")

// choice is one of a few words.
type choice interface{ choices() []string }

// secretive values are not shown in errors.
type secretive interface{ secretive() }

// Count is a number from 0 on.
type Count int

func (c *Count) set(v any) error {
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxInt32 {
		return errMust
	}
	*c = Count(n)
	return nil
}

func (*Count) must() string { return "a whole number from 0 on" }

// Positive is a number from 1 on.
type Positive int

func (p *Positive) set(v any) error {
	n, ok := v.(int64)
	if !ok || n < 1 || n > math.MaxInt32 {
		return errMust
	}
	*p = Positive(n)
	return nil
}

func (*Positive) must() string { return "a whole number from 1 on" }

// Tokens is a number of tokens; 0 is written "off".
type Tokens int

func (t *Tokens) set(v any) error {
	n, number := v.(int64)
	text, _ := v.(string)
	if text == "off" {
		*t = 0
		return nil
	}
	if !number {
		var err error
		if n, err = strconv.ParseInt(text, 10, 64); err != nil {
			parsed, _ := tenfold.ParseTokens(text)
			n = int64(parsed)
		}
	}
	if n < 1 || n > math.MaxInt32 {
		return errMust
	}
	*t = Tokens(n)
	return nil
}

func (*Tokens) must() string { return `a number of tokens, as in 20000 or "20k", or "off"` }

// FitTarget is what the strategy fit takes as its target; empty is none.
type FitTarget string

func (t *FitTarget) set(v any) error {
	text, ok := v.(string)
	if n, number := v.(int64); number {
		text, ok = strconv.FormatInt(n, 10), true
	}
	if _, err := strategy.ParseTarget(text); !ok || err != nil {
		return errMust
	}
	*t = FitTarget(text)
	return nil
}

func (*FitTarget) must() string {
	return `a share of the conversation, as in "10%", or tokens, as in "20k"`
}

// Size is a number of bytes (P6).
type Size tenfold.Size

func (s *Size) set(v any) error {
	text, ok := v.(string)
	if n, isNumber := v.(int64); isNumber {
		text, ok = strconv.FormatInt(n, 10), true
	}
	n, err := tenfold.ParseSize(text)
	if !ok || err != nil {
		return errMust
	}
	*s = Size(n)
	return nil
}

func (*Size) must() string { return `a size in bytes, as in 800 or "2KB"` }

// Share is a share of a whole, over 0 and at most 1.
type Share float64

func (s *Share) set(v any) error {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	case string:
		number, percent := strings.CutSuffix(v, "%")
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return errMust
		}
		if f = n; percent {
			f = n / 100
		}
	}
	if !(f > 0 && f <= 1) { // not so for NaN
		return errMust
	}
	*s = Share(f)
	return nil
}

func (*Share) must() string { return `a share over 0 and at most 1, as in 0.5 or "50%"` }

// Duration is a time such as "5m".
type Duration time.Duration

func (d *Duration) set(v any) error {
	text, _ := v.(string)
	n, err := time.ParseDuration(text)
	if err != nil || n <= 0 {
		return errMust
	}
	*d = Duration(n)
	return nil
}

func (*Duration) must() string { return `a time, as in "90s", "5m" or "1h"` }

// Threshold is when to compact, as package trigger reads it.
type Threshold string

func (t *Threshold) set(v any) error {
	text, ok := v.(string)
	if !ok {
		return errMust
	}
	if _, err := trigger.Parse(text); err != nil {
		return errMust
	}
	*t = Threshold(text)
	return nil
}

func (*Threshold) must() string {
	return `a threshold: "80%" of the window, "150k" tokens used, "-20k" left, "cache(20k, 5m)" by the prompt cache, or "off"`
}

// Strategies are strategies as --strategy spells them.
type Strategies []string

func (s *Strategies) set(v any) error {
	var texts []string
	switch v := v.(type) {
	case string:
		texts = strings.Fields(v)
	case []any:
		for _, one := range v {
			text, ok := one.(string)
			if !ok {
				return errMust
			}
			texts = append(texts, text)
		}
	default:
		return errMust
	}
	for _, text := range texts {
		if _, err := strategy.Parse(text); err != nil {
			return err
		}
	}
	*s = texts
	return nil
}

func (*Strategies) must() string { return "strategies: text, or a list of texts" }

// ModelName is PROVIDER/MODEL, or empty.
type ModelName string

func (m *ModelName) set(v any) error {
	text, ok := v.(string)
	provider, model, parted := strings.Cut(text, "/")
	if !ok || (text != "" && (!parted || provider == "" || model == "")) || strings.ContainsAny(text, " \t\n") {
		return errMust
	}
	*m = ModelName(text)
	return nil
}

func (*ModelName) must() string { return "a model, as PROVIDER/MODEL" }

// Provider is the part before the first slash.
func (m ModelName) Provider() string {
	provider, _, _ := strings.Cut(string(m), "/")
	return provider
}

// URL is where an API is, as [provider.CheckBaseURL] takes it.
type URL string

func (u *URL) set(v any) error {
	text, ok := v.(string)
	if !ok {
		return errMust
	}
	if err := provider.CheckBaseURL(text); err != nil {
		return err
	}
	*u = URL(text)
	return nil
}

func (*URL) must() string { return "an address that begins with http:// or https://" }

func (*URL) secretive() {}

// EnvName is the name of a variable of the environment.
type EnvName string

var (
	envName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`) })
	// keyLike is how the keys of providers begin.
	keyLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(sk|pk|rk|xai|gsk|ghp|gho|github_pat|hf|AIza|AKIA|eyJ|r8|nvapi|key)[-_0-9A-Za-z]*[0-9]`)
	})
	// someKey is text that no person would name a variable.
	someKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-fA-F]{24,}$|^[A-Za-z0-9]{32,}$`) })
)

var errKey = errors.New("holds something that looks like a key, which is not shown here: a configuration names the variable that holds the key")

func (e *EnvName) set(v any) error {
	text, ok := v.(string)
	if !ok {
		return errMust
	}
	upper := strings.ToUpper(text) == text && strings.Contains(text, "_")
	if !envName().MatchString(text) || (!upper && (keyLike().MatchString(text) || someKey().MatchString(text))) {
		return errKey
	}
	*e = EnvName(text)
	return nil
}

func (*EnvName) must() string { return "the name of a variable of the environment" }

func (*EnvName) secretive() {}

// describe is a value as errors show it.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "a table"
	case string:
		const most = 40
		if r := []rune(v); len(r) > most {
			v = string(r[:most]) + "…"
		}
		return strconv.Quote(v)
	case []any:
		return "a list"
	case int64, float64, bool:
		return fmt.Sprint(v)
	}
	return "a date"
}
