package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// wait is how long the provider asks to wait; 0 when it does not say. The time
// of day comes from the response, so that no clock is read and none has to be
// right.
func (p *Problem) wait() time.Duration {
	h := p.Header
	if h == nil {
		h = http.Header{}
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	now, nowErr := http.ParseTime(h.Get("Date"))
	if v := h.Get("Retry-After"); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
			return seconds(s)
		}
		if at, err := http.ParseTime(v); err == nil && nowErr == nil && at.After(now) {
			return at.Sub(now)
		}
	}
	if p.After > 0 {
		return p.After
	}
	for _, before := range []string{"try again in ", "retry in "} {
		if d := durationAfter(p.Message, before); d > 0 {
			return d
		}
	}
	if p.Status != http.StatusTooManyRequests {
		return 0
	}
	var longest time.Duration
	for name := range h {
		what, ok := strings.CutPrefix(strings.ToLower(name), "x-ratelimit-reset-")
		if ok && spent(h, "x-ratelimit-remaining-"+what) {
			if d, err := time.ParseDuration(h.Get(name)); err == nil {
				longest = max(longest, d)
			}
		}
		what, ok = strings.CutPrefix(strings.ToLower(name), "anthropic-ratelimit-")
		if what, isReset := strings.CutSuffix(what, "-reset"); ok && isReset && nowErr == nil && spent(h, "anthropic-ratelimit-"+what+"-remaining") {
			if at, err := time.Parse(time.RFC3339, h.Get(name)); err == nil {
				longest = max(longest, at.Sub(now))
			}
		}
	}
	return longest
}

// spent reports whether nothing is left of an allowance, or it is not said.
func spent(h http.Header, remaining string) bool {
	v := h.Get(remaining)
	return v == "" || v == "0"
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, 1e6) * float64(time.Second))
}

// durationAfter reads "1m2.5s" or "350ms" behind some words.
func durationAfter(text, words string) time.Duration {
	_, rest, ok := strings.Cut(strings.ToLower(text), words)
	if !ok {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && !strings.ContainsRune("hms.", r) })
	if end >= 0 {
		rest = rest[:end]
	}
	d, err := time.ParseDuration(strings.TrimRight(rest, "."))
	if err != nil {
		return 0
	}
	return d
}
