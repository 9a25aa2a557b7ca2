package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/tool"
)

// shown is what the editor was shown of a conversation so far. It is used by one
// goroutine at a time.
type shown struct {
	directory string // the workspace
	seq       int64  // of the newest entry
	// text and reasoning tell that the block under way was shown as it came.
	text, reasoning bool
	calls           calls
	compactions     int    // as many were shown
	compacting      bool   // the last of them is under way
	command         string // that the last compaction of the log belongs to
	scale           token.Scale
}

// mostShown is how many bytes of a result are shown, and mostOutput how many of
// the end of what a running call prints. The log has the rest.
const (
	mostShown  = 32 << 10
	mostOutput = 4 << 10
)

// event turns an event into what the editor is to show.
func (s *shown) event(e agent.Event) []sdk.SessionUpdate {
	switch {
	case e.Text != "" && e.Branch == "":
		s.text = true
		return []sdk.SessionUpdate{sdk.UpdateAgentMessageText(visible(e.Text))}
	case e.Reasoning != "" && e.Branch == "":
		s.reasoning = true
		return []sdk.SessionUpdate{sdk.UpdateAgentThoughtText(visible(e.Reasoning))}
	case e.Appended != nil:
		return s.entry(*e.Appended, e.Others)
	case e.Running != nil:
		r := e.Running
		return []sdk.SessionUpdate{sdk.UpdateToolCall(
			s.calls.id(e.Branch, r.Call.CallID), sdk.WithUpdateStatus(sdk.ToolCallStatusInProgress),
			sdk.WithUpdateTitle(titleOf(e.Branch, r.Call.Name, r.Intent.Subject)), sdk.WithUpdateKind(kindOf(r.Call.Name, r.Intent.Effect)),
			sdk.WithUpdateLocations(locations(s.directory, r.Intent.Paths)),
		)}
	case e.Output != nil:
		return s.printed(e.Branch, *e.Output)
	case e.Waiting != nil:
		return []sdk.SessionUpdate{notice(fmt.Sprintf("Trying again in %s: %v", e.Waiting.After.Round(100*time.Millisecond), e.Waiting.Err))}
	case e.Compaction != nil:
		return s.compaction(*e.Compaction)
	case e.Gauge != nil:
		u := &sdk.SessionUsageUpdate{Used: e.Gauge.Tokens, Size: e.Gauge.Window}
		if e.Gauge.Dollars != nil {
			u.Cost = &sdk.Cost{Amount: *e.Gauge.Dollars, Currency: "USD"}
		}
		return []sdk.SessionUpdate{{UsageUpdate: u}}
	}
	return nil
}

// entry shows an entry of the log: as it is appended, or, with again, of what was
// said before: in a conversation that is loaded, or by another program.
func (s *shown) entry(e tenfold.Entry, again bool) []sdk.SessionUpdate {
	root := e.Branch == ""
	s.seq = max(s.seq, e.Seq)
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		if text := purpose.Said(p); again && root && text != "" {
			return []sdk.SessionUpdate{sdk.UpdateUserMessageText(visible(text))}
		}
	case tenfold.AssistantMessage:
		if root && !taken(&s.text, again) {
			return []sdk.SessionUpdate{sdk.UpdateAgentMessageText(visible(p.Text))}
		}
	case tenfold.Reasoning:
		if root && !taken(&s.reasoning, again) && p.Text != "" {
			return []sdk.SessionUpdate{sdk.UpdateAgentThoughtText(visible(p.Text))}
		}
	case tenfold.ToolCall:
		return s.call(e.Branch, p)
	case tenfold.ToolResult:
		return s.result(e.Branch, p)
	case tenfold.Compaction:
		if again && (p.Command == "" || p.Command != s.command) { // those of one command are one
			s.command = p.Command
			before, after := s.scale.Sizes(p)
			return s.compaction(session.Decision{Action: session.Compacted, Reason: p.Reason, Result: session.Result{
				Plan: strategy.Plan{Before: before, After: after},
			}})
		}
	case tenfold.CompactionFailed:
		if again {
			return s.compaction(session.Decision{Action: session.Failed, Reason: p.Error})
		}
	}
	return nil
}

// taken tells that a block was shown as it came, and that the next one was not; one that
// another program added was not, and the one under way is still to come.
func taken(streamed *bool, again bool) bool {
	was := *streamed && !again
	*streamed = *streamed && again
	return was
}

// call shows a call that the model made, and the plan where it made one.
func (s *shown) call(branch string, c tenfold.ToolCall) []sdk.SessionUpdate {
	id := s.calls.begin(branch, c)
	all := []sdk.SessionUpdate{sdk.StartToolCall(
		id, titleOf(branch, c.Name, tool.Subject(c.Name, c.Arguments)), sdk.WithStartKind(kindOf(c.Name, "")), sdk.WithStartStatus(sdk.ToolCallStatusPending),
		sdk.WithStartRawInput(rawInput(c.Arguments)), sdk.WithStartContent(changeOf(s.directory, c)),
	)}
	known, _ := tool.Lookup(c.Name)
	if plan, ok := known.Plan(c.Arguments); ok && branch == "" && known.Kind == tool.Plans && !plan.Partial {
		entries := []sdk.PlanEntry{}
		for _, item := range plan.Items {
			status := sdk.PlanEntryStatus(item.Status)
			switch item.Status {
			case "cancelled":
				continue
			case "":
				status = sdk.PlanEntryStatusPending
			}
			entries = append(entries, sdk.PlanEntry{Content: visible(item.Text), Status: status, Priority: sdk.PlanEntryPriorityMedium})
		}
		all = append(all, sdk.UpdatePlan(entries...))
	}
	return all
}

// result shows how a call ended. The change of a file is shown in the place of
// what the tool says of it.
func (s *shown) result(branch string, r tenfold.ToolResult) []sdk.SessionUpdate {
	c := s.calls.end(branch, r.CallID)
	if c == nil {
		return nil // a call that nobody was shown
	}
	status := sdk.ToolCallStatusCompleted
	failed := r.IsError || r.Outcome.Bad()
	if failed {
		status = sdk.ToolCallStatusFailed
	}
	content := changeOf(s.directory, c.ToolCall)
	if len(content) == 0 || failed {
		content = nil
		if text := tool.Output(r); text != "" {
			content = append(content, fenced(shorten(text), ""))
		}
		for _, p := range r.Parts {
			if block, ok := imageOf(p); ok {
				content = append(content, sdk.ToolContent(block))
			}
		}
	}
	return []sdk.SessionUpdate{sdk.UpdateToolCall(c.id, sdk.WithUpdateStatus(status), sdk.WithUpdateContent(content))}
}

// printed shows the end of what a running call has printed.
func (s *shown) printed(branch string, o agent.Output) []sdk.SessionUpdate {
	c := s.calls.open(branch, o.CallID)
	if c == nil {
		return nil
	}
	c.output += o.Text
	if over := len(c.output) - mostOutput; over > 0 {
		c.output = strings.ToValidUTF8(c.output[over:], "")
	}
	return []sdk.SessionUpdate{sdk.UpdateToolCall(c.id, sdk.WithUpdateContent([]sdk.ToolCallContent{fenced(c.output, "")}))}
}

// compaction shows a compaction as an item of the timeline (A5): where it begins,
// and again where it ended.
func (s *shown) compaction(d session.Decision) []sdk.SessionUpdate {
	reason, hint := d.Why()
	status, texts := sdk.ToolCallStatusInProgress, []string{reason, hint}
	switch d.Action {
	case session.Compact:
	case session.Failed, session.Exceeded:
		status, texts = sdk.ToolCallStatusFailed, append(texts, "Nothing was changed. /compact tries again.")
	default:
		if d.Action != session.Compacted && !s.compacting && d.By != session.ByPerson { // who asked is told
			return nil
		}
		status = sdk.ToolCallStatusCompleted
	}
	texts = slices.DeleteFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" })
	var content []sdk.ToolCallContent
	if len(texts) > 0 {
		content = []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(visible(strings.Join(texts, "\n\n"))))}
	}
	begins := !s.compacting
	if begins {
		s.compactions++
	}
	s.compacting = status == sdk.ToolCallStatusInProgress
	id := sdk.ToolCallId(fmt.Sprintf("compaction-%d", s.compactions))
	if begins {
		return []sdk.SessionUpdate{sdk.StartToolCall(id, d.Told(), sdk.WithStartKind(sdk.ToolKindOther), sdk.WithStartStatus(status), sdk.WithStartContent(content))}
	}
	return []sdk.SessionUpdate{sdk.UpdateToolCall(id, sdk.WithUpdateTitle(d.Told()), sdk.WithUpdateStatus(status), sdk.WithUpdateContent(content))}
}

// catchUp shows what other programs added since. That it cannot be read, the run will say.
func (c *conversation) catchUp(ctx context.Context) {
	_ = c.Agent.Session().Refresh(ctx)
	c.shown.text, c.shown.reasoning = false, false // of an answer that broke off
	c.showNew()
}

// showNew shows what of the log was not shown yet.
func (c *conversation) showNew() {
	log := c.Agent.Session().Log()
	if c.shown.seq == log.Version() {
		return
	}
	c.shown.scale = token.Calibrate(log)
	for e := range log.After(c.shown.seq) {
		c.send(c.shown.entry(e, true)...)
	}
}

// replay shows the conversation as the log has it.
func (c *conversation) replay() {
	c.showNew()
	for _, waiting := range c.shown.calls.waiting { // interrupted, long ago
		for _, call := range waiting {
			c.send(sdk.UpdateToolCall(call.id, sdk.WithUpdateStatus(sdk.ToolCallStatusFailed)))
		}
	}
}
