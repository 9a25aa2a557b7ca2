package strategy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tenfold"
)

// errNoParameter says that a strategy has no parameter of that name.
func errNoParameter(key string, there ...string) error {
	return fmt.Errorf("no parameter %q: there are %s", key, strings.Join(there, ", "))
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
		return nil
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
