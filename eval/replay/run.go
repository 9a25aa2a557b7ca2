package replay

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/trigger"
)

// replayTerms are what one way through a conversation goes by.
type replayTerms struct {
	Options
	model  string
	price  provider.Price
	cache  provider.CacheRule
	window int
	fire   trigger.Trigger
}

// replayer goes one way.
type replayer struct {
	replayTerms
	l       *tenfold.Log
	p       *tenfold.Projection
	watcher trigger.Watcher
	cost    Cost

	// sent is how many tokens the last request sent, of the log up to sentSeq;
	// common is how many of them still stand at the front of the view.
	sent, common int
	sentSeq      int64
	at           time.Time // when that was
	configured   string    // the model that the log says answers
	// shown is what each entry costs in the view, by seq-1; entries the sum.
	shown   []int32
	entries int
	// going is what the newest plan would have taken out of a view of so many
	// planned tokens.
	going, planned int
	// summary is the newest one whose cost was estimated, until an entry follows that
	// a model sees.
	summary struct{ tokens, read int }
	// restored is what the client's own compactions put back; held is how much of
	// that stands in the view.
	restored restored
	held     int
}

func newReplayer(terms replayTerms, counter tenfold.Counter) *replayer {
	l := tenfold.NewLog(tenfold.WithCounter(counter))
	return &replayer{replayTerms: terms, l: l, p: tenfold.Project(l)}
}

// replay sends all requests, one after the other.
func replay(ctx context.Context, s replayEvents, terms replayTerms, counter tenfold.Counter) (Cost, error) {
	r := newReplayer(terms, counter)
	next := 0
	for _, q := range s.requests {
		if err := ctx.Err(); err != nil {
			return r.cost, err
		}
		for ; next < q.before; next++ {
			if err := r.appendEntry(s.entries[next]); err != nil {
				return r.cost, err
			}
		}
		r.advance()
		if err := r.compact(ctx, q.at); err != nil {
			return r.cost, err
		}
		r.paySend(q.at)
	}
	return r.cost, nil
}

// appendEntry appends an entry. What changes how earlier ones are seen ends the common
// part where the change is.
func (r *replayer) appendEntry(e tenfold.Entry) error {
	var with *tenfold.Projection
	switch p := e.Payload.(type) {
	case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin, tenfold.ConfigDelta:
		r.advance()
		if c, ok := p.(tenfold.Compaction); ok {
			r.paySummary(c, e.Time)
		}
		with = r.p.Preview(e)
		r.common = min(r.common, r.p.Shared(with))
		if compacts(e) {
			r.cost.Firings++
			if c, _ := p.(tenfold.Compaction); c.Source == tenfold.SourceImport {
				r.restored.reset()
				r.held = 0
			}
		}
		model := with.Config().Model
		if model != r.configured && r.configured != "" {
			r.common = 0 // another model has another cache
		}
		r.configured = model
	case tenfold.CompactionFailed:
		if u := p.Usage; u != nil {
			cost, _ := r.Prices.Cost(u.Model, *u)
			r.cost.Summaries += cost
			r.cost.Dollars += cost
		}
	case tenfold.Usage:
		if e.Branch == "" && !r.useReported(p) {
			r.addUnlogged(r.restored.addUsage(p, r.sent-r.held))
		}
	}
	if e.Payload.Kind().Visible() {
		r.summary.tokens = 0
	}
	if _, err := r.l.Append(e); err != nil {
		return fmt.Errorf("replay entry %d: %w", e.Seq, err)
	}
	if with != nil {
		r.p.Advance()
		r.noteCosts()
	}
	return nil
}

// advance takes in what was appended. That changes nothing before it, except
// that reasoning which was held back for an open tool loop goes when the loop
// closes (P11a); then the common part ends there.
func (r *replayer) advance() {
	r.p.Advance()
	old := len(r.shown)
	sum := r.entries
	for seq := int64(old) + 1; seq <= r.p.Version(); seq++ {
		tokens := r.tokens(seq)
		r.shown = append(r.shown, int32(tokens))
		sum += tokens
	}
	r.entries = r.p.Totals().Log().After
	if r.entries == sum {
		return
	}
	for seq := range old {
		if int(r.shown[seq]) != r.tokens(int64(seq)+1) {
			behind := 0
			for s := int64(seq) + 1; s <= r.p.Version(); s++ {
				behind += r.tokens(s)
			}
			r.common = min(r.common, max(r.p.Tokens()-behind, 0))
			break
		}
	}
	r.noteCosts()
}

// noteCosts notes what each entry costs now.
func (r *replayer) noteCosts() {
	r.shown, r.entries = r.shown[:0], 0
	for seq := int64(1); seq <= r.p.Version(); seq++ {
		tokens := r.tokens(seq)
		r.shown = append(r.shown, int32(tokens))
		r.entries += tokens
	}
}

// tokens is what an entry costs in the view.
func (r *replayer) tokens(seq int64) int {
	if !r.p.Reads(seq) {
		return 0
	}
	_, _, tokens := r.p.Fate(seq)
	return tokens
}

// compact fires the policy if it is to be fired before a request.
func (r *replayer) compact(ctx context.Context, now time.Time) error {
	if r.fire == nil || len(r.Strategies) == 0 {
		return nil
	}
	touched := r.at
	if r.sent > 0 && (now.IsZero() || touched.IsZero()) {
		touched, now = time.Unix(0, 0), time.Unix(0, 0) // nobody knows: warm
	}
	view := r.watcher.Look(r.p)
	if r.window > 0 {
		view.Window = r.window
	}
	asks := trigger.NeedsPlan(r.fire, view)
	if asks {
		// A plan costs much more than a request. There is none to make where it
		// would not be enough if all that came since the last one went too.
		view.Cache = trigger.Cache{
			Planned: true, Going: r.going + r.watcher.Scale(r.p.Log()).Tokens(max(r.p.Tokens()-r.planned, 0)), Touched: touched, Now: now, Lifetime: r.cache.Lifetime,
		}
	}
	if fires, _ := r.fire.Fires(view); !fires {
		return nil
	}
	plan, err := r.plan(ctx, now)
	if err != nil {
		return err
	}
	r.planned = r.p.Tokens()
	if asks {
		view.Cache = session.PromptCache(plan, r.model, r.Prices, r.watcher.Scale(r.p.Log()), touched, now)
		r.going = max(view.Cache.Going, 0)
		if fires, _ := r.fire.Fires(view); !fires {
			return nil
		}
	}
	if len(plan.Compactions) == 0 {
		return nil
	}
	return r.apply(plan)
}

// plan plans over what may be compacted.
func (r *replayer) plan(ctx context.Context, now time.Time) (strategy.Plan, error) {
	request := session.Request{Strategies: r.Strategies, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}, OpenEnd: true, Options: r.Options.Options}
	if r.Bounds != nil {
		request.Bounds, request.OpenEnd = *r.Bounds, r.OpenEnd
	}
	return session.PlanOver(ctx, r.p, request, now)
}

// apply lays a plan's overlays.
func (r *replayer) apply(plan strategy.Plan) error {
	r.common = min(r.common, plan.Shared())
	for _, c := range plan.Compactions {
		r.paySummary(c, time.Time{})
		id := "replay/" + strconv.FormatInt(r.l.Version()+1, 10)
		if _, err := r.l.Append(tenfold.Entry{ID: id, Payload: c}); err != nil {
			return err
		}
	}
	r.p.Advance()
	r.noteCosts()
	r.going, r.planned = 0, r.p.Tokens()
	r.cost.Firings++
	return nil
}

func (r *replayer) paySummary(c tenfold.Compaction, at time.Time) {
	if c.Summary == nil {
		return
	}
	cost := 0.0
	switch u := c.Summary.Usage; {
	case u != nil:
		model := cmp.Or(u.Model, c.Summary.Model)
		cost, _ = r.Prices.Cost(model, *u)
	case c.Source == tenfold.SourceImport:
		total := r.p.Tokens() + r.held
		price, read := r.price.For(total), 0
		if r.cacheWarm(at) {
			read = r.cache.Hit(min(r.common+r.held, total))
		}
		cost = dollarsOf(read, price.CacheRead) + dollarsOf(total-read, r.restPrice(total)) +
			dollarsOf(r.l.Counter().Count(c.Summary.Text), price.Output)
		r.cost.Estimated += cost
		r.summary.tokens, r.summary.read = total, read
	}
	r.cost.Summaries += cost
	r.cost.Dollars += cost
}

// addUnlogged puts tokens into the view that the log does not hold, and that the last request
// sent.
func (r *replayer) addUnlogged(tokens int) {
	more := tokens - r.held
	if more <= 0 {
		return
	}
	r.held = tokens
	r.sent += more
	r.cost.Written += more
	r.cost.Dollars += dollarsOf(more, r.restPrice(r.sent))
}

// useReported takes in usage that comes right behind a summary, and is therefore that
// of the summary: a client that asks for it in other words than those of the
// conversation finds less of it in the cache, or nothing. False for other usage.
func (r *replayer) useReported(u tenfold.Usage) bool {
	prompt := float64(u.Input) + float64(u.CacheRead) + float64(u.CacheWrite)
	if r.summary.tokens == 0 || prompt <= 0 || u.CacheRead < 0 {
		return r.summary.tokens > 0
	}
	read := int(float64(r.summary.tokens) * min(float64(u.CacheRead)/prompt, 1))
	more := dollarsOf(r.summary.read-read, r.restPrice(r.summary.tokens)-r.price.For(r.summary.tokens).CacheRead)
	r.cost.Summaries += more
	r.cost.Estimated += more
	r.cost.Dollars += more
	r.summary.tokens = 0
	return true
}

// cacheWarm reports whether the cache still holds the last request. It is warm where
// nobody noted the time.
func (r *replayer) cacheWarm(at time.Time) bool {
	return r.sent > 0 && (at.IsZero() || r.at.IsZero() || !at.After(r.at.Add(r.cache.Lifetime)))
}

// restPrice is what those tokens of a request cost that are not read from the
// cache: too short a request is not written to it.
func (r *replayer) restPrice(total int) float64 {
	price := r.price.For(total)
	if total < r.cache.Least {
		return price.Input
	}
	return price.CacheWrite
}

// paySend pays for a request: what it has in common with the last one is read from
// the cache while that is warm, the rest is written to it.
func (r *replayer) paySend(at time.Time) {
	if r.common > 0 {
		r.common += r.held // it stands right behind the summary
	}
	total := r.p.Tokens() + r.held
	warm, price, restPrice := r.cacheWarm(at), r.price.For(total), r.restPrice(total)
	read := 0
	if warm {
		read = r.cache.Hit(min(r.common, total))
	}
	rest := &r.cost.Written
	if total < r.cache.Least {
		rest = &r.cost.Plain
	}
	r.cost.Read += read
	*rest += total - read
	if warm && r.common < r.sent {
		n := max(min(r.stillSent(), r.cache.Hit(r.sent))-read, 0)
		r.cost.Rewritten += n
		r.cost.RewriteDollars += dollarsOf(n, restPrice-price.CacheRead)
	}
	r.cost.Dollars += dollarsOf(read, price.CacheRead) + dollarsOf(total-read, restPrice)
	r.cost.total = append(r.cost.total, r.cost.Dollars)
	if r.window > 0 && total > r.window {
		r.cost.TooLarge++
	}
	r.sent, r.common, r.sentSeq = total, r.p.Tokens(), r.p.Version()
	if at.After(r.at) {
		r.at = at
	}
}

// stillSent is how many tokens of the view are of what the last request sent, or
// stand in for it.
func (r *replayer) stillSent() int {
	n := r.p.Tokens()
	for seq := r.sentSeq + 1; seq <= int64(len(r.shown)); seq++ {
		n -= int(r.shown[seq-1])
	}
	return n
}

func dollarsOf(tokens int, perMillion float64) float64 { return float64(tokens) * perMillion / 1e6 }
