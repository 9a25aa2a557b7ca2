package transcript

import (
	"slices"
	"strconv"
	"strings"
)

// warnings counts what the user should know, each kind once.
type warnings struct {
	list []warning
}

type warning struct {
	one, many string
	count     int
	line      int
	first     string // what was wrong with the first
}

// add counts one more of a kind. The texts go after the count: "line is …" and
// "lines are …"; line is where the first was, 0 for nowhere.
func (w *warnings) add(line int, one, many string) { w.of(line, one, many).count++ }

// addError counts one more of a kind, of which the first is told as an error.
func (w *warnings) addError(e *Error, one, many string) {
	k := w.of(e.Line, one, many)
	if k.count++; k.count == 1 {
		k.first = e.Err.Error()
	}
}

// of finds a kind.
func (w *warnings) of(line int, one, many string) *warning {
	i := slices.IndexFunc(w.list, func(k warning) bool { return k.one == one })
	if i < 0 {
		i = len(w.list)
		w.list = append(w.list, warning{one: one, many: many, line: line})
	}
	return &w.list[i]
}

// foreignReasoning counts reasoning that came from another client: a client
// shows its model reasoning of another model as plain text, as if it had been
// said.
func (w *warnings) foreignReasoning(client string) {
	w.add(0, "reasoning of another client is left out: "+client+" would send it as text",
		"reasonings of another client are left out: "+client+" would send them as text")
}

// text gives the sentences, in the order in which the kinds came up.
func (w *warnings) text() []string {
	var out []string
	for _, k := range w.list {
		s := "1 " + k.one
		if k.count > 1 {
			s = strconv.Itoa(k.count) + " " + k.many
		}
		where := joiner{between: ": "}
		if k.line > 0 {
			line := "line " + strconv.Itoa(k.line)
			if k.count > 1 {
				line = "the first is " + line
			}
			where.add(line)
		}
		if k.first != "" {
			where.add(k.first)
		}
		if where.Len() > 0 {
			s += " (" + where.String() + ")"
		}
		out = append(out, s)
	}
	return out
}

// overlay notes a compaction, or the undoing of one, that a format has no place
// for.
func (w *warnings) overlay(format string) {
	w.add(0, "compaction or its undoing has no place in a session of "+format+" and is left out",
		"compactions or their undoings have no place in a session of "+format+" and are left out")
}

// joiner joins texts, with something between them but before the first.
type joiner struct {
	strings.Builder
	between string
}

func (j *joiner) add(text string) {
	if j.Len() > 0 {
		_, _ = j.WriteString(j.between)
	}
	_, _ = j.WriteString(text)
}

// What is said of the entries of sub-agents.
const (
	subAgentOne  = "entry of a sub-agent has no place in one session's file and is left out"
	subAgentMany = "entries of sub-agents have no place in one session's file and are left out"
)
