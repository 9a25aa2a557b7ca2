package job

import (
	"context"
	"strconv"
	"strings"

	"tenfold/store"
	"tenfold/token"
)

// ByStats wraps a store of whose writers the program knows no more than what they
// append, such as other machines that use it over HTTP: work is due where the figures
// of a batch say so. A worker reads the log and finds whether it is.
//
// limit gives how many tokens a view may have, and the policy that is run; 0 has
// nothing due.
func ByStats(st store.Store, limit func() (tokens int, policy string)) store.Store {
	return &byStats{st, limit}
}

type byStats struct {
	store.Store
	limit func() (int, string)
}

// Append implements [store.Store].
func (s *byStats) Append(ctx context.Context, b store.Batch) (int64, error) {
	if b.Due == nil && b.Stats != nil {
		limit, policy := s.limit()
		if tokens := (token.Scale{Percent: b.Stats.Percent}).Tokens(b.Stats.TokensAfter); limit > 0 && tokens > limit {
			b.Due = &store.Work{
				// How much is hidden changes with each compaction and with nothing else.
				Prefix: hidden + strconv.Itoa(b.Stats.TokensBefore-b.Stats.TokensAfter), Policy: policy,
				Step: 10 * (tokens - limit) / limit, Tokens: tokens, Limit: limit,
			}
		}
	}
	return s.Store.Append(ctx, b)
}

// hidden begins a prefix that does not name a view: a worker accepts whichever view it finds.
const hidden = "hidden:"

// prefixOf is the prefix that a worker has to find.
func prefixOf(prefix string) string {
	if strings.HasPrefix(prefix, hidden) {
		return ""
	}
	return prefix
}
