package summary

import (
	"fmt"
	"sync"
	"sync/atomic"

	"tenfold"
	"tenfold/provider"
)

// Doing is what a model-backed summariser is at.
type Doing string

// What it can be at.
const (
	// Reading: the model reads the range, or parts of it, and writes.
	Reading Doing = "reading"
	// Merging: it makes one summary of those of the parts.
	Merging Doing = "merging"
	// Checking: the program looks up what the summary names.
	Checking Doing = "checking"
	// Correcting: the model is asked once more, without what it made up.
	Correcting Doing = "correcting"
)

// Progress is how far a summary is, for a line that people watch. Figures are
// estimates while a call runs, and then what the provider reported.
type Progress struct {
	Doing Doing
	// Done of Parts parts are read; one part is the whole range.
	Done, Parts int
	// Input and Output are tokens so far, over all calls.
	Input, Output int
	// Cost is in US dollars so far, nil when not known.
	Cost *float64
}

// tracker sums up what the calls of one summary take.
type tracker struct {
	mu    sync.Mutex
	model string
	tell  func(Progress)
	cost  func(string, tenfold.Usage) (float64, bool)
	now   Progress
	calls []callUsage
	// plain says that the model takes no schema.
	plain atomic.Bool
	// most is how many tokens an answer may have, as far as is known.
	most int
	// room is how many tokens the model may think before its answer.
	room int
}

// makeRoom has the model think at least so many tokens before its answer, and gives how many it may.
func (t *tracker) makeRoom(room int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.room = max(t.room, room)
	return t.room
}

// mostOutput notes that an answer may have so many tokens at most, and gives
// the least that was noted.
func (t *tracker) mostOutput(most int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most = min(t.most, most)
	return t.most
}

// callUsage is one call: estimated until the provider reports.
type callUsage struct {
	usage tenfold.Usage
	told  bool
	began bool
	chars int
}

func (t *tracker) at(doing Doing, parts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Doing, t.now.Parts, t.now.Done = doing, parts, 0
	t.say()
}

// call begins a call with so many tokens of input, by estimate.
func (t *tracker) call(input int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, callUsage{usage: tenfold.Usage{Input: input}})
	t.say()
	return len(t.calls) - 1
}

// arrived takes in that so many bytes came, and the usage if it was told.
func (t *tracker) arrived(call, size int, usage *tenfold.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.calls[call]
	c.began, c.chars = true, c.chars+size
	if usage != nil {
		c.usage, c.told = *usage, true
	} else if !c.told {
		c.usage.Output = (c.chars + 3) / 4
	}
	t.say()
}

func (t *tracker) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Done++
	t.say()
}

// say is called with the lock held, so that one call comes at a time.
func (t *tracker) say() {
	if t.tell == nil {
		return
	}
	sum := t.sum(false)
	p := t.now
	p.Input, p.Output, p.Cost = sum.Prompt(), sum.Output, sum.Cost
	t.tell(p)
}

// spent is what the provider reported over all calls; nothing it did not.
func (t *tracker) spent() tenfold.Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum(true)
}

// sum adds the calls up. The cost is nil when that of any is unknown.
func (t *tracker) sum(told bool) tenfold.Usage {
	var sum tenfold.Usage
	cost, known := 0.0, true
	for _, c := range t.calls {
		if told && !c.told {
			known = known && !c.began // a call that broke off was paid all the same
			continue
		}
		sum = plus(sum, c.usage)
		dollars, ok := t.price(c.usage)
		cost, known = cost+dollars, known && ok
	}
	if known && sum != (tenfold.Usage{}) {
		sum.Cost = &cost
	}
	return sum
}

// began reports whether anything came of a call.
func (t *tracker) began(call int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[call].began
}

// unreadFrom is how long a request is before it is worth a doubt: what servers
// take that were not told how much to take.
const unreadFrom = 4096

// unreadError is the error for a call of which the model read less than half by its
// provider's word: some local servers cut off what does not fit, and say nothing.
func (t *tracker) unreadError(call, sent int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.calls[call]
	read := c.usage.Prompt()
	if !c.told || read <= 0 || sent < unreadFrom || read*2 >= sent {
		return nil
	}
	return &provider.Error{
		Kind: provider.TooLarge, Model: t.model, Used: sent, Limit: read,
		Message: fmt.Sprintf("the server read %d tokens of about %d and left out the rest", read, sent),
		Hint:    "say how much the server takes, with context_window of the model in the configuration",
	}
}

func (t *tracker) price(u tenfold.Usage) (float64, bool) {
	if u.Cost != nil {
		return *u.Cost, true
	}
	if t.cost == nil {
		return 0, false
	}
	return t.cost(t.model, u)
}
