package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/internal/rawjson"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/toolbox"
)

// DefaultSystem is the system prompt where none is given. It says nothing that
// changes: that is for the context of a turn.
const DefaultSystem = `You are a coding agent. You work in the user's workspace with the tools you are given, until what the user asked for is done or you need an answer that only the user has.

- Look before you change: read what you are about to edit. Make the smallest change that does what was asked.
- Check your work with the project's own tests and tools, and say plainly what failed.
- Calls that do not depend on each other go into one response: they run at the same time.
- Keep a plan with the tool plan when the work has more than a few steps.
- Earlier parts of this conversation may be shortened. The tool recall gives back what a mark such as "(recall 417093:512)" stands for.
- Answer briefly. Do not repeat what the user can see.`

// taskSystem is that of a sub-agent.
const taskSystem = `You are a sub-agent: another agent has given you one task. Work in the user's workspace with your tools until it is done. Your last message is all that the other agent gets of your work: say in it what you found or did, with paths and names, and what is left open.`

// ownTool is a tool of the agent's own: it runs where the loop does.
type ownTool struct {
	definition tenfold.ToolDefinition
	do         func(ctx context.Context, w *worker, j job, a arguments) (toolbox.Result, error)
	check      func(a arguments) (subject string, err error)
}

// arguments are those of all the agent's own tools.
type arguments struct {
	Focus  string `json:"focus"`
	Query  string `json:"query"`
	Ref    string `json:"ref"`
	Prompt string `json:"prompt"`
	Title  string `json:"title"`
	Items  []struct {
		Text   string `json:"text"`
		Status string `json:"status"`
	} `json:"items"`
}

// Definition implements [toolbox.Tool].
func (t ownTool) Definition() tenfold.ToolDefinition { return t.definition }

// Intent implements [toolbox.Tool].
func (t ownTool) Intent(text string) (toolbox.Intent, error) {
	a, err := parseArguments(text)
	if err != nil {
		return toolbox.Intent{}, err
	}
	subject, err := t.check(a)
	return toolbox.Intent{Effect: toolbox.Converses, Subject: subject}, err
}

// Run implements [toolbox.Tool]; the loop has a way of its own.
func (t ownTool) Run(context.Context, toolbox.Call) (toolbox.Result, error) {
	return toolbox.Result{}, fmt.Errorf("%s is the agent's own", t.definition.Name)
}

func (t ownTool) run(ctx context.Context, w *worker, j job) (toolbox.Result, error) {
	a, err := parseArguments(j.mapped.Arguments)
	if err != nil {
		return failure(problem.ForModel(err)), nil
	}
	return t.do(ctx, w, j, a)
}

func parseArguments(text string) (a arguments, err error) {
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	if err = json.Unmarshal([]byte(text), &a); err != nil {
		err = &problem.Error{Subject: "arguments", Problem: "not the JSON object that the tool takes: " + rawjson.Words(err), Err: err}
	}
	return a, err
}

// planTool keeps the to-do list: the newest call of it is the list, which a
// compaction leaves alone while anything in it is open (live V5).
var planTool = ownTool{
	definition: tenfold.ToolDefinition{
		Name:        "plan",
		Description: "Write down the steps of the work and how far each is. Give the whole list each time. It stays in view.",
		Schema:      `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"status":{"type":"string","enum":["pending","in_progress","completed","cancelled"]}},"required":["text","status"]}}},"required":["items"]}`,
	},
	check: func(a arguments) (string, error) {
		if len(a.Items) == 0 {
			return "", &problem.Error{Subject: "plan", Problem: "no items", Hint: `give the list: {"items":[{"text":"…","status":"pending"}]}`}
		}
		return number.Count(len(a.Items), "step"), nil
	},
	do: func(_ context.Context, _ *worker, _ job, a arguments) (toolbox.Result, error) {
		done := 0
		for _, item := range a.Items {
			if item.Status == "completed" || item.Status == "cancelled" {
				done++
			}
		}
		return success(fmt.Sprintf("Noted: %d of %s done.", done, number.Count(len(a.Items), "step"))), nil
	},
}

// compactTool lets the model ask for a compaction (A8).
var compactTool = ownTool{
	definition: tenfold.ToolDefinition{
		Name:        "compact",
		Description: "Have the earlier parts of this conversation shortened after this step, for instance between two pieces of work. focus says what must be kept.",
		Schema:      `{"type":"object","properties":{"focus":{"type":"string"}}}`,
	},
	check: func(a arguments) (string, error) { return oneLine(a.Focus), nil },
	do: func(_ context.Context, w *worker, _ job, a arguments) (toolbox.Result, error) {
		wish := session.Wish{By: session.ByModel, Reason: "asked by the model", Focus: a.Focus}
		if w.branch != "" {
			w.wish.Store(&wish) // several may be made at once: the last counts
		} else if d, err := w.askController(wish); err != nil {
			return toolbox.Result{}, err
		} else if d.Action == session.Failed {
			return failure("Not now: " + d.Reason), nil
		}
		return success("The earlier parts will be shortened after this step."), nil
	},
}

// recallTool gives back what the view does not show (A9).
var recallTool = ownTool{
	definition: tenfold.ToolDefinition{
		Name:        "recall",
		Description: "Get back original text of this conversation that was shortened or hidden: ref is what follows recall in a mark, such as 417093:512; query finds by words. Give one of them. At most 2,000 tokens an answer; its last line says how to go on.",
		Schema:      `{"type":"object","properties":{"ref":{"type":"string"},"query":{"type":"string"}}}`,
	},
	check: func(a arguments) (string, error) {
		switch {
		case (a.Ref == "") == (a.Query == ""):
			return "", &problem.Error{Subject: "recall", Problem: "give either ref or query"}
		case a.Query != "" && session.EmptyQuery(a.Query):
			return "", &problem.Error{Subject: "recall", Problem: "no word in the query", Hint: "words consist of letters and digits"}
		case a.Query != "":
			return oneLine(a.Query), nil
		}
		_, err := session.ParseRef(a.Ref)
		return oneLine(a.Ref), err
	},
	do: func(ctx context.Context, w *worker, _ job, a arguments) (toolbox.Result, error) {
		text, err := inSession(w.run, func() (string, error) { return w.recall(context.WithoutCancel(ctx), a) })
		if err != nil {
			return failure(problem.ForModel(err)), nil
		}
		return success(text), nil
	},
}

// recall answers a call of the tool. It is called with the lock held.
func (a *Agent) recall(ctx context.Context, in arguments) (string, error) {
	if in.Query != "" {
		if found := a.session.Lookup(in.Query, 0); len(found) > 0 {
			return session.FindingsText(found, a.counter), nil
		}
		return "Nothing in this conversation has a word, or a phrase in quotes, of the query. Words are matched whole: try others, or fewer.", nil
	}
	ref, err := session.ParseRef(in.Ref)
	if err != nil {
		return "", err
	}
	if !a.isOwnHandle(ref.Conversation) {
		return "", &problem.Error{Code: "not_found", Subject: "reference " + ref.String(), Problem: "it names another conversation", Hint: "search this one with query"}
	}
	passage, err := a.session.Expand(ctx, ref, 0)
	return passage.Text(), err
}

// isOwnHandle reports whether a handle in a reference means this conversation: its own,
// or one that its overlays use, as after a fork.
func (a *Agent) isOwnHandle(handle string) bool {
	if handle == "" || handle == session.Handle(a.session.ID()) {
		return true
	}
	for o := range a.session.Projection().Overlays() {
		if o.Compaction.Handle == handle {
			return true
		}
	}
	return false
}

func success(text string) toolbox.Result {
	return toolbox.Result{Parts: tenfold.Text(text), Outcome: tenfold.Success}
}

// oneLine is a text as a subject.
func oneLine(text string) string {
	const longest = 120
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}
