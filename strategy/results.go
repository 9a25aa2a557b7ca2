package strategy

import (
	"context"
	"fmt"
	"slices"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/tool"
)

// Micro replaces old results with "[Previous: used Read]". The newest results stay,
// and so do small ones and those of tools that hold state: plans, questions,
// skills. Once replaced, a result stays replaced, so that a prompt cache is
// broken only where something new is cleared. It proposes nothing where no result
// is old and large enough.
//
// Source: micro_compact of learn-claude-code (semantics S-10).
type Micro struct {
	// KeepRecent is how many of the newest results stay. Zero means 10, a negative
	// number none.
	KeepRecent int `param:"keep_recent=10"`
	// Over keeps results of at most this size. Zero means 800 bytes; a negative
	// size spares none.
	Over tenfold.Size `param:"over=800"`
	// ClearAtLeast is how many tokens must come free for anything to be done.
	ClearAtLeast int `param:"clear_at_least tokens"`
	// Exempt names the tools to leave alone, joined by +. Nil means those that
	// hold state or instructions rather than information.
	Exempt []string `param:"exempt"`
	// Recall ends each stub with a reference that lets a model ask for the
	// original (A9).
	Recall bool `param:"recall"`
}

// Name implements [Strategy].
func (s Micro) Name() string { return textForm("micro", s) }

// Propose implements [Strategy].
func (s Micro) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	exempt := exemptByDefault
	if s.Exempt != nil {
		exempt = func(name string) bool { return slices.Contains(s.Exempt, name) }
	}
	set := settled(s)
	recent := newestResults(p, set.KeepRecent)
	needed := map[int64]bool{}
	for _, r := range recalledEntries(p) {
		needed[r.seq] = true
	}
	picks := pickResults(p, o, set.Over, exempt, tenfold.CallPolicy{Action: tenfold.Strip, Response: true}, func(c tenfold.Call) bool {
		return c.Result < recent && !needed[c.Result] && (c.Response == tenfold.Kept || c.Response == tenfold.Trimmed)
	})
	made := selectively(s, p, o, picks, tenfold.ToolPolicy{Stub: tenfold.StubPrevious, Recall: s.Recall})
	if made == nil {
		return o.proposeNothing("no result in turns %s is older than the newest %d and larger than %s bytes", o.Range, set.KeepRecent, set.Over)
	}
	if set.ClearAtLeast > 0 {
		if gain := o.Scale.Tokens(p.Tokens() - o.withOverlays(p, made...).Tokens()); gain < set.ClearAtLeast {
			return o.proposeNothing("clearing results would free %s tokens, less than %s", number.Thousands(gain), number.Thousands(set.ClearAtLeast))
		}
	}
	return made, nil
}

// newestResults is the seq from which on results are among the newest that
// stay. What is hidden altogether is not a result any more; what became a stub is.
func newestResults(p *tenfold.Projection, keep int) int64 {
	l, left := p.Log(), keep
	seq := p.Version() + 1
	for seq > 1 && left > 0 {
		seq--
		if l.Pair(seq) > 0 && l.Pair(seq) < seq && p.Reads(seq) && !hidden(p, seq) {
			left--
		}
	}
	if left > 0 {
		return 0
	}
	return seq
}

// pickResults picks the calls of the range whose results are larger than a size,
// unless their tools are left alone (P5, H1). May says which others stay.
func pickResults(p *tenfold.Projection, o Options, over tenfold.Size, exempt func(tool string) bool, policy tenfold.CallPolicy, may func(tenfold.Call) bool) []pick {
	first, last := p.Log().Extent(o.Range)
	picks := make([]pick, 0, max(last-first, 0)/8)
	// An overlay that names a call says all there is to say of it, so arguments
	// that are stripped are said to stay so.
	both := policy
	both.Request = true
	alone := map[string]bool{}
	for c := range p.Calls(first, last) {
		if c.Result == 0 || !may(c) || o.needs(c.Result) || p.Log().Size(c.Result) <= over {
			continue
		}
		leave, known := alone[c.Tool]
		if !known {
			leave = o.Hints[c.Tool].Response == tenfold.Keep
			if set := o.Tools[c.Tool].Exempt; set != nil {
				leave = leave || *set
			} else {
				leave = leave || exempt(c.Tool)
			}
			alone[c.Tool] = leave
		}
		switch {
		case leave:
		case c.Request == tenfold.Stripped:
			picks = append(picks, pick{c.Seq, c.Result, &both})
		default:
			picks = append(picks, pick{c.Seq, c.Result, &policy})
		}
	}
	return picks
}

// exemptByDefault knows the tools of the table, and by name those that carry
// skills, tasks, todos, questions and their answers elsewhere (S-10).
func exemptByDefault(name string) bool {
	switch name {
	case "skill", "task", "todo_write", "todo_read", "ask", "ask_user", "LoadSkill", "Task", "TodoWrite", "TodoRead", "Ask":
		return true
	}
	known, _ := tool.Lookup(name)
	return known.Exempt
}

// TrimResults cuts the middle out of large results. The head and the tail stay, and
// between them the lines that tell of an error or hold a name that was used
// later. It proposes nothing where no large result is shown whole.
//
// Source: Tenfold's own.
type TrimResults struct {
	// Head is how much of the beginning stays. Zero means 400 bytes, a negative
	// size nothing.
	Head tenfold.Size `param:"head=400"`
	// Tail is how much of the end stays. Zero means 400 bytes, a negative size
	// nothing.
	Tail tenfold.Size `param:"tail=400"`
	// Over keeps results of at most this size. Zero means 2 KB; a negative size
	// spares none.
	Over tenfold.Size `param:"over=2KB"`
	// Lines is how many lines in between stay. Zero means 12, a negative number
	// none.
	Lines int `param:"lines=12"`
	// Recall ends each cut with a reference that lets a model ask for the rest
	// (A9).
	Recall bool `param:"recall"`
}

// Name implements [Strategy].
func (s TrimResults) Name() string { return textForm("trim-results", s) }

func (s TrimResults) check() error {
	if s = settled(s); s.Head+s.Tail == 0 {
		return fmt.Errorf("head=0,tail=0: keep something of either end, or use strip-tool-results")
	}
	return nil
}

// Propose implements [Strategy].
func (s TrimResults) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	set := settled(s)
	trim := tenfold.CallPolicy{Action: tenfold.Trim, Head: set.Head, Tail: set.Tail}
	picks := pickResults(p, o, set.Over, exemptByDefault, trim, func(c tenfold.Call) bool { return c.Response == tenfold.Kept })
	if set.Lines > 0 {
		addLines(p, picks, set.Lines)
	}
	made := selectively(s, p, o, picks, tenfold.ToolPolicy{Recall: s.Recall})
	if made == nil {
		return o.proposeNothing("no result in turns %s is shown whole and larger than %s bytes", o.Range, set.Over)
	}
	return made, nil
}

// addLines says which lines of each result stay besides. Names are collected from
// the end of the log on, so that each result is held against those that were
// used after it.
func addLines(p *tenfold.Projection, picks []pick, most int) {
	used, at := map[string]bool{}, p.Version()
	for i, c := range slices.Backward(picks) {
		for ; at > c.result; at-- {
			e, _ := p.Log().Entry(at)
			text := ""
			switch payload := e.Payload.(type) {
			case tenfold.ToolCall:
				text = payload.Arguments
			case tenfold.UserMessage:
				text = tenfold.SearchText(payload)
			}
			for name := range names(text) {
				used[name] = true
			}
		}
		r, _ := p.Log().Entry(c.result)
		if lines := importantLines(tenfold.SearchText(r.Payload), used, most); lines != nil {
			own := *c.policy
			own.Lines = lines
			picks[i].policy = &own
		}
	}
}

// PurgeErrors strips the arguments of calls that failed some turns ago. That a call
// failed, and how, stays. It proposes nothing where no such call has arguments
// left to strip.
//
// Source: the strategy of the same name in opencode's Dynamic Context Pruning.
type PurgeErrors struct {
	// After is how many turns ago a call must have failed. Zero means 4, a
	// negative number any.
	After int `param:"after=4"`
}

// Name implements [Strategy].
func (s PurgeErrors) Name() string { return textForm("purge-errors", s) }

// Propose implements [Strategy].
func (s PurgeErrors) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	l, after := p.Log(), settled(s).After
	var picks []pick
	strip := tenfold.CallPolicy{Action: tenfold.Strip, Request: true}
	for c := range p.Calls(l.Extent(o.Range)) {
		// A policy for a single call says all there is to say of both sides,
		// so that a touched call is left as somebody else asked.
		if c.Result == 0 || c.Request != tenfold.Kept || c.Response != tenfold.Kept {
			continue
		}
		call := payloadOf[tenfold.ToolCall](l, c.Seq)
		if turn, _, _ := l.Where(c.Seq); l.Turns()-1-turn >= after &&
			tool.Failed(call.Name, call.Arguments, payloadOf[tenfold.ToolResult](l, c.Result)) {
			picks = append(picks, pick{c.Seq, c.Result, &strip})
		}
	}
	made := selectively(s, p, o, picks, tenfold.ToolPolicy{Primary: tool.Primary(p.ToolNames())})
	if made == nil {
		return o.proposeNothing("no call in turns %s failed %d turns ago or earlier with input left to strip", o.Range, after)
	}
	return made, nil
}
