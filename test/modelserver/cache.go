package modelserver

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/token"
)

// A unit is a piece of the prefix that caches and bindings know as one: a
// tool, a system text, a block of a message.
type unit struct {
	sum    [32]byte // of this and all units before
	bare   [32]byte // the same without thinking: what thinking is bound to
	tokens int      // of this and all before
	mark   time.Duration
}

// prefix builds units.
type prefix struct{ units []unit }

// add appends a value; its cache_control marks do not count as content (V1).
func (p *prefix) add(role string, v jsontext.Value) {
	var content any
	if err := json.Unmarshal(v, &content); err != nil {
		content = string(v)
	}
	mark := unmark(content)
	canonical, err := json.Marshal(content, json.Deterministic(true))
	if err != nil {
		canonical = v
	}
	last := p.last()
	u := unit{tokens: last.tokens + token.O200k().Count(string(canonical)), mark: mark}
	u.sum, u.bare = after(last.sum, role, canonical), last.bare
	if !isThinking(typeOf(v)) {
		u.bare = after(last.bare, role, canonical)
	}
	p.units = append(p.units, u)
}

func isThinking(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }

// after is the sum of a value of a role and all before.
func after(sum [32]byte, role string, canonical []byte) [32]byte {
	return sha256.Sum256(slices.Concat(sum[:], []byte(role+"\x00"), canonical))
}

func (p *prefix) last() unit {
	if len(p.units) == 0 {
		return unit{}
	}
	return p.units[len(p.units)-1]
}

// unmark takes cache_control out of a value, at any depth, and gives the
// lifetime that the mark asks for.
func unmark(v any) time.Duration {
	var life time.Duration
	switch v := v.(type) {
	case map[string]any:
		if mark, ok := v["cache_control"].(map[string]any); ok {
			life = 5 * time.Minute
			if mark["ttl"] == "1h" {
				life = time.Hour
			}
		}
		delete(v, "cache_control")
		for _, inner := range v {
			life = max(life, unmark(inner))
		}
	case []any:
		for _, inner := range v {
			life = max(life, unmark(inner))
		}
	}
	return life
}

// A cache is a provider's prompt cache. Anthropic's holds the prefixes that
// ended in a mark, and looks for one at each mark and the 20 blocks before it;
// the others hold every prefix of at least 1,024 tokens on their own.
type cache struct {
	alive map[[32]byte]time.Time // until when
}

const (
	lookback  = 20
	leastAuto = 1024
	grain     = 128
	autoLife  = 5 * time.Minute
)

// bill gives what a request costs, and remembers its prefixes.
func (c *cache) bill(wire Wire, units []unit, now time.Time) Usage {
	total := 0
	if len(units) > 0 {
		total = units[len(units)-1].tokens
	}
	if wire != Anthropic {
		read := 0
		for _, u := range units {
			if c.fresh(u, now) {
				read = u.tokens
			}
		}
		for _, u := range units {
			if u.tokens >= leastAuto {
				c.keep(u, autoLife, now)
			}
		}
		read -= read % grain
		return Usage{Input: total - read, CacheRead: read}
	}
	read, written := 0, 0
	for i, u := range slices.Backward(units) {
		if u.mark == 0 {
			continue
		}
		for j := i; j >= 0 && j > i-lookback; j-- {
			if c.fresh(units[j], now) {
				read = max(read, units[j].tokens)
				c.keep(units[j], u.mark, now) // a read renews it
				break
			}
		}
		written = max(written, u.tokens)
	}
	for _, u := range units {
		if u.mark > 0 {
			c.keep(u, u.mark, now)
		}
	}
	written = max(written-read, 0)
	return Usage{Input: total - read - written, CacheRead: read, CacheWrite: written}
}

func (c *cache) fresh(u unit, now time.Time) bool { return now.Before(c.alive[u.sum]) }

func (c *cache) keep(u unit, life time.Duration, now time.Time) {
	if until := now.Add(life); until.After(c.alive[u.sum]) {
		c.alive[u.sum] = until
	}
}
