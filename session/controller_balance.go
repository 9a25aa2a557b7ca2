package session

import (
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/trigger"
)

// balance is what the compactions so far saved and cost, against the same
// conversation without them, in tokens as the log counts them. It is read from
// the log alone, so that all controllers come to the same. What is not certain
// counts against compactions: all of the view is taken to be written again, and a
// cache that may be warm to be warm.
type balance struct {
	// changes are what undoes the compactions, by the id that it names; sum is how
	// many tokens are out of the view now.
	changes map[string]undoing
	sum     float64
	// read and written are tokens that requests need not have read from the cache,
	// and written to it; rewritten are those that a warm cache had held.
	read, written, rewritten float64
	// sentRead and sentWritten are what the requests did read and write; total is
	// the view without compactions, sent what the last request sent.
	sentRead, sentWritten, total, sent float64
	// turn and step are those of the last response, answered is when it came.
	turn, step int
	answered   time.Time
	// newest is when the newest entry came that a model sees.
	newest time.Time
	begun  bool
}

// undoing is what revoking an entry does: whether the compaction is then gone.
type undoing struct {
	of   *hiding
	gone bool
}

// hiding is how many tokens a compaction takes out of the view.
type hiding struct {
	tokens float64
	gone   bool
}

// add takes in an entry of the root, where the provider keeps what nobody touches
// so long.
func (b *balance) add(l *tenfold.Log, e tenfold.Entry, lifetime time.Duration) {
	switch p := e.Payload.(type) {
	case tenfold.Compaction:
		if p.Source == "import" {
			break // the client's own: it would be there without us
		}
		if p.AtBirth() {
			b.total -= float64(p.TokensBefore - p.TokensAfter) // nobody had sent it
			break
		}
		if b.changes == nil {
			b.changes = map[string]undoing{}
		}
		o := &hiding{tokens: float64(p.TokensBefore) - float64(p.TokensAfter)}
		b.changes[e.ID] = undoing{o, true}
		b.change(o.tokens, e.Time, lifetime)
	case tenfold.CompactionRevoked:
		u, ok := b.changes[p.Target]
		if !ok || u.of.gone == u.gone {
			break
		}
		b.changes[e.ID] = undoing{u.of, !u.gone}
		if u.of.gone = u.gone; u.gone {
			b.change(-u.of.tokens, e.Time, lifetime)
		} else {
			b.change(u.of.tokens, e.Time, lifetime)
		}
	case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall:
		if turn, step, _ := l.Where(e.Seq); !b.begun || turn != b.turn || step != b.step {
			b.request(lifetime)
			b.turn, b.step, b.begun = turn, step, true
		}
		b.answered = e.Time
	}
	if e.Payload.Kind().Visible() {
		b.newest = e.Time
		b.total += float64(e.Tokens)
	}
}

// change takes tokens out of the view.
func (b *balance) change(tokens float64, at time.Time, lifetime time.Duration) {
	b.sum += tokens
	if b.begun && !b.cold(at, lifetime) {
		b.rewritten += max(b.total-b.sum, 0)
	}
}

// request sends the view.
func (b *balance) request(lifetime time.Duration) {
	view := max(b.total-b.sum, 0)
	if b.begun && !b.cold(b.newest, lifetime) {
		b.read += b.sum
		b.sentRead += b.sent
		b.sentWritten += max(view-b.sent, 0)
	} else {
		b.written += b.sum
		b.sentWritten += view
	}
	b.sent = view
}

// cold tells whether the cache is cold for sure.
func (b *balance) cold(at time.Time, lifetime time.Duration) bool {
	return !at.IsZero() && !b.answered.IsZero() && at.After(b.answered.Add(lifetime))
}

// allows tells whether what was saved so far, and the share of what was paid so far
// that may be at stake, pay for rewriting so many tokens while so many go.
func (b *balance) allows(c trigger.Cache, stake float64) bool {
	more := c.Write - c.Read
	saved := b.read*c.Read + b.written*c.Write - b.rewritten*more
	spent := b.sentRead*c.Read + b.sentWritten*c.Write
	return float64(c.Behind)*more-float64(c.Going)*c.Read <= saved+stake*spent
}

// Lifetime is how long the provider keeps a prompt that nobody touches, as far as
// that is known: then the cache is cold (live V2c).
func (c *Controller) Lifetime() time.Duration {
	d := c.live.Micro.ColdAfter
	if d <= 0 {
		rule, _ := provider.CacheRuleOf(c.session.projection.Config().Model)
		d = rule.Lifetime
	}
	return max(d, c.live.Lifetime)
}

// fullShare is the share of the budget that clearing in a warm cache may leave in
// use. With less room the next clearing comes a few requests later, at the price of
// another rewriting, and the compaction that makes room for good never.
const fullShare = 0.75

// pays tells whether clearing old results by a plan is worth it now (live V2): the
// cache is cold, or there is room afterwards and either the view is over the limit
// or earlier compactions saved what the rewriting costs. So a conversation never costs more than without, wherever
// it ends, until it is full.
func (c *Controller) pays(plan strategy.Plan) bool {
	s := c.session
	c.cleared.cache = trigger.Cache{}
	// The balance is in the log's own count, so the plan is not calibrated here.
	cache := PromptCache(plan, s.projection.Config().Model, c.live.Request.Prices, token.Scale{}, lastRequest(s.projection), s.service.now())
	if cold, _ := c.cacheRule().Cold(cache); cold {
		return true
	}
	tokens, window := c.used()
	limit := trigger.Limit(c.live.Auto.Trigger, window)
	freed := s.watcher.Scale(s.log).Tokens(plan.Before - plan.After)
	switch {
	case float64(tokens-freed) > fullShare*float64(limit):
		return false
	case tokens > limit:
		return true
	}
	cache.Read, cache.Write = c.cachePrice()
	c.cleared.cache = cache
	return c.past.balance.allows(cache, c.live.Micro.Stake)
}

// usualPrice is taken where the model's is not known: most vendors' shares of plain
// input, the dearest for writing.
var usualPrice = provider.Price{Input: 1, CacheRead: 0.1, CacheWrite: 1.25}

// cachePrice is what a token costs read from the cache and written to it.
func (c *Controller) cachePrice() (read, write float64) {
	prices := c.live.Request.Prices
	if prices == nil {
		prices = provider.Shipped()
	}
	price, ok := prices.Price(c.session.projection.Config().Model)
	if !ok || price.CacheRead <= 0 {
		price = usualPrice
	}
	price = price.KeptFor(c.live.Lifetime)
	return price.CacheRead, price.CacheWrite
}

// cacheRule tells a cold cache from a warm one.
func (c *Controller) cacheRule() trigger.CacheAware {
	return trigger.CacheAware{ClearAtLeast: c.live.Micro.ClearAtLeast, ColdAfter: c.Lifetime()}
}
