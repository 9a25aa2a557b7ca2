package intake

import (
	"math"
	"time"

	"tenfold"
)

// Amend takes numbers out of an entry that cannot be right, whatever the file
// says: negative and enormous counts, times that no log can hold, costs that
// are no amount. A count that is gone is counted again
// where it can be. It reports whether there were any.
func Amend(e *tenfold.Entry) (amended bool) {
	count := func(n *int) {
		if *n < 0 || *n > math.MaxInt32 {
			*n, amended = 0, true
		}
	}
	usage := func(u *tenfold.Usage) {
		for _, n := range [...]*int{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite} {
			count(n)
		}
		if c := u.Cost; c != nil && !(*c >= 0 && *c < 1e9) {
			u.Cost, amended = nil, true
		}
	}
	if !e.Time.IsZero() && !possibleTime(e.Time) {
		e.Time, amended = time.Time{}, true
	}
	if !PossibleTokens(e) {
		e.Tokens, amended = 0, true
	}
	switch p := e.Payload.(type) {
	case tenfold.Usage:
		usage(&p)
		e.Payload = p
	case tenfold.CompactionAttempt:
		count(&p.Seconds)
		e.Payload = p
	case tenfold.CompactionFailed:
		count(&p.Tokens)
		count(&p.Limit)
		e.Payload = p
	case tenfold.Compaction:
		count(&p.TokensBefore)
		count(&p.TokensAfter)
		if s := p.Summary; s != nil {
			own := *s
			count(&own.Covers.Entries)
			count(&own.Covers.Tokens)
			if own.Usage != nil {
				u := *own.Usage
				usage(&u)
				own.Usage = &u
			}
			p.Summary = &own
		}
		e.Payload = p
	}
	return amended
}

// possibleConversation is a conversation without a time that cannot be.
func possibleConversation(c Conversation) Conversation {
	if !possibleTime(c.Created) {
		c.Created = time.Time{}
	}
	return c
}

// possibleTime reports whether a log can hold a time.
func possibleTime(t time.Time) bool { return t.Year() >= 1678 && t.Year() <= 2261 }

// claimedTokens is how many tokens a file may claim for an entry of any size: no
// context window is larger. An entry of more has a byte for each at least.
const claimedTokens = 1 << 24

// PossibleTokens reports whether an entry can be as many tokens as it claims.
func PossibleTokens(e *tenfold.Entry) bool {
	return e.Tokens >= 0 && (e.Tokens <= claimedTokens || int64(e.Tokens) <= Weight(e))
}
