package replay

import (
	"context"
	"errors"
	"slices"

	"tenfold"
	"tenfold/provider"
)

// Money says what a conversation cost, what the compactions it came with cost
// and saved, and what a policy would have. All amounts are US dollars.
type Money struct {
	// Recorded is what the log's usage entries say.
	Recorded Recorded
	// Model is whose prices Own and Ours go by. They are nil when there is no
	// price for it, when there is nothing to say of them, or for Ours when no
	// strategies were given.
	Model string
	Own   *Balance
	Ours  *Balance
	// Replay is what they are from; nil when there was none to make.
	Replay *Result
}

// Recorded is what usage entries add up to, those of sub-agents included.
type Recorded struct {
	// Responses is how many there are. Priced is how many of them have a price;
	// Dollars is what those cost, and Unpriced names the models of the others,
	// sorted, "" for those that name none.
	Responses int      `json:"responses"`
	Priced    int      `json:"priced" doc:"of them, with a known price"`
	Dollars   float64  `json:"dollars"`
	Unpriced  []string `json:"unpriced" doc:"models without a known price"`
	// Input is the tokens no cache had to do with.
	Input      int `json:"input"`
	CacheRead  int `json:"cache_read"`
	CacheWrite int `json:"cache_write"`
	Output     int `json:"output"`
}

// Balance is what compactions cost and saved, in comparison with none.
type Balance struct {
	// Compactions is how many there were.
	Compactions int
	// Saved is what was not paid because it was not sent any more. It is less
	// than zero where the view grew.
	Saved float64
	// Rewriting is what it cost that the front of the prompt changed, so that a
	// warm cache was of no use for what stood behind.
	Rewriting float64
	// Summaries is what the summaries cost; Estimated how much of that is not
	// recorded but worked out.
	Summaries, Estimated float64
	// BreakEven is the request, counted from 1, from which on it paid; 0 for
	// never.
	BreakEven int
	// Requests is how many requests there were, and TooLarge how many of them
	// would not have fit the window without any compaction: there was no doing
	// without.
	Requests, TooLarge int
}

// Net is what the compactions earned; less than zero when they cost more than
// they saved.
func (b Balance) Net() float64 { return b.Saved - b.Rewriting - b.Summaries }

// MoneyOf makes the account of a conversation: from its usage what it cost, by
// [Run] what compactions did to that. Without Strategies it says nothing of
// Ours, and replays nothing where the log has no compactions of its own, which
// makes it fast. A price that is not known is not an error: it is said in the result.
func MoneyOf(ctx context.Context, l *tenfold.Log, o Options) (Money, error) {
	if o.Prices == nil {
		o.Prices = provider.Shipped()
	}
	if o.Model == "" {
		o.Model = mainModel(l)
	}
	m := Money{Recorded: recorded(l, o.Prices), Model: o.Model}
	own := slices.ContainsFunc(slices.Collect(l.Entries()), compacts)
	if !own && len(o.Strategies) == 0 {
		return m, nil
	}
	o.WithoutEvery = true
	r, err := Run(ctx, l, o)
	if errors.Is(err, ErrNoPrice) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	m.Replay = &r
	if own {
		m.Own = r.balance(r.Own)
	}
	if len(o.Strategies) > 0 {
		m.Ours = r.balance(r.Rule)
	}
	return m, nil
}

// balance takes apart what a way costs less than no compaction.
func (r Result) balance(c Cost) *Balance {
	return &Balance{
		Compactions: c.Firings,
		Saved:       r.Saved(c) + c.RewriteDollars + c.Summaries,
		Rewriting:   c.RewriteDollars,
		Summaries:   c.Summaries,
		Estimated:   c.Estimated,
		BreakEven:   c.BreakEven,
		Requests:    r.Requests,
		TooLarge:    r.None.TooLarge,
	}
}

func recorded(l *tenfold.Log, prices provider.Prices) Recorded {
	var r Recorded
	for e := range l.Entries() {
		u, ok := e.Payload.(tenfold.Usage)
		if !ok {
			continue
		}
		r.Responses++
		r.Input += u.Input
		r.CacheRead += u.CacheRead
		r.CacheWrite += u.CacheWrite
		r.Output += u.Output
		if dollars, known := prices.Cost(u.Model, u); known {
			r.Priced++
			r.Dollars += dollars
		} else if at, found := slices.BinarySearch(r.Unpriced, u.Model); !found {
			r.Unpriced = slices.Insert(r.Unpriced, at, u.Model)
		}
	}
	return r
}
