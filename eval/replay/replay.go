package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/trigger"
)

// Options say what is replayed, under which policy, and at whose prices.
type Options struct {
	// Strategies are the policy, left to right. Without any nothing is fired.
	Strategies []strategy.Strategy
	// Bounds is what may be compacted at each request; nil is all there is.
	// OpenEnd lets strategies that choose by themselves what to keep of the end
	// go on to it, as [session.Request] has it; without Bounds they do.
	Bounds  *tenfold.Bounds
	OpenEnd bool
	// Options are what the strategies share. Range is Run's own; without a
	// Summarizer the digest writes summaries.
	Options strategy.Options
	// Rule is when the policy is fired in Result.Rule; nil is
	// [trigger.CacheAware] with its defaults.
	Rule trigger.Trigger
	// Model gives the price and the rules of the cache; empty is the model that
	// most of the log's usage names, or the last configured.
	Model string
	// Prices are the prices that are known; nil means those that come with the
	// program.
	Prices provider.Prices
	// WithoutEvery leaves out the run that compacts at every request, which
	// costs a plan for each.
	WithoutEvery bool
}

// Result is what the input of a conversation's requests costs, in US
// dollars, by the rules of the provider's prompt cache: without any
// compaction, with the overlays that came with the log, and with a policy, fired
// at every request or by a rule. What the model wrote is left out: it is the
// same in all of them.
type Result struct {
	Model string
	Price provider.Price
	Cache provider.CacheRule
	// CacheKnown is false where the provider's rule for the model is not known
	// and Cache is an assumption.
	CacheKnown bool
	// Requests is how many requests there are: responses of the model on the
	// root. Timed is how many of them are known to have been sent after the one
	// before, and when; the others find the cache warm.
	Requests, Timed int
	// None is without any compaction, Own with those of the log's own tool.
	None, Own Cost
	// Every fires the policy at every request, Rule by Options.Rule.
	Every, Rule Cost
}

// Cost is what one way through a conversation costs.
type Cost struct {
	// Dollars is what all of it costs: the input, and Summaries.
	Dollars float64
	// Summaries is what models took for the summaries of the way's compactions.
	// Of it Estimated is what no usage tells: the summaries of a log's own tool
	// without one are taken to have been asked for at the end of the
	// conversation as it stood, and to have the price of their text.
	Summaries, Estimated float64
	// Plain is how many tokens of input no cache had to do with, Read how many
	// were read from it, Written how many written to it.
	Plain, Read, Written int
	// Firings is how often something was compacted.
	Firings int
	// Rewritten is how many tokens would have been read from a warm cache, had
	// nothing before them changed, and RewriteDollars what that costs over
	// reading them. It is part of Dollars.
	Rewritten      int
	RewriteDollars float64
	// BreakEven is the request, counted from 1, from which on this way has cost
	// less than no compaction up to there, and does so to the end; 0 for never.
	BreakEven int
	// TooLarge is how many requests do not fit the model's window: they cost
	// what is said here and would have been refused.
	TooLarge int

	total []float64 // dollars up to each request
}

// Input is how many tokens were sent.
func (c Cost) Input() int { return c.Plain + c.Read + c.Written }

// Saved is what a way costs less than no compaction; less than zero when it
// costs more.
func (r Result) Saved(c Cost) float64 { return r.None.Dollars - c.Dollars }

// ErrNoPrice says that the price of a model is not known.
var ErrNoPrice = errors.New("its price is not known")

// Run works out what the input of a log's requests costs under a policy. A
// request sends the view as it stands before the response. What it has in common
// with the one before, from the start, is read from the cache if that was touched
// within its lifetime; the rest is written. That takes a client which marks the
// place where the view changed, as clients of Anthropic's have to.
//
// The system prompt and the tools count as far as the log holds them. A policy's
// plans see what the log held at the time, and no more. Run writes nothing. A
// model without a price is ErrNoPrice.
func Run(ctx context.Context, l *tenfold.Log, o Options) (Result, error) {
	r := Result{}
	terms, err := termsOf(l, o)
	r.Model, r.Price, r.Cache = terms.model, terms.price, terms.cache
	if err != nil {
		return r, err
	}
	_, r.CacheKnown = provider.CacheRuleOf(r.Model)
	if o.Rule == nil {
		o.Rule = trigger.CacheAware{}
	}
	raw := replayScript(l, false)
	r.Requests, r.Timed = len(raw.requests), raw.timed()
	ways := []struct {
		to      *Cost
		script  replayEvents
		fire    trigger.Trigger
		skipped bool
	}{
		{&r.None, raw, trigger.Off(), false},
		{&r.Own, replayScript(l, true), trigger.Off(), false},
		{&r.Every, raw, trigger.Always(), o.WithoutEvery || len(o.Strategies) == 0},
		{&r.Rule, raw, o.Rule, len(o.Strategies) == 0},
	}
	for _, way := range ways {
		switch {
		case way.skipped && way.to == &r.Every && o.WithoutEvery:
			continue
		case way.skipped || (way.to == &r.Own && !way.script.own):
			*way.to = r.None
			continue
		}
		terms.fire = way.fire
		cost, err := replay(ctx, way.script, terms, l.Counter())
		if err != nil {
			return r, err
		}
		*way.to = cost
	}
	for _, way := range []*Cost{&r.Own, &r.Every, &r.Rule} {
		way.BreakEven = breakEven(r.None.total, way.total)
	}
	return r, nil
}

// termsOf completes what a replay goes by. A model without a price is ErrNoPrice.
func termsOf(l *tenfold.Log, o Options) (replayTerms, error) {
	t := replayTerms{Options: o, model: o.Model}
	t.model = cmp.Or(t.model, mainModel(l))
	if t.Prices == nil {
		t.Prices = provider.Shipped()
	}
	var ok bool
	if t.price, ok = t.Prices.Price(t.model); !ok {
		return t, fmt.Errorf("replay at the price of model %q: %w: name another, or add it to the prices", t.model, ErrNoPrice)
	}
	t.cache, _ = provider.CacheRuleOf(t.model)
	var known token.Windows
	t.window, _ = known.Window(t.model)
	largest, compacts := largestPrompt(l)
	switch given := o.Options.Window; {
	case given > 0 && given != t.window:
		t.window = given
	case t.window < largest:
		t.window = longWindow
	case compacts && largest < shortWindow:
		t.window = min(t.window, shortWindow)
	}
	t.Options.Options.Window = t.window
	return t, nil
}

// longWindow is the window of a model that took a prompt larger than the one the
// table knows: the next one that vendors sell. A client that compacted by itself before any
// prompt was as large as shortWindow took its model for one of that, whatever it takes now.
const shortWindow, longWindow = 200_000, 1_000_000

// largestPrompt is the most tokens that a provider reported of a request; compacts tells
// whether the client compacted by itself.
func largestPrompt(l *tenfold.Log) (most int, compacts bool) {
	for e := range l.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.Usage:
			if e.Branch == "" {
				most = max(most, p.Prompt())
			}
		case tenfold.Compaction:
			compacts = compacts || p.Source == tenfold.SourceImport
		}
	}
	return most, compacts
}

// breakEven is the first request from which on the other way has cost less.
func breakEven(none, other []float64) int {
	at := 0
	for i := len(other) - 1; i >= 0 && other[i] < none[i]; i-- {
		at = i + 1
	}
	return at
}

// mainModel is the model that most of the root's usage names, the first by name
// of several; else the one configured last.
func mainModel(l *tenfold.Log) string {
	n := map[string]int{}
	for e := range l.Entries() {
		if u, ok := e.Payload.(tenfold.Usage); ok && u.Model != "" && e.Branch == "" {
			n[u.Model]++
		}
	}
	best := ""
	for _, model := range slices.Sorted(maps.Keys(n)) {
		if best == "" || n[model] > n[best] {
			best = model
		}
	}
	if best == "" {
		best = tenfold.Project(l).Config().Model
	}
	return best
}
