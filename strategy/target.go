package strategy

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tenfold"
)

// A Target is how small a projection is to become.
type Target struct {
	// Tokens is the most the projection may cost; where Share is set, that
	// share of what the raw conversation costs. Both zero is not a valid target.
	Tokens int
	Share  float64
}

// Share is a target of so many percent of what the raw conversation costs.
func Share(percent float64) Target { return Target{Share: percent / 100} }

// Tokens is a target of so many tokens.
func Tokens(n int) Target { return Target{Tokens: n} }

// target is an option that is a [Target].
func target(key string, t *Target, usual Target) parameter {
	p := parameter{key: key, read: func(value string) (err error) {
		*t, err = ParseTarget(value)
		return err
	}}
	if now := cmp.Or(*t, usual); now.Set() {
		p.text = now.String()
	}
	return p
}

var errTarget = errors.New("write tokens (20k, 20000) or a share of the conversation (10%)")

// ParseTarget reads a target as a command line has it: "20k", "20000" or
// "10%".
func ParseTarget(text string) (Target, error) {
	s := strings.TrimSpace(text)
	if strings.HasSuffix(s, "%") {
		share, err := parseShare("target", s)
		if err != nil {
			return Target{}, fmt.Errorf("%q is not a valid target: %w", text, errTarget)
		}
		return Target{Share: share}, nil
	}
	n, err := parseTokenCount("target", s)
	if err != nil || n == 0 {
		return Target{}, fmt.Errorf("%q is not a valid target: %w", text, errTarget)
	}
	return Target{Tokens: n}, nil
}

// Set reports whether there is a target.
func (t Target) Set() bool { return t.Tokens > 0 || t.Share > 0 }

// Limit is the most tokens that a projection of p's log may cost.
func (t Target) Limit(p *tenfold.Projection) int {
	if t.Share > 0 {
		return int(t.Share * float64(p.Totals().All().Before))
	}
	return t.Tokens
}

// String writes the target as [ParseTarget] reads it.
func (t Target) String() string {
	if t.Share > 0 {
		return strconv.FormatFloat(t.Share*100, 'g', 6, 64) + "%"
	}
	return strconv.Itoa(t.Tokens)
}
