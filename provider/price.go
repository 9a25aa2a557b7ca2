package provider

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"

	"tenfold"
)

// A Price is what tokens of a model cost, in dollars per million.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
	// Over is a price for requests with more than Above tokens of input, the
	// cache's included; nil when there is one price for all.
	Above int
	Over  *Price
}

// Prices are prices by name of a model. A name stands for the model itself and
// its dated versions; "gpt-4o" is not "gpt-4o-mini". Names of providers in
// front ("anthropic/…") may be there or not, in the table and when asked. A nil
// Prices knows none.
type Prices map[string]Price

//go:embed prices.toml
var shipped string

// Shipped gives the prices that come with the program, with where they are from
// and of when: see prices.toml. The table is the caller's own.
func Shipped() Prices {
	out := maps.Clone(shippedOnce())
	for name, price := range out {
		if price.Over != nil {
			over := *price.Over
			price.Over = &over
			out[name] = price
		}
	}
	return out
}

var shippedOnce = sync.OnceValue(func() Prices {
	p, err := ParsePrices(shipped)
	if err != nil {
		panic(err) // the table is part of the program, and a test reads it
	}
	return p
})

// With gives the prices with those of other in their place.
func (p Prices) With(other Prices) Prices {
	out := maps.Clone(p)
	if out == nil {
		out = Prices{}
	}
	maps.Copy(out, other)
	return out
}

// Cost tells what a response cost in dollars. Where the price is not known it
// is not guessed; where the provider said what it cost, that counts. Input,
// cache read and cache write of the usage are counted apart, as
// [tenfold.Usage] has them.
func (p Prices) Cost(model string, u tenfold.Usage) (dollars float64, known bool) {
	if u.Cost != nil {
		return *u.Cost, true
	}
	price, ok := p.Price(model)
	if !ok {
		return 0, false
	}
	price = price.For(u.Prompt())
	const million = 1e6
	return (float64(u.Input)*price.Input + float64(u.Output)*price.Output +
		float64(u.CacheRead)*price.CacheRead + float64(u.CacheWrite)*price.CacheWrite) / million, true
}

// Cost tells what a response cost by the prices that come with the program.
func Cost(model string, u tenfold.Usage) (dollars float64, known bool) {
	return shippedOnce().Cost(model, u)
}

// Price finds the price of a model: by its whole name first, then without the
// provider's, then without its date.
func (p Prices) Price(model string) (Price, bool) {
	for _, name := range []string{strings.ToLower(model), bareName(model)} {
		for _, n := range []string{name, undated(name)} {
			if price, ok := p[n]; ok {
				return price, true
			}
		}
	}
	return Price{}, false
}

// bareName is what the vendor of a model calls it: anthropic/claude-opus-4.6 is its
// claude-opus-4-6.
func bareName(model string) string {
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if strings.HasPrefix(name, "claude-") {
		name = strings.ReplaceAll(name, ".", "-")
	}
	return name
}

// undated takes a date off the end of a name: -20250929, -2025-08-07, or
// -latest, which stands for the newest one.
func undated(name string) string {
	if rest, ok := strings.CutSuffix(name, "-latest"); ok {
		return rest
	}
	for _, shape := range []string{"-0000-00-00", "-00000000"} {
		at := len(name) - len(shape)
		if at > 0 && shaped(name[at:], shape) {
			return name[:at]
		}
	}
	return name
}

func shaped(text, shape string) bool {
	for i := range len(shape) {
		digit := text[i] >= '0' && text[i] <= '9'
		if digit != (shape[i] == '0') || (!digit && text[i] != shape[i]) {
			return false
		}
	}
	return true
}

// ParsePrices reads a table as in prices.toml: a section for each provider with
// source and date, and lines of a name and its four prices.
func ParsePrices(text string) (Prices, error) {
	p := Prices{}
	type over struct {
		name  string
		above int
		price Price
	}
	var later []over
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(line)
		key, value, isPair := strings.Cut(line, " = ")
		switch {
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "["),
			isPair && (key == "source" || key == "date"):
			continue
		}
		name, err := strconv.Unquote(strings.TrimSpace(key))
		if err != nil || !isPair {
			return nil, fmt.Errorf("prices: line %d: expected \"model\" = [input, output, cache read, cache write]", i+1)
		}
		price, err := parsePrice(value)
		if err != nil {
			return nil, fmt.Errorf("prices: line %d: %w", i+1, err)
		}
		name = strings.ToLower(name)
		base, limit, tiered := strings.Cut(name, " > ")
		if !tiered {
			p[name] = price
			continue
		}
		above, err := strconv.Atoi(limit)
		if err != nil || above < 0 {
			return nil, fmt.Errorf("prices: line %d: invalid number of tokens %q", i+1, limit)
		}
		later = append(later, over{base, above, price})
	}
	for _, o := range later {
		base, ok := p[o.name]
		if !ok {
			return nil, fmt.Errorf("prices: %q has a price above %d tokens and none below", o.name, o.above)
		}
		base.Above, base.Over = o.above, &o.price
		p[o.name] = base
	}
	return p, nil
}

func parsePrice(text string) (Price, error) {
	list, ok := strings.CutPrefix(strings.TrimSpace(text), "[")
	list, closed := strings.CutSuffix(list, "]")
	fields := strings.Split(list, ",")
	if !ok || !closed || len(fields) != 4 {
		return Price{}, fmt.Errorf("expected four prices in brackets, not %q", text)
	}
	var n [4]float64
	for i, f := range fields {
		v, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return Price{}, fmt.Errorf("invalid price %q", strings.TrimSpace(f))
		}
		n[i] = v
	}
	return Price{Input: n[0], Output: n[1], CacheRead: n[2], CacheWrite: n[3]}, nil
}
