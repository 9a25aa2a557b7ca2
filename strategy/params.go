package strategy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tenfold"
)

// A parameter is one option of a strategy in its text form, "key=value".
type parameter struct {
	key  string
	read func(value string) error
	text string // the value; empty where it need not be written
}

// parametrised is implemented by pointers to strategies that have options.
type parametrised interface {
	Strategy
	parameters() []parameter
}

// written is a strategy's text form, which [Parse] reads.
func written(name string, all []parameter) string {
	var said []string
	for _, p := range all {
		if p.text != "" {
			said = append(said, p.key+"="+p.text)
		}
	}
	if len(said) == 0 {
		return name
	}
	return name + ":" + strings.Join(said, ",")
}

// read gives a strategy the parameters of its text form. The strategy is a
// pointer to a value of its own, which is what comes back.
func read(name string, s Strategy, text string) (Strategy, error) {
	if text != "" {
		p, ok := s.(parametrised)
		if !ok {
			return nil, fmt.Errorf("strategy %s takes no parameters, so not %q", name, text)
		}
		for one := range strings.SplitSeq(text, ",") {
			if err := readOne(p.parameters(), one); err != nil {
				return nil, fmt.Errorf("strategy %s: %w", name, err)
			}
		}
	}
	// What is wrong only together, such as an overlap as large as the window.
	if c, ok := s.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("strategy %s: %w", name, err)
		}
	}
	return reflect.ValueOf(s).Elem().Interface().(Strategy), nil
}

func readOne(all []parameter, text string) error {
	key, value, _ := strings.Cut(text, "=")
	i := slices.IndexFunc(all, func(p parameter) bool { return p.key == key })
	if i < 0 {
		var keys []string
		for _, p := range all {
			keys = append(keys, p.key)
		}
		return fmt.Errorf("no parameter %q: there are %s", key, strings.Join(keys, ", "))
	}
	return all[i].read(value)
}

// number is an option of the type of n: what it is where it is not set, and 0
// where it is negative.
func number[N ~int | ~int64](n, usual N) N {
	switch {
	case n == 0:
		return usual
	case n < 0:
		return 0
	}
	return n
}

// stored is what [number] gives back as n.
func stored[N ~int | ~int64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

// option is a number that [number] reads. It is written where it is set or has
// a usual value.
func option[N ~int | ~int64](key string, n *N, usual N, parse func(key, value string) (N, error), write func(N) string) parameter {
	p := parameter{key: key, read: func(value string) error {
		got, err := parse(key, value)
		*n = stored(got)
		return err
	}}
	if *n != 0 || usual != 0 {
		p.text = write(number(*n, usual))
	}
	return p
}

// count is an option that is a number of things.
func count(key string, n *int, usual int) parameter {
	return option(key, n, usual, parseCount, strconv.Itoa)
}

// tokens is an option that is a number of tokens.
func tokens(key string, n *int, usual int) parameter {
	return option(key, n, usual, parseTokenCount, strconv.Itoa)
}

// size is an option that is a number of bytes.
func size(key string, n *tenfold.Size, usual tenfold.Size) parameter {
	return option(key, n, usual, parseSize, tenfold.Size.String)
}

// flag is an option that is on or off.
func flag(key string, on *bool) parameter {
	p := parameter{key: key, read: func(value string) (err error) {
		*on, err = parseBool(key, value)
		return err
	}}
	if *on {
		p.text = "true"
	}
	return p
}

// unless is an option that is on, and written where it is off.
func unless(key string, off *bool) parameter {
	p := parameter{key: key, read: func(value string) error {
		on, err := parseBool(key, value)
		*off = !on
		return err
	}}
	if *off {
		p.text = "false"
	}
	return p
}

// toolNames is an option that is a list of names; nil where it is not set.
func toolNames(key string, list *[]string) parameter {
	p := parameter{key: key, read: func(value string) error {
		*list = parseNames(value)
		return nil
	}}
	if *list != nil {
		p.text = strings.Join(*list, "+")
	}
	return p
}

// parseCount reads how many there are of something.
func parseCount(key, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%s: write a number from 0 on, as in %s=10", key, value, key)
	}
	return n, nil
}

// parseTokenCount reads a number of tokens, with or without a unit.
func parseTokenCount(key, value string) (int, error) {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		return n, nil
	}
	if n, ok := tenfold.ParseTokens(value); ok {
		return n, nil
	}
	return 0, fmt.Errorf("%s=%s: write a number of tokens, as in %s=4000 or %s=4k", key, value, key, key)
}

func parseSize(key, value string) (tenfold.Size, error) {
	size, err := tenfold.ParseSize(value)
	if err != nil {
		return 0, fmt.Errorf("%s=%s: write a size, as in %s=800 or %s=2KB", key, value, key, key)
	}
	return size, nil
}

// parseShare reads a share of a whole: "0.5" or "50%".
func parseShare(key, value string) (float64, error) {
	number, percent := strings.CutSuffix(value, "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f > 0 && f <= 1) { // not so for NaN
		return 0, fmt.Errorf("%s=%s: write a share of the window, as in %s=0.5 or %s=50%%", key, value, key, key)
	}
	return f, nil
}

// parseNames reads names joined by "+", since a comma ends a parameter. An
// empty value names none.
func parseNames(value string) []string {
	if value == "" {
		return []string{}
	}
	return strings.Split(value, "+")
}

var errPlacement = errors.New("write placement=pair, placement=system or placement=user")

func parsePlacement(value string) (tenfold.Placement, error) {
	switch at := tenfold.Placement(value); at {
	case tenfold.PlacePair, tenfold.PlaceSystem, tenfold.PlaceUser:
		return at, nil
	}
	return "", errPlacement
}

func parseBool(key, value string) (bool, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("%s=%s: write true or false", key, value)
	}
	return on, nil
}
