package session

import (
	"math"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/trigger"
)

// balance is what the compactions so far saved and cost, against the same
// conversation without them, in tokens as the log counts them: one whose client has
// it summarised where it is full, or where the client asked us to. It is read from
// the log alone, so that all controllers come to the same. What is not certain
// counts against compactions: all of the view is taken to be written again, a cache
// that may be warm to be warm, and a summary to be short.
type balance struct {
	// changes are what undoes the compactions, by the id that it names; sum is how
	// many tokens are out of the view now.
	changes map[string]undoing
	sum     float64
	// read and written are tokens that requests need not have read from the cache,
	// and written to it; rewritten are those that a warm cache had held.
	read, written, rewritten float64
	// summed is how long the client's own summaries would have been.
	summed float64
	// sentRead and sentWritten are what the requests did read and write; total is
	// the view without our compactions, sent what the last request sent.
	sentRead, sentWritten, total, sent float64
	// reported is what the provider would have reported of the last request, of so
	// many counted tokens; zero where it reported nothing since the view was summarised.
	reported, counted float64
	// asked tells that the client wants to compact now; requests are those since it
	// last would have.
	asked    bool
	requests int
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
// so long, and a client compacts a view of so many tokens.
func (b *balance) add(l *tenfold.Log, e tenfold.Entry, lifetime time.Duration, limit int) {
	switch p := e.Payload.(type) {
	case tenfold.CompactionAttempt:
		b.asked = b.asked || p.State == tenfold.AttemptBegun && Asker(p.Source) == ByClient
	case tenfold.Usage:
		if prompt := p.Prompt(); prompt > 0 {
			b.reported, b.counted = float64(prompt)+b.sum, b.sent+b.sum
		}
	case tenfold.Compaction:
		if p.Rewinds() {
			b.total -= float64(p.TokensBefore - p.TokensAfter)
			break
		}
		if p.Source == tenfold.SourceImport { // the client's own: it would be there without us
			b.summarised()
			b.sum = 0
			break
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
			if b.asked || b.used() >= float64(limit) {
				b.summarise(lifetime)
			}
			b.request(lifetime)
			b.turn, b.step, b.begun = turn, step, true
		}
		b.answered = e.Time.Round(0) // the cache ages while the machine sleeps
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

// used is how large the view would be without us, by the provider's count as far as
// that is known.
func (b *balance) used() float64 { return max(b.reported+b.total-b.counted, 0) }

// The least summary that a client makes of a view: those in recorded sessions are 2 to
// 13 % of it, and 1,100 tokens or more.
const (
	summaryShare  = 0.02
	summaryTokens = 1000
)

// summary is how long the client's own summary would be at least.
func (b *balance) summary() float64 {
	return min(max(summaryShare*b.total, summaryTokens), b.total)
}

// summarise has the client ask for a summary of its view, and go on with that alone.
func (b *balance) summarise(lifetime time.Duration) {
	was := b.total
	b.summarised()
	b.summed += b.total
	b.sum -= was - b.total
	if b.begun && !b.cold(b.newest, lifetime) {
		b.read += was
		b.rewritten -= b.total
	} else {
		b.written += was
	}
}

func (b *balance) summarised() {
	b.total = b.summary()
	b.reported, b.counted = 0, 0
	b.asked, b.requests = false, 0
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
	b.requests++
}

// cold tells whether the cache is cold for sure.
func (b *balance) cold(at time.Time, lifetime time.Duration) bool {
	return !at.IsZero() && !b.answered.IsZero() && at.After(b.answered.Add(lifetime))
}

// saved is what was saved so far, with the share of what was paid so far that may be
// at stake.
func (b *balance) saved(p provider.Price, stake float64) float64 {
	return b.read*p.CacheRead + b.written*p.CacheWrite + b.summed*p.Output - b.rewritten*(p.CacheWrite-p.CacheRead) +
		stake*(b.sentRead*p.CacheRead+b.sentWritten*p.CacheWrite)
}

// allows tells whether what was saved pays for rewriting so many tokens while so
// many go.
func (b *balance) allows(c trigger.Cache, p provider.Price, stake float64) bool {
	return float64(c.Behind)*(p.CacheWrite-p.CacheRead)-float64(c.Going)*p.CacheRead <= b.saved(p, stake)
}

// affords is the largest view that may stay where the client would have its own
// summarised now. What stays beyond a summary is written once and read by each
// request to come: what was saved so far and what the summary costs pay for that, for
// as many requests as filled the context this time. So a conversation costs no more
// than without, unless more requests follow before the next compaction than ever came
// between two; then each of those adds its reading.
func (b *balance) affords(p provider.Price, stake float64, cold bool) float64 {
	asks := p.CacheRead
	if cold {
		asks = p.CacheWrite
	}
	summary := b.summary()
	saved := b.saved(p, stake) + b.total*asks + summary*p.Output
	return summary + max(saved, 0)/(p.CacheWrite+float64(b.requests)*p.CacheRead)
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

// clearingPays tells whether clearing old results by a plan is worth it now (live V2): the
// cache is cold, or there is room afterwards and earlier compactions saved what the
// rewriting costs, with what the client's own would cost where the view is over the
// limit. So a conversation never costs more than without, wherever it ends, until the
// next request would not fit.
func (c *Controller) clearingPays(plan strategy.Plan) bool {
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
	_, tight := c.isFull()
	switch {
	case float64(tokens-freed) > fullShare*float64(limit):
		return false
	case tight, tokens > limit && plan.After <= c.affords():
		return true
	}
	c.cleared.cache = cache
	return c.past.balance.allows(cache, c.price(), c.live.Micro.Stake)
}

// affords is the largest view, as the log counts, that a compaction may leave where
// the client would compact by itself.
func (c *Controller) affords() int {
	return int(min(c.past.balance.affords(c.price(), c.live.Micro.Stake, c.isCold()), math.MaxInt32))
}

// usualPrice is taken where the model's is not known: most vendors' shares of plain
// input, the dearest for writing.
var usualPrice = provider.Price{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25}

// price is what a token costs, kept for as long as the client asks.
func (c *Controller) price() provider.Price {
	prices := c.live.Request.Prices
	if prices == nil {
		prices = provider.Shipped()
	}
	model := c.session.projection.Config().Model
	price, ok := prices.Price(model)
	if !ok || price.CacheRead <= 0 {
		price = usualPrice
	}
	rule, _ := provider.CacheRuleOf(model)
	return price.KeptFor(c.live.Lifetime, rule)
}

// cacheRule tells a cold cache from a warm one.
func (c *Controller) cacheRule() trigger.CacheAware {
	return trigger.CacheAware{ClearAtLeast: c.live.Micro.ClearAtLeast, ColdAfter: c.Lifetime()}
}
