package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// An Estimate is a figure over sessions of several sources.
type Estimate struct {
	// Mean is the mean over sources of the means over their sessions.
	Mean float64 `json:"mean"`
	// Low and High bound it with 95 %, by drawing sessions anew within each
	// source. Sources with one session vary by nothing.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// P10 is the tenth percentile over sessions: nine in ten have more.
	P10 float64 `json:"p10"`
	// Sessions and Sources are how many have the figure; with none there is
	// no estimate.
	Sessions int `json:"sessions"`
	Sources  int `json:"sources"`
}

// OK reports whether there is anything to estimate from.
func (e Estimate) OK() bool { return e.Sessions > 0 }

// sample is a session's figure.
type sample struct {
	source string
	value  float64
}

// How often sessions are drawn anew, and from where the drawing starts.
const (
	draws     = 1000
	drawsSeed = 0x7e4f01d
)

// estimate joins the figures of sessions. The same samples in the same order
// give the same estimate.
func estimate(samples []sample) Estimate {
	if len(samples) == 0 {
		return Estimate{}
	}
	var names []string
	bySource := map[string][]float64{}
	all := make([]float64, len(samples))
	for i, s := range samples {
		if bySource[s.source] == nil {
			names = append(names, s.source)
		}
		bySource[s.source] = append(bySource[s.source], s.value)
		all[i] = s.value
	}
	slices.Sort(names)
	e := Estimate{Sessions: len(samples), Sources: len(names)}
	for _, name := range names {
		e.Mean += mean(bySource[name]) / float64(len(names))
	}
	slices.Sort(all)
	e.P10 = percentile(all, .10)
	r := rand.New(rand.NewPCG(drawsSeed, uint64(len(samples))))
	means := make([]float64, draws)
	for i := range means {
		for _, name := range names {
			values := bySource[name]
			sum := 0.0
			for range values {
				sum += values[r.IntN(len(values))]
			}
			means[i] += sum / float64(len(values)*len(names))
		}
	}
	slices.Sort(means)
	e.Low, e.High = percentile(means, .025), percentile(means, .975)
	return e
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// percentile reads a percentile off sorted values, between two of them where it
// falls there.
func percentile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low, high := int(math.Floor(at)), int(math.Ceil(at))
	return sorted[low] + (sorted[high]-sorted[low])*(at-float64(low))
}
