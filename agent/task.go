package agent

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/toolbox"
)

// maxDepth is how deep sub-agents may begin others.
const maxDepth = 2

const taskName = "task"

// taskTool has a sub-agent do a piece of the work, on a branch of the log that is
// named after the call (L7): it sees the standing instructions and its task, and
// nothing else of the conversation.
var taskTool = ownTool{
	definition: tenfold.ToolDefinition{
		Name:        taskName,
		Description: "Have a sub-agent do a piece of work with the same tools, in a context of its own: for searches and changes whose details you do not need. It knows nothing of this conversation: prompt must say everything. You get its last message. Several tasks in one response run at the same time.",
		Schema:      `{"type":"object","properties":{"title":{"type":"string","description":"The task in a few words."},"prompt":{"type":"string"}},"required":["prompt"]}`,
	},
	check: func(a arguments) (string, error) {
		if strings.TrimSpace(a.Prompt) == "" {
			return "", &problem.Error{Subject: taskName, Problem: "no prompt", Hint: "say what is to be done"}
		}
		if a.Title != "" {
			return oneLine(a.Title), nil
		}
		return oneLine(a.Prompt), nil
	},
	do: func(ctx context.Context, w *worker, j job, a arguments) (toolbox.Result, error) {
		return w.delegate(ctx, j, a.Prompt)
	},
}

// delegate has a sub-agent work on a task, or go on with it after a crash.
func (w *worker) delegate(ctx context.Context, j job, prompt string) (toolbox.Result, error) {
	sub := &worker{run: w.run, ctx: ctx, branch: w.branchOf(j.seq), depth: w.depth + 1}
	if sub.depth > maxDepth {
		return failure("A sub-agent at this depth may not begin others. Do it yourself."), nil
	}
	if sub.state() == Empty {
		if err := sub.beginBranch(prompt); err != nil {
			return toolbox.Result{}, err
		}
	}
	stop, err := sub.work()
	last := sub.lastResponse()
	w.mu.Lock()
	delete(w.views, sub.branch)
	w.mu.Unlock()
	switch {
	case err != nil && provider.KindOf(err) == "":
		return toolbox.Result{}, err
	case err != nil:
		stop.Reason, stop.Detail = "failed", problem.ForModel(err)
	case stop.Reason == Answered && last != "":
		return success(last), nil
	case stop.Reason == Answered:
		return failure("The sub-agent ended without a word."), nil
	}
	text := "The sub-agent stopped before it was done: " + string(stop.Reason)
	if stop.Detail != "" {
		text += ": " + stop.Detail
	}
	text += "."
	if last != "" {
		text += " The last that it said:\n" + last
	}
	return failure(text), nil
}

// branchOf names the branch of the sub-agent that a call began.
func (w *worker) branchOf(seq int64) string {
	return cmp.Or(w.branch, "root") + "." + taskName + strconv.FormatInt(seq, 10)
}

// beginBranch begins the branch: what the sub-agent is told, and that it sees nothing of
// what came before but standing instructions (P8a).
func (w *worker) beginBranch(prompt string) error {
	w.mu.Lock()
	log := w.session.Log()
	turn := max(log.Turns()-1, 0)
	w.mu.Unlock()
	system := taskSystem
	tools := make([]tenfold.ToolDefinition, 0, len(w.declared))
	for _, d := range w.declared {
		if d.Name != taskName || w.depth < maxDepth {
			tools = append(tools, d)
		}
	}
	return w.append(
		tenfold.Entry{Branch: w.branch, Payload: tenfold.ConfigDelta{System: &system, Tools: &tools}},
		tenfold.Entry{Branch: w.branch, Payload: tenfold.Compaction{ToTurn: turn, Strategy: taskName, Source: "model", Reason: "a context of its own", Turns: tenfold.Omit}},
		tenfold.Entry{Branch: w.branch, Payload: tenfold.UserMessage{Parts: tenfold.Text(prompt), Synthetic: true}},
	)
}

// lastResponse is the text of the branch's last response.
func (w *worker) lastResponse() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.session.Log()
	text := ""
	for seq := log.Version(); seq > 0; seq-- {
		e, _ := log.Entry(seq)
		if e.Branch != w.branch {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.AssistantMessage:
			text = strings.TrimSuffix(p.Text+"\n\n"+text, "\n\n")
		case tenfold.UserMessage, tenfold.ToolResult:
			return text
		}
	}
	return text
}

// settleBranch compacts the view of a sub-agent where it is time to, or where
// somebody wishes it.
func (w *worker) settleBranch(wish *session.Wish) (*Stop, error) {
	w.mu.Lock()
	used := w.past.at(w.branch).used
	if used == 0 {
		used = w.branchView().Tokens()
	}
	begins, full := w.control.NextOn(used, wish), wish != nil || used > w.control.Window()
	w.mu.Unlock()
	if w.wish.Store(nil); begins.Action != session.Compact {
		return nil, nil
	}
	w.emit(Event{Branch: w.branch, Compaction: &begins})
	d, err := inSession(w.run, func() (session.Decision, error) { return w.control.RunOn(w.ctx, w.branch, begins) })
	w.emit(Event{Branch: w.branch, Compaction: &d})
	if err == nil && d.Action == session.Failed && full && (wish == nil || wish.By == session.ByTrigger) {
		return &Stop{Reason: Exceeded, Detail: d.Reason}, nil
	}
	return nil, err
}
