package tenant

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenfold/problem"
)

// Limits are what a tenant may use; nil is no limit.
type Limits struct {
	// Entries and Bytes are of all conversations of the tenant together: entries of
	// their logs, and bytes as the store keeps them.
	Entries *int64 `json:"entries"`
	Bytes   *int64 `json:"bytes"`
	// Jobs may wait at once: where there are as many, no more are enqueued or tried again.
	Jobs *int `json:"jobs"`
	// RequestsPerSecond is counted by each server for itself: with n servers behind a
	// balancer a tenant has up to n times as many. As many may come at once as in a
	// second.
	RequestsPerSecond *float64 `json:"requests_per_second"`
	// JobsAtOnce is how many jobs of the tenant run at the same time, at least 1.
	JobsAtOnce int `json:"jobs_at_once"`
	// RetainDays is how long conversations stay after their last change.
	RetainDays *int `json:"retain_days"`
	// Models tells whether compactions of the tenant may call the model that whoever
	// runs the servers configured, who pays for that.
	Models bool `json:"models"`
}

func (l Limits) valid() error {
	switch {
	case negative(l.Entries), negative(l.Bytes), negative(l.Jobs), negative(l.RetainDays), l.JobsAtOnce < 0,
		l.RequestsPerSecond != nil && (*l.RequestsPerSecond <= 0 || *l.RequestsPerSecond > mostRate):
		return &problem.Error{Op: "set limits", Code: "usage", Usage: true, Problem: "a limit is out of range", Hint: "write numbers from 0 on, and requests per second above 0 and up to 1,000,000"}
	}
	return nil
}

// rateText shows a rate as it was given: the database has it in 32 bits.
func rateText(rate float64) string { return strconv.FormatFloat(rate, 'f', -1, 32) }

// mostRate is above what any server answers.
const mostRate = 1e6

func negative[N int | int64](n *N) bool { return n != nil && *n < 0 }

// String lists the limits that are set, and whether models may be called.
func (l Limits) String() string {
	var all []string
	add := func(name string, set bool, value func() string) {
		if set {
			all = append(all, name+" "+value())
		}
	}
	add("entries", l.Entries != nil, func() string { return strconv.FormatInt(*l.Entries, 10) })
	add("bytes", l.Bytes != nil, func() string { return strconv.FormatInt(*l.Bytes, 10) })
	add("jobs", l.Jobs != nil, func() string { return strconv.Itoa(*l.Jobs) })
	add("requests/s", l.RequestsPerSecond != nil, func() string { return rateText(*l.RequestsPerSecond) })
	add("jobs at once", l.JobsAtOnce > 0, func() string { return strconv.Itoa(l.JobsAtOnce) })
	add("retain days", l.RetainDays != nil, func() string { return strconv.Itoa(*l.RetainDays) })
	add("models", true, func() string {
		if l.Models {
			return "allowed"
		}
		return "none"
	})
	return strings.Join(all, ", ")
}

// A LimitError says that a limit of a tenant is reached: nothing was done. It is a
// [problem.Error] to errors.As.
type LimitError struct {
	// Limit is which: requests, entries, bytes; or tokens, which are looked up.
	Limit string
	// Most is what the tenant may use, as people read it.
	Most string
	// After is when to try again at the earliest.
	After time.Duration
}

// Error implements error.
func (e *LimitError) Error() string {
	switch e.Limit {
	case limitRequests:
		return "too many requests: the tenant may send " + e.Most + " a second to this server"
	case limitTokens:
		return "too many unknown tokens at once"
	}
	return "the tenant's limit of " + e.Most + " " + e.Limit + " is reached"
}

// As fills in a [problem.Error].
func (e *LimitError) As(target any) bool {
	p, ok := target.(**problem.Error)
	if !ok {
		return false
	}
	out := &problem.Error{Err: e, Code: "limit_" + e.Limit}
	switch e.Limit {
	case limitRequests, limitTokens:
		out.Hint = fmt.Sprintf("try again in %s, or send fewer requests", e.After.Round(time.Millisecond))
	default:
		out.Hint = "delete conversations, or ask whoever runs the server to raise the limit"
	}
	*p = out
	return true
}

const (
	limitRequests = "requests"
	limitEntries  = "entries"
	limitBytes    = "bytes"
	limitTokens   = "tokens"
)

// quotaAfter is when to try again at the earliest where no time is known by which
// there is room.
const quotaAfter = time.Minute

// A bucket lets through so many requests a second, and as many at once.
type bucket struct {
	left float64
	at   time.Time
}

// take takes one, or says after what time there is one.
func (b *bucket) take(rate float64, now time.Time) (wait time.Duration, ok bool) {
	room := max(rate, 1)
	if b.at.IsZero() {
		b.left = room
	} else if since := now.Sub(b.at).Seconds(); since > 0 {
		b.left = min(b.left+since*rate, room)
	}
	b.at = now
	if b.left = min(b.left, room); b.left < 1 {
		return time.Duration((1 - b.left) / rate * float64(time.Second)), false
	}
	b.left--
	return 0, true
}
