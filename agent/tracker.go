package agent

import (
	"cmp"
	"slices"

	"tenfold"
	"tenfold/provider"
)

// tracker is what the log says of the loop, read entry by entry.
type tracker struct {
	prices   provider.Prices
	version  int64
	branches map[string]*place
	config   tenfold.Config // of the root
	// since is the seq of the newest configuration with tools: calls before it
	// were made under other ones, perhaps another agent's.
	since   int64
	context string // the newest context that this agent gave
	bill
	commands map[string]bool // that compacted
}

// bill is what responses and summaries used, and what those cost whose price is known.
type bill struct {
	spent    tenfold.Usage
	dollars  float64
	unpriced int    // how much was used whose price is not known
	model    string // of the newest of them
}

// place is where the loop stands on a branch.
type place struct {
	state State
	open  []int64         // calls of the last response without a result, in order
	began map[string]bool // of those, the ids that a decision allowed to run
	used  int             // what the next request takes: as reported, and what came since
	given int             // tokens of the results of the last response, as they are shown
}

func newTracker(prices provider.Prices) tracker {
	return tracker{prices: prices, branches: map[string]*place{}, commands: map[string]bool{}}
}

// StateOf says where the loop stands by a log alone, as [Agent.State] does: what a run
// without a message would do, and so whether the last one came to its end. It reads
// back to the last message.
func StateOf(l *tenfold.Log) State {
	t := newTracker(nil)
	for t.version = l.Version(); t.version > 0; t.version-- {
		e, _ := l.Entry(t.version)
		if m, ok := e.Payload.(tenfold.UserMessage); ok && e.Branch == "" && m.Purpose != tenfold.Context {
			t.version-- // it is read with what follows
			break
		}
	}
	t.read(l)
	return t.at("").state
}

func (t *tracker) at(branch string) *place {
	p := t.branches[branch]
	if p == nil {
		p = &place{state: Empty, began: map[string]bool{}}
		t.branches[branch] = p
	}
	return p
}

// read takes in what is new in the log.
func (t *tracker) read(l *tenfold.Log) {
	for e := range l.After(t.version) {
		t.version = e.Seq
		t.add(l, e)
	}
}

func (t *tracker) add(l *tenfold.Log, e tenfold.Entry) {
	p := t.at(e.Branch)
	var in Input
	switch payload := e.Payload.(type) {
	case tenfold.UserMessage:
		if payload.Purpose == tenfold.Context {
			if e.Branch == "" && len(payload.Parts) == 1 {
				t.context = payload.Parts[0].Text
			}
			break
		}
		in = MessageCame
		p.forget()
	case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ProviderItem:
		in = BlockEnded
	case tenfold.ToolCall:
		in = CallEnded
		if p.state != Calling {
			p.forget()
		}
		p.open = append(p.open, e.Seq)
	case tenfold.ToolResult:
		at := slices.Index(p.open, l.Pair(e.Seq))
		if at < 0 {
			break
		}
		p.open = slices.Delete(p.open, at, at+1)
		p.given += e.Tokens
		if len(p.open) == 0 {
			in = LastResult
		}
	case tenfold.Approval:
		if payload.State == tenfold.ApprovalGranted {
			p.began[payload.CallID] = true
		}
	case tenfold.Usage:
		in = UsageCame
		t.addUsage(cmp.Or(payload.Model, t.config.Model), payload)
		p.used = total(payload)
	case tenfold.ConfigDelta:
		if e.Branch != "" {
			break
		}
		t.config.Model = cmp.Or(payload.Model, t.config.Model)
		if payload.System != nil {
			t.config.System = *payload.System
		}
		if payload.Tools != nil {
			t.config.Tools, t.since = *payload.Tools, e.Seq
		}
	case tenfold.CompactionFailed:
		if u := payload.Usage; u != nil {
			t.addUsage(u.Model, *u)
		}
	case tenfold.Compaction:
		if s := payload.Summary; s != nil && s.Usage != nil {
			t.addUsage(cmp.Or(s.Usage.Model, s.Model), *s.Usage)
		}
		if e.Branch == "" && !payload.AtBirth() && payload.Source != tenfold.SourceImport {
			t.commands[payload.Command+"/"+map[bool]string{true: e.ID}[payload.Command == ""]] = true
		}
		if !payload.AtBirth() {
			p.used = 0
			break
		}
		saved := payload.TokensBefore - payload.TokensAfter
		p.given -= saved
		if p.used > 0 {
			p.used -= saved
		}
	}
	if e.Payload.Kind().Visible() && p.used > 0 {
		p.used += e.Tokens
	}
	p.state = p.state.On(in)
}

// forget lets go of the calls of the response before.
func (p *place) forget() {
	p.open, p.given = nil, 0
	clear(p.began)
}

// addUsage adds what a model used.
func (t *tracker) addUsage(model string, u tenfold.Usage) {
	t.spent.Input += u.Input
	t.spent.Output += u.Output
	t.spent.CacheRead += u.CacheRead
	t.spent.CacheWrite += u.CacheWrite
	dollars, known := t.prices.Cost(model, u)
	if t.dollars += dollars; !known {
		t.unpriced, t.model = t.unpriced+1, model
	}
}

// total is how many tokens a response took and gave.
func total(u tenfold.Usage) int { return u.Prompt() + u.Output }
