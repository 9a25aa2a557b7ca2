package strategy

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/excerpt"
	"tenfold/problem"
	"tenfold/token"
)

// All lists the strategies that have a text form, each with its usual options.
func All() []Strategy {
	return []Strategy{
		Auto{},
		ClassifyTangents{},
		DedupTools{},
		Fit{},
		HardReset{},
		Micro{},
		PruneTools{},
		PurgeErrors{},
		RecursiveSummary{},
		SlidingWindow{},
		StripAttachments{},
		StripReasoning{},
		StripTools{KeepRequests: true},
		StripTools{},
		Summarize{},
		Supersede{},
		TokenWindow{},
		TrimResults{},
		TurnWindow{},
	}
}

// Names lists the names of [All].
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, nameOf(s))
	}
	return names
}

// nameOf is a strategy's name without its options.
func nameOf(s Strategy) string {
	name, _, _ := strings.Cut(s.Name(), ":")
	return name
}

// ErrUnknown says that there is no strategy or profile of a name.
var ErrUnknown = errors.New("unknown")

// UnknownName is the [ErrUnknown] for a strategy or a profile, with the names that
// there are in its hint.
func UnknownName(what, name string, names []string) error {
	return &problem.Error{
		Problem: fmt.Sprintf("unknown %s %q", what, name), Hint: "choose one of " + strings.Join(names, ", "), Err: ErrUnknown,
	}
}

// Parse reads a strategy as a command line writes it: "name" or
// "name:key=value,key=value". It gives a value of the strategy's type. An unknown
// name is ErrUnknown.
func Parse(text string) (Strategy, error) {
	name, options, _ := strings.Cut(text, ":")
	all := All()
	i := slices.IndexFunc(all, func(s Strategy) bool { return nameOf(s) == name })
	if i < 0 {
		return nil, UnknownName("strategy", name, Names())
	}
	v, params := copied(all[i])
	if options != "" && len(params) == 0 {
		return nil, fmt.Errorf("strategy %s takes no parameters, so not %q", name, options)
	}
	if options != "" {
		for one := range strings.SplitSeq(options, ",") {
			if err := setOne(params, one); err != nil {
				return nil, fmt.Errorf("strategy %s: %w", name, err)
			}
		}
	}
	s, _ := v.Interface().(Strategy)
	// What is wrong only together, such as an overlap as large as the window.
	if c, ok := s.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("strategy %s: %w", name, err)
		}
	}
	return s, nil
}

func setOne(params []param, text string) error {
	key, value, _ := strings.Cut(text, "=")
	var keys []string
	for _, p := range params {
		if p.key == key {
			return p.set(value)
		}
		keys = append(keys, p.key)
	}
	return fmt.Errorf("no parameter %q: there are %s", key, strings.Join(keys, ", "))
}

// A param is a field of a strategy that its text form can set. The field's tag
// gives the key, the value that the zero of the field stands for, and the unit of
// a number:
//
//	Head   tenfold.Size `param:"head=400"`
//	Tokens int          `param:"n=4000 tokens"`
//
// A number below zero stands for 0. The key of a field that is true where the
// option is false has a "!" in front.
type param struct {
	key, usual  string
	tokens, not bool
	field       reflect.Value
}

// copied is a strategy's value, and the parameters that set it.
func copied(s any) (v reflect.Value, params []param) {
	v = reflect.New(reflect.TypeOf(s)).Elem()
	v.Set(reflect.ValueOf(s))
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup("param")
		if !ok {
			continue
		}
		p := param{field: v.Field(i)}
		tag, p.tokens = strings.CutSuffix(tag, " tokens")
		tag, p.not = strings.CutPrefix(tag, "!")
		p.key, p.usual, _ = strings.Cut(tag, "=")
		params = append(params, p)
	}
	return v, params
}

// settled is a strategy with the usual values in the place of zeros, and zeros in
// the place of numbers below zero.
func settled[S any](s S) S {
	v, params := copied(s)
	for _, p := range params {
		switch {
		case p.field.IsZero() && p.usual != "":
			if err := p.set(p.usual); err != nil {
				panic(err) // a tag of this package
			}
		case p.field.CanInt() && p.field.Int() < 0:
			p.field.SetInt(0)
		}
	}
	s, _ = v.Interface().(S)
	return s
}

// textForm is a strategy's text form, which [Parse] reads: with all options that
// are set or have a usual value.
func textForm(name string, s any) string {
	_, params := copied(s)
	separator := ":"
	for _, p := range params {
		text := p.usual
		if !p.field.IsZero() {
			text = p.text()
		}
		if text != "" || !p.field.IsZero() {
			name += separator + p.key + "=" + text
			separator = ","
		}
	}
	return name
}

// text is the value of the field.
func (p param) text() string {
	switch value := p.field.Interface().(type) {
	case int:
		return strconv.Itoa(max(value, 0))
	case tenfold.Size:
		return max(value, 0).String()
	case bool:
		return strconv.FormatBool(value != p.not)
	case []string:
		return strings.Join(value, "+")
	case []excerpt.Ingredient:
		return joined(value, "+")
	default:
		return fmt.Sprint(value)
	}
}

// set reads a value into the field. The numbers 0 and "not set" differ there, so
// that 0 is stored as -1.
func (p param) set(value string) (err error) {
	var ok bool
	var expected string
	switch field := p.field.Addr().Interface().(type) {
	case *int:
		var n int
		if p.tokens {
			n, ok = parseTokens(value)
			expected = "a number of tokens, as in KEY=4000 or KEY=4k"
		} else {
			n, ok = parseNumber(value)
			expected = "a number from 0 on, as in KEY=10"
		}
		*field = cmp.Or(n, -1)
	case *tenfold.Size:
		var n tenfold.Size
		n, err = tenfold.ParseSize(value)
		ok, expected = err == nil, "a size, as in KEY=800 or KEY=2KB"
		*field = cmp.Or(n, -1)
	case *float64:
		*field, ok = parseShare(value)
		expected = "a share of the window, as in KEY=0.5 or KEY=50%"
	case *bool:
		*field, err = strconv.ParseBool(value)
		*field = *field != p.not
		ok, expected = err == nil, "true or false"
	case *[]string: // joined by "+", since a comma ends a parameter
		*field = []string{}
		if value != "" {
			*field = strings.Split(value, "+")
		}
		return nil
	case *Target:
		*field, err = ParseTarget(value)
		return err
	case *[]excerpt.Ingredient:
		for name := range strings.SplitSeq(value, "+") {
			if !slices.Contains(excerpt.Ingredients(), excerpt.Ingredient(name)) {
				return fmt.Errorf("without=%s: the ingredients are %s; more than one are joined by +", value, joined(excerpt.Ingredients(), ", "))
			}
			*field = append(*field, excerpt.Ingredient(name))
		}
		return nil
	case *tenfold.Arguments:
		*field = tenfold.Arguments(value)
		ok, expected = *field == tenfold.ArgumentsPrimary || *field == tenfold.ArgumentsNone, "primary or none"
	case *tenfold.Placement:
		*field = tenfold.Placement(value)
		if *field != tenfold.PlacePair && *field != tenfold.PlaceSystem && *field != tenfold.PlaceUser {
			return errPlacement
		}
		return nil
	}
	if !ok {
		return fmt.Errorf("%s=%s: write %s", p.key, value, strings.ReplaceAll(expected, "KEY", p.key))
	}
	return nil
}

func joined(list []excerpt.Ingredient, separator string) string {
	var names []string
	for _, one := range list {
		names = append(names, string(one))
	}
	return strings.Join(names, separator)
}

var errPlacement = errors.New("write placement=pair, placement=system or placement=user")

// parseNumber reads how many there are of something.
func parseNumber(value string) (int, bool) {
	n, err := strconv.Atoi(value)
	return n, err == nil && n >= 0
}

// parseTokens reads a number of tokens, with or without a unit.
func parseTokens(value string) (int, bool) {
	if n, ok := parseNumber(value); ok {
		return n, true
	}
	return tenfold.ParseTokens(value)
}

// parseShare reads a share of a whole: "0.5" or "50%".
func parseShare(value string) (float64, bool) {
	number, percent := strings.CutSuffix(value, "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	return f, err == nil && f > 0 && f <= 1
}

// A Target is how small a projection is to become: the zero value says nothing of
// that. One that [ParseTarget] would not read, as a program may compute it, is an error
// of the plan.
type Target struct {
	// Tokens is the most the view may cost, everything counted (F1); where Share
	// is set, that share of what a model sees before, up to 1.
	Tokens int
	Share  float64
}

// Share is a target of so many percent of what a model sees now.
func Share(percent float64) Target { return Target{Share: percent / 100} }

// Tokens is a target of so many tokens.
func Tokens(n int) Target { return Target{Tokens: n} }

// ParseTarget reads a target as a command line has it: "20k", "20000" or
// "10%".
func ParseTarget(text string) (Target, error) {
	s := strings.TrimSpace(text)
	if strings.HasSuffix(s, "%") {
		if share, ok := parseShare(s); ok {
			return Target{Share: share}, nil
		}
	} else if n, ok := parseTokens(s); ok && n > 0 {
		return Target{Tokens: n}, nil
	}
	return Target{}, invalidTarget(text)
}

func invalidTarget(text string) error {
	return &problem.Error{Problem: "invalid target " + strconv.Quote(text), Hint: "write tokens (20k, 20000) or a share of what a model sees now (10%)"}
}

// Set reports whether there is a target, valid or not.
func (t Target) Set() bool { return t != Target{} }

// check gives the error of a target that is set and not valid.
func (t Target) check() error {
	if t.Share == 0 && t.Tokens > 0 || t.Share > 0 && t.Share <= 1 {
		return nil
	}
	return invalidTarget(t.String())
}

// Limit is the most estimated tokens that a view may cost, given what a model sees
// now. A number of tokens is in those of the scale (T3).
func (t Target) Limit(now *tenfold.Projection, scale token.Scale) int {
	if t.Share != 0 {
		return int(t.Share * float64(now.Tokens()))
	}
	return scale.Estimated(t.Tokens)
}

// String writes the target as [ParseTarget] reads it.
func (t Target) String() string {
	if t.Share != 0 {
		return strconv.FormatFloat(t.Share*100, 'g', 6, 64) + "%"
	}
	return strconv.Itoa(t.Tokens)
}
