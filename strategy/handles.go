package strategy

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"tenfold"
	"tenfold/tool"
)

// Open handles (live V5) are calls that something still runs or waits for: calls of
// the turn under way that have no result, or that nobody has approved; commands and
// agents begun in the background, until the log tells their end; the latest plan
// while it has open items; the skill that the turn works by; what gave the model a tool
// that is offered on demand. No strategy hides or shortens them: its overlays keep them.

// takesCalls reports whether an overlay hides or shortens calls that it does not
// name: one that names each has looked at it.
func takesCalls(c tenfold.Compaction) bool {
	return c.Summary != nil || c.Turns == tenfold.Omit || c.ToolCalls != nil && (c.ToolCalls.Action != tenfold.Selective || c.ToolCalls.Rest != "")
}

// handles gives the open handles that a range holds and the view shows; nil for none.
func (o Options) handles(c tenfold.Compaction) *tenfold.Keeps {
	var ids []string
	p := o.underWay().plan.view
	if p == nil {
		return nil // somebody looks what a range would hide
	}
	first, last := p.Log().Extent(rangeOf(c))
	for _, seq := range o.openHandles(p) {
		if first <= seq && seq <= last {
			e, _ := p.Log().Entry(seq)
			ids = append(ids, e.ID)
		}
	}
	if ids == nil {
		return nil
	}
	return &tenfold.Keeps{Calls: ids}
}

// openHandles gives them of a view, and looks but once at that of the step under way.
func (o Options) openHandles(p *tenfold.Projection) []int64 {
	u := o.underWay()
	if p != u.plan.view {
		return openHandles(p)
	}
	if u.handles == nil {
		u.handles = openHandles(p)
	}
	return u.handles
}

// openHandles gives the seqs of the calls that are open handles, in order; never nil.
func openHandles(p *tenfold.Projection) []int64 {
	l, open := p.Log(), []int64{}
	now, _, _ := l.Where(p.Version())
	ends := endings{p: p}
	plan, skill, gives := false, false, giving{}
	var calls []toolCall
	for c := range p.Calls(1, p.Version()) {
		if c.Request != tenfold.Omitted && c.Request != tenfold.Summarised { // what is gone does not come back
			calls = append(calls, toolCall{payloadOf[tenfold.ToolCall](l, c.Seq), c.Seq, c.Result})
		}
	}
	for _, c := range slices.Backward(calls) {
		turn, _, _ := l.Where(c.seq)
		t, _ := tool.Lookup(c.call.Name)
		switch {
		case c.result == 0:
			if turn == now {
				open = append(open, c.seq)
			}
		case t.Kind == tool.Plans && !plan:
			var items tool.Plan
			if items, plan = t.Plan(c.call.Arguments); plan && isOpen(items) {
				open = append(open, c.seq)
			}
		case t.Kind == tool.Skills && !skill && turn == now:
			skill = true
			open = append(open, c.seq)
		case ends.runs(c), gives.more(payloadOf[tenfold.ToolResult](l, c.result)):
			open = append(open, c.seq)
		}
	}
	slices.Sort(open)
	return open
}

// giving knows the tools on demand that results refer to: with the reference the model loses
// the tool (https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool).
type giving map[string]bool

// more reports whether a result refers to a tool that no later one does: results are asked
// about from the newest on.
func (g giving) more(r tenfold.ToolResult) (gives bool) {
	for _, part := range r.Parts {
		if part.File != nil && part.File.Name == "tool_reference" && !g[part.File.Detail] {
			g[part.File.Detail], gives = true, true
		}
	}
	return gives
}

// isOpen reports whether a plan has anything left to do.
func isOpen(p tool.Plan) bool {
	return p.Text != "" || slices.ContainsFunc(p.Items, func(i tool.PlanItem) bool {
		return i.Status != "completed" && i.Status != "cancelled"
	})
}

// endings tells of what was begun in the background whether it has ended.
type endings struct {
	p    *tenfold.Projection
	seen int64    // the log was read back to here …
	said []string // … for what tells that something ended, the newest first
}

// handleID finds the names under which a host goes on speaking of what it began;
// with a first group the name is that of a piece of output, which is another one each
// time (Codex).
var handleID = regexp.MustCompile(`(?i)(chunk )?(?:\b(?:id|session|process|task|shell|agent|pid)|id)["' :#=]{1,3}(?:id["' :#=]{1,3})?([a-z]*[0-9][a-z0-9_-]{0,63}|[a-z0-9]+[_-][a-z0-9_-]{1,63})`)

// ended are the words by which hosts say so.
var ended = regexp.MustCompile(`(?i)\b(completed|complete|finished|ended|exited|exit code|failed|killed|stopped|terminated|cancelled|not found|no longer)\b`)

// runs reports whether a call began something that runs on. Calls are asked about
// from the newest on.
func (n *endings) runs(c toolCall) bool {
	result := payloadOf[tenfold.ToolResult](n.p.Log(), c.result)
	if !tool.Underway(result) || tool.Polls(c.call.Name, c.call.Arguments) {
		return false
	}
	text := tenfold.TextLines(result)
	n.read(c.result)
	for _, m := range handleID.FindAllStringSubmatch(text[:min(len(text), 1000)], 2) {
		if m[1] == "" {
			return !slices.ContainsFunc(n.said, func(s string) bool { return mentions(s, m[2]) })
		}
	}
	return len(n.said) == 0
}

// mentions reports whether a text holds a name, and not as part of another.
func mentions(text, name string) bool {
	for {
		before, after, ok := strings.Cut(text, name)
		if !ok {
			return false
		}
		if !strings.ContainsAny(last(before), letters) && !strings.ContainsAny(after[:min(1, len(after))], letters) {
			return true
		}
		text = after
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func last(s string) string { return s[max(0, len(s)-1):] }

// read takes in what tells of ends, down to an entry.
func (n *endings) read(down int64) {
	n.seen = cmp.Or(n.seen, n.p.Version()+1)
	l := n.p.Log()
	for ; n.seen > down+1; n.seen-- {
		e, _ := l.Entry(n.seen - 1)
		if !n.p.Reads(e.Seq) {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			if text := tenfold.TextLines(p); p.Purpose == tenfold.Notice && ended.MatchString(text) {
				n.said = append(n.said, text)
			}
		case tenfold.ToolResult:
			call, _ := l.CallOf(e.Seq)
			if tool.Underway(p) || !tool.Polls(call.Name, call.Arguments) && !isStopTool(call.Name) {
				continue
			}
			n.said = append(n.said, call.Arguments+"\n"+tool.Output(p))
		}
	}
}

// isStopTool knows the tools that end what runs.
func isStopTool(name string) bool {
	return slices.Contains([]string{"KillBash", "KillShell", "TaskStop", "TaskOutput", "job_kill", "stop_bash", "write_stdin"}, name)
}
