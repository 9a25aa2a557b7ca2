package token

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"sync"
)

// A Source says where a figure comes from.
type Source string

// The sources of figures, from the most to the least certain.
const (
	Provider   Source = "provider"   // reported by the provider
	Calibrated Source = "calibrated" // estimated, and corrected by what the provider reported before
	Estimate   Source = "estimate"   // estimated
)

// A Figure is a number of tokens with its source (semantics T3).
type Figure struct {
	Tokens int    `json:"tokens"`
	Source Source `json:"source"`
}

// Reported returns the figure of a provider. Below zero it is zero.
func Reported(tokens int) Figure { return Figure{max(tokens, 0), Provider} }

// A Calibration learns, for each model, the ratio between the tokens that the
// provider reported and those that were estimated, and applies it to estimates
// (semantics T3). The ratio is 1 at first and moves by 30 % of the way to each
// new observation, so that it follows a change within a few calls and one odd
// call does not carry it away.
//
// The zero value has observed nothing and is ready for use. A Calibration is
// safe for concurrent use and must not be copied after the first. Its JSON form
// is what a program stores to go on with later:
//
//	{"models": {"gpt-4o": {"ratio": 1.06, "observations": 12}}}
type Calibration struct {
	mu     sync.RWMutex
	models map[string]Ratio
}

// A Ratio is what is known of a model: reported by estimated tokens, and from
// how many observations.
type Ratio struct {
	Ratio        float64 `json:"ratio"`
	Observations int     `json:"observations"`
}

// A ratio outside these limits comes from a mistake, such as a cached prompt
// that was not reported, and counts as the limit.
const (
	minRatio = 0.25
	maxRatio = 4

	smoothing = 0.3
)

// Observe takes note that a request estimated at so many tokens was reported
// as so many. Where one of the two is not positive there is nothing to learn.
func (c *Calibration) Observe(model string, estimated, reported int) {
	if estimated <= 0 || reported <= 0 {
		return
	}
	seen := clamp(float64(reported) / float64(estimated))
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.ratio(model)
	r.Ratio += smoothing * (seen - r.Ratio)
	r.Observations++
	if c.models == nil {
		c.models = make(map[string]Ratio)
	}
	c.models[model] = r
}

// Estimate returns the estimate corrected for the model: of source Calibrated
// if the model was observed, else the estimate as it is. Below zero it is zero.
func (c *Calibration) Estimate(model string, estimated int) Figure {
	r := c.Ratio(model)
	estimated = max(estimated, 0)
	if r.Observations == 0 {
		return Figure{estimated, Estimate}
	}
	tokens := math.Round(float64(estimated) * r.Ratio)
	if tokens >= math.MaxInt {
		return Figure{math.MaxInt, Calibrated}
	}
	return Figure{int(tokens), Calibrated}
}

// Ratio returns what is known of the model: a ratio of 1 from no observations
// if that is nothing.
func (c *Calibration) Ratio(model string) Ratio {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.ratio(model)
}

func (c *Calibration) ratio(model string) Ratio {
	if r, ok := c.models[model]; ok {
		return r
	}
	return Ratio{Ratio: 1}
}

func clamp(ratio float64) float64 { return min(max(ratio, minRatio), maxRatio) }

// calibrationState is the JSON form.
type calibrationState struct {
	Models map[string]Ratio `json:"models"`
}

// MarshalJSON returns what was learnt.
func (c *Calibration) MarshalJSON() ([]byte, error) {
	c.mu.RLock()
	state := calibrationState{maps.Clone(c.models)}
	c.mu.RUnlock()
	if state.Models == nil {
		state.Models = map[string]Ratio{}
	}
	return json.Marshal(state)
}

// UnmarshalJSON replaces what was learnt. Ratios out of bounds are brought
// within, and models without an observation left out.
func (c *Calibration) UnmarshalJSON(data []byte) error {
	var state calibrationState
	if err := json.Unmarshal(data, &state); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	models := make(map[string]Ratio, len(state.Models))
	for name, r := range state.Models {
		if r.Observations > 0 {
			models[name] = Ratio{clamp(r.Ratio), r.Observations}
		}
	}
	c.mu.Lock()
	c.models = models
	c.mu.Unlock()
	return nil
}
