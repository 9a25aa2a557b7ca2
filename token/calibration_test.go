package token_test

import (
	"encoding/json"
	"math"
	"sync"
	"testing"

	"tenfold/token"
)

func TestT3RatioStartsAtOneAndIsSmoothed(t *testing.T) {
	var c token.Calibration
	if got := c.Estimate("m", 1000); got != (token.Figure{Tokens: 1000, Source: token.Estimate}) {
		t.Errorf("before any observation: %+v", got)
	}
	c.Observe("m", 1000, 1200)
	if got := c.Estimate("m", 1000); got != (token.Figure{Tokens: 1060, Source: token.Calibrated}) {
		t.Errorf("after one observation of 1.2: %+v", got)
	}
	for range 30 {
		c.Observe("m", 1000, 1200)
	}
	if got := c.Estimate("m", 1000).Tokens; got != 1200 {
		t.Errorf("after many observations of 1.2: %d", got)
	}
	if got := c.Estimate("other", 1000).Source; got != token.Estimate {
		t.Errorf("another model is %s", got)
	}
	if got := token.Reported(7); got != (token.Figure{Tokens: 7, Source: token.Provider}) {
		t.Errorf("reported: %+v", got)
	}
}

func TestT3NonsenseIsNotLearnt(t *testing.T) {
	var c token.Calibration
	for _, o := range [][2]int{{0, 10}, {10, 0}, {-1, 10}, {10, -1}, {0, 0}, {math.MinInt, math.MaxInt}} {
		c.Observe("m", o[0], o[1])
	}
	if got := c.Ratio("m"); got != (token.Ratio{Ratio: 1}) {
		t.Errorf("learnt %+v", got)
	}
	for range 100 {
		c.Observe("high", 1, math.MaxInt)
		c.Observe("low", math.MaxInt, 1)
	}
	if got := c.Ratio("high").Ratio; got > 4 {
		t.Errorf("ratio %v", got)
	}
	if got := c.Ratio("low").Ratio; got < 0.25 {
		t.Errorf("ratio %v", got)
	}
	if got := c.Estimate("high", math.MaxInt).Tokens; got != math.MaxInt {
		t.Errorf("the largest estimate becomes %d", got)
	}
	if got := c.Estimate("high", -5).Tokens; got != 0 {
		t.Errorf("a negative estimate becomes %d", got)
	}
}

func TestT3CalibrationIsStored(t *testing.T) {
	var c, restored token.Calibration
	c.Observe("a", 100, 90)
	c.Observe("b", 100, 300)
	data, err := json.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &restored); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"a", "b", "none"} {
		if c.Ratio(model) != restored.Ratio(model) {
			t.Errorf("%s: %+v restored as %+v", model, c.Ratio(model), restored.Ratio(model))
		}
	}
	if err := json.Unmarshal([]byte(`{"models":{"x":{"ratio":1e300,"observations":1},"y":{"ratio":2,"observations":0}}}`), &restored); err != nil {
		t.Fatal(err)
	}
	if x, y := restored.Ratio("x"), restored.Ratio("y"); x.Ratio != 4 || y.Ratio != 1 {
		t.Errorf("nonsense restored as %+v, %+v", x, y)
	}
	if err := json.Unmarshal([]byte(`{"models":[]}`), &restored); err == nil {
		t.Error("a list is taken for a state")
	}
	var empty token.Calibration
	if data, err := json.Marshal(&empty); err != nil || string(data) != `{"models":{}}` {
		t.Errorf("empty: %s, %v", data, err)
	}
}

func TestT3CalibrationIsConcurrent(t *testing.T) {
	var c token.Calibration
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				c.Observe("m", 100, 110)
				c.Estimate("m", 100)
				if _, err := json.Marshal(&c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := c.Ratio("m").Observations; got != 800 {
		t.Errorf("%d observations", got)
	}
}
