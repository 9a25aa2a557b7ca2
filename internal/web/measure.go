package web

import (
	"context"
	"time"

	"tenfold"
	"tenfold/eval"
	"tenfold/internal/web/shape"
	"tenfold/session"
)

const (
	// measureTime is after how long no further cut is begun while somebody waits.
	measureTime = time.Second
	// mostMeasured is the longest log, in entries, that is measured while somebody
	// waits: reading it takes longer than the time else.
	mostMeasured = 20_000
	// horizon is how many requests after a cut show what was needed (docs/quality.md).
	horizon = 30
)

// tryCuts are where a conversation is cut to measure a wish, in percent of its
// requests: the newest first.
func tryCuts() []int { return []int{90, 75, 60} }

// measure says what a request keeps of what was needed later (Measured). What a
// model would write a digest writes here.
func measure(ctx context.Context, l *tenfold.Log, r session.Request) (m shape.Measured, err error) {
	if l.Version() > mostMeasured {
		m.Why = "the conversation is too long to measure while you wait; use the lab"
		return m, nil
	}
	begun := time.Now()
	s := eval.Open(l)
	m.Requests = s.Requests()
	var cur, edr mean
	for _, percent := range tryCuts() {
		if time.Since(begun) > measureTime {
			m.Why = "it took too long; use the lab"
			break
		}
		c, err := s.Cut(percent)
		if err != nil { // too short
			break
		}
		if n, _ := c.Carried(horizon); n == 0 {
			continue
		}
		v, err := c.View(ctx, eval.RequestPolicy("tried", r))
		if err != nil {
			return m, err
		}
		recall := c.Score(v, horizon).Recalls[0]
		cur.add(recall.CUR)
		edr.add(recall.EDR)
		m.Cuts = append(m.Cuts, percent)
	}
	if m.CUR, m.EDR = cur.value(), edr.value(); m.CUR != nil {
		m.Why = ""
	} else if m.Why == "" {
		m.Why = "too short: no call near its end uses an earlier name that was not shown again"
	}
	return m, nil
}

// laboratory measures strategies on conversations, one after the other.
type laboratory struct {
	policies []eval.Policy
	sums     []labSum
	sessions int
}

// labSum adds up what a policy came to.
type labSum struct {
	share, cur, edr mean
}

// labCuts are where "tenfold lab" cuts, in percent of the requests.
func labCuts() []int { return []int{25, 50, 75} }

// measure measures a conversation, and reports whether anything could be: not where it
// is too short. Told is given each point as it stands once its policy is measured.
func (k *laboratory) measure(ctx context.Context, l *tenfold.Log, leastRequests int, told func(shape.LabPoint)) (bool, error) {
	s := eval.Open(l)
	if s.Requests() < leastRequests {
		return false, nil
	}
	var cuts []*eval.Cut
	for _, percent := range labCuts() {
		c, err := s.Cut(percent)
		if err != nil { // too short
			return false, nil //nolint:nilerr // which is not a failure
		}
		if n, _ := c.Carried(horizon); n > 0 {
			cuts = append(cuts, c)
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	if len(cuts) == 0 {
		return false, nil
	}
	k.sessions++
	for i, p := range k.policies {
		var one labSum
		for _, c := range cuts {
			if err := ctx.Err(); err != nil {
				return true, err
			}
			v, err := c.View(ctx, p)
			if err != nil {
				return true, err
			}
			score := c.Score(v, horizon)
			one.share.add(score.Kept)
			one.cur.add(score.Recalls[0].CUR)
			one.edr.add(score.Recalls[0].EDR)
		}
		sum := &k.sums[i]
		sum.share.join(one.share)
		sum.cur.join(one.cur)
		sum.edr.join(one.edr)
		told(k.point(i))
	}
	return true, nil
}

// point is what a policy came to so far: the mean over conversations of the means
// over their cuts.
func (k *laboratory) point(i int) shape.LabPoint {
	p, sum := k.policies[i], k.sums[i]
	out := shape.LabPoint{Strategy: p.String(), Family: p.Family(), CUR: sum.cur.value(), EDR: sum.edr.value(), Baseline: p.Baseline(), Sessions: sum.share.n}
	if share := sum.share.value(); share != nil {
		out.Share = *share
	}
	return out
}

// mean is the mean of shares, as far as they have a value.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(s eval.Share) {
	if v, ok := s.Value(); ok {
		m.sum += v
		m.n++
	}
}

// join adds a mean as one value.
func (m *mean) join(one mean) {
	if v := one.value(); v != nil {
		m.sum += *v
		m.n++
	}
}

// value is nil where nothing had one.
func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	v := m.sum / float64(m.n)
	return &v
}
