package token

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"tenfold"
)

// A Source says where a figure comes from (semantics T3).
type Source string

// The sources of figures, from the most to the least certain.
const (
	Provider   Source = "provider"   // reported by the provider
	Calibrated Source = "calibrated" // estimated, and corrected by what the provider reported before
	Estimate   Source = "estimate"   // estimated
)

// A Scale converts estimated tokens to tokens as a conversation's provider counts
// them (semantics T3). Entries keep their estimates (T2), and whatever adds up is
// added up in estimates; a scale is applied to what is shown, and to the limits
// that people state in tokens. The zero Scale changes nothing: its figures are
// estimates. It is a value, and whole numbers make it the same on every processor.
type Scale struct {
	// Percent is how many tokens the provider counts for 100 estimated ones, from
	// 50 to 300; 0 where too little is known.
	Percent int
	// Requests is how many requests that was learnt from.
	Requests int
	// Outside is how many tokens, as the provider counts them, each request holds
	// that the log does not: system prompt, tool definitions, and whatever else the
	// client sends. 0 where that is not known.
	Outside int
}

// Source says what figures of the scale are.
func (s Scale) Source() Source {
	if s.Percent == 0 {
		return Estimate
	}
	return Calibrated
}

// Words say where figures come from, of a counter by this name: "calibrated (1.38 × o200k)",
// or "estimate (o200k)".
func (s Scale) Words(counter string) string {
	if s.Source() == Estimate {
		return string(Estimate) + " (" + counter + ")"
	}
	return string(Calibrated) + " (" + strconv.FormatFloat(s.Ratio(), 'f', 2, 64) + " × " + counter + ")"
}

// Ratio is the provider's count by the estimate: 1 where too little is known.
func (s Scale) Ratio() float64 { return float64(s.percent()) / 100 }

func (s Scale) percent() int {
	if s.Percent <= 0 {
		return 100
	}
	return min(max(s.Percent, minPercent), maxPercent)
}

// Tokens is what the provider is expected to count for so many estimated tokens,
// rounded half away from zero.
func (s Scale) Tokens(estimated int) int {
	percent := s.percent()
	switch {
	case percent == 100:
		return estimated
	case estimated < 0:
		return -s.Tokens(-max(estimated, -math.MaxInt))
	case estimated > math.MaxInt/maxPercent-50:
		return math.MaxInt
	}
	return (estimated*percent + 50) / 100
}

// Estimated is the largest estimate of which [Scale.Tokens] is at most tokens: a
// limit that was stated in the provider's tokens as the log counts.
func (s Scale) Estimated(tokens int) int {
	percent := s.percent()
	switch {
	case percent == 100:
		return tokens
	case tokens < 0:
		return -s.Estimated(-max(tokens, -math.MaxInt))
	case tokens > math.MaxInt/100-50:
		return tokens
	}
	return (tokens*100 + 49) / percent
}

// Sizes are what the view cost before and after a compaction, as its entry says:
// an imported one has its tool's figures, which are its provider's already. Both are 0
// where the tool told of one alone, as pi does: it did not leave a view of nothing.
func (s Scale) Sizes(c tenfold.Compaction) (before, after int) {
	if c.Source == tenfold.SourceImport {
		if c.TokensBefore == 0 || c.TokensAfter == 0 {
			return 0, 0
		}
		s = Scale{}
	}
	return s.Tokens(c.TokensBefore), s.Tokens(c.TokensAfter)
}

// Counts are the figures of counts that are shown below each other, so that those
// of each side add up to the scaled sum of that side (P11). Each is its count scaled
// and rounded, the largest up or down as the sums need it: none is off by a whole
// token, so that nothing stays nothing, and a count that is the same before and after
// stays so.
func (s Scale) Counts(counts ...tenfold.Count) []tenfold.Count {
	scaled := make([]tenfold.Count, len(counts))
	same, before, after := apportioned{scale: s}, apportioned{scale: s}, apportioned{scale: s}
	for i, c := range counts {
		scaled[i].Entries = c.Entries
		if c.Before == c.After {
			same.add(c.Before, &scaled[i].Before)
			continue
		}
		before.add(c.Before, &scaled[i].Before)
		after.add(c.After, &scaled[i].After)
	}
	kept := s.Tokens(same.sum)
	same.matchTotal(kept)
	before.matchTotal(s.Tokens(same.sum+before.sum) - kept)
	after.matchTotal(s.Tokens(same.sum+after.sum) - kept)
	for i, c := range counts {
		if c.Before == c.After {
			scaled[i].After = scaled[i].Before
		}
	}
	return scaled
}

// apportioned are counts of one side, scaled so that they add up.
type apportioned struct {
	scale Scale
	parts []part
	sum   int // of the counts
	given int // of what they are scaled to
}

type part struct {
	count  int
	figure *int
}

func (a *apportioned) add(n int, figure *int) {
	*figure = a.scale.Tokens(n)
	a.parts = append(a.parts, part{n, figure})
	a.sum, a.given = a.sum+n, a.given+*figure
}

// matchTotal has the parts add up to a total: the largest of those that rounding moved away
// from it are rounded the other way.
func (a *apportioned) matchTotal(total int) {
	left, one := total-a.given, 1
	if left < 0 {
		left, one = -left, -1
	}
	if left == 0 {
		return
	}
	moved := slices.DeleteFunc(a.parts, func(p part) bool { return one*(p.count*a.scale.percent()-*p.figure*100) <= 0 })
	slices.SortStableFunc(moved, func(x, y part) int { return cmp.Compare(y.count, x.count) })
	for _, p := range moved[:min(left, len(moved))] {
		*p.figure += one
	}
}
