package tool

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A PlanItem is one item of a plan or a todo list. Texts are as the model
// wrote them.
type PlanItem struct {
	// ID is the item's own, empty where items have none.
	ID, Text string
	// Status is one of "pending", "in_progress", "completed" and "cancelled",
	// whatever the agent calls it; empty where the call does not say.
	Status string
}

// A Plan is what one call says of a plan.
type Plan struct {
	Items []PlanItem
	// Text is a plan in words, where there are no items.
	Text string
	// Partial is set where the items are only those that are new or changed;
	// else they are the whole plan, and none clears it.
	Partial bool
}

// Plan reads the plan of a call that keeps one; false for all others, and for
// calls that only look at it.
func (t Tool) Plan(arguments string) (Plan, bool) {
	if t.Kind != Plans && t.Kind != Asks {
		return Plan{}, false
	}
	a := parse(arguments)
	if t.Kind == Asks {
		// Leaving a planning mode asks for the plan to be taken.
		text := a.text("plan")
		return Plan{Text: text}, strings.TrimSpace(text) != ""
	}
	for _, name := range []string{"todos", "plan", "task_list", "todo_list", "todoList", "tasks", "items", "steps"} {
		v, ok := a.members[name]
		if !ok {
			continue
		}
		if items, ok := planItems(v); ok {
			return Plan{Items: items}, true
		}
	}
	one := planItem(a.members)
	if one.Text == "" && (one.ID == "" || one.Status == "") {
		return Plan{}, false
	}
	return Plan{Items: []PlanItem{one}, Partial: true}, true
}

// planItems reads a list of items: objects, texts, or one text that is a list
// in Markdown. Agents send lists as JSON in a string too.
func planItems(v jsontext.Value) ([]PlanItem, bool) {
	if s, ok := stringOf(v); ok {
		if inner := jsontext.Value(s); strings.HasPrefix(strings.TrimSpace(s), "[{") && inner.IsValid() {
			return planItems(inner)
		}
		return markdownItems(s), true
	}
	var list []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &list) != nil {
		return nil, false
	}
	items := []PlanItem{}
	for _, one := range list {
		if s, ok := stringOf(one); ok {
			items = append(items, PlanItem{Text: s})
			continue
		}
		var members map[string]jsontext.Value
		if json.Unmarshal(one, &members) != nil {
			continue
		}
		if item := planItem(members); item.Text != "" {
			items = append(items, item)
		}
	}
	return items, true
}

func planItem(members map[string]jsontext.Value) PlanItem {
	a := arguments{members: members}
	item := PlanItem{Text: a.firstText("content", "step", "subject", "title", "text", "description", "task")}
	for _, name := range []string{"taskId", "task_id", "id"} {
		if v, ok := members[name]; ok && item.ID == "" {
			if item.ID, ok = stringOf(v); !ok {
				item.ID = string(v)
			}
		}
	}
	item.Status = planStatus(a.text("status") + a.text("state"))
	if v := string(members["completed"]) + string(members["done"]); v == "true" {
		item.Status = "completed"
	}
	return item
}

// planStatus is the one spelling of a status.
func planStatus(s string) string {
	switch strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(s))) {
	case "completed", "complete", "done", "finished", "x":
		return "completed"
	case "in_progress", "inprogress", "doing", "active", "started":
		return "in_progress"
	case "cancelled", "canceled", "deleted", "skipped":
		return "cancelled"
	case "pending", "todo", "open", "not_started", "queued":
		return "pending"
	}
	return ""
}

// planFile matches the names under which agents and people keep plans.
var planFile = regexp.MustCompile(`^(plan|todo|todos|tasks|roadmap)([-_. ].*)?\.(md|txt|org)$|^.*[-_.](plan|todo)\.md$`)

// IsPlanFile reports whether a path is that of a plan: PLAN.md, todo.txt,
// docs/plan-b.md, plans/anything.md.
func IsPlanFile(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	return planFile.MatchString(path.Base(name)) || path.Base(path.Dir(name)) == "plans" && path.Ext(name) == ".md"
}

// Checklist gives the items of a list with boxes in Markdown, as plan files have;
// none where there is no such list.
func Checklist(text string) []PlanItem { return markdownItems(text) }

// markdownItems reads "- [x] text" and its kin, a line each.
func markdownItems(text string) []PlanItem {
	items := []PlanItem{}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimLeft(line, "-*"))
		mark, rest, boxed := strings.Cut(strings.TrimPrefix(line, "["), "]")
		if !strings.HasPrefix(line, "[") || !boxed || len(mark) > 1 {
			continue
		}
		item := PlanItem{Text: strings.TrimSpace(rest), Status: "in_progress"}
		switch mark {
		case "", " ":
			item.Status = "pending"
		case "x", "X":
			item.Status = "completed"
		}
		if item.Text != "" {
			items = append(items, item)
		}
	}
	return items
}

// Questions gives what a call asks a person, as the model wrote it; nil for
// calls that ask nobody.
func (t Tool) Questions(arguments string) []string {
	if t.Kind != Asks {
		return nil
	}
	a := parse(arguments)
	var all []string
	var list []map[string]jsontext.Value
	if json.Unmarshal(a.members["questions"], &list) == nil {
		for _, one := range list {
			if q := questionOf(one); q != "" {
				all = append(all, q)
			}
		}
	}
	if len(all) == 0 {
		if q := questionOf(a.members); q != "" {
			all = append(all, q)
		}
	}
	return all
}

func questionOf(members map[string]jsontext.Value) string {
	return arguments{members: members}.firstText("question", "prompt", "message", "text", "response", "summary", "plan")
}

// Skill names the skill or workflow a call loads; empty for other calls.
func (t Tool) Skill(arguments string) string {
	if t.Kind != Skills {
		return ""
	}
	return strings.TrimSpace(parse(arguments).firstText("skill", "name", "skill_name", "command", "task"))
}

// Ends reports whether a call of the tool says that the task is done.
func (t Tool) Ends() bool {
	return slices.Contains([]string{"attempt_completion", "finish", "complete_task", "submit"}, t.Name)
}
