package intake

import (
	"slices"
	"strconv"
	"strings"
)

// Warnings counts what the user should know, each kind once.
type Warnings struct {
	List []warning
}

type warning struct {
	One, many string
	count     int
	line      int
	first     string // what was wrong with the first
}

// Add counts one more of a kind. The texts go after the count: "line is …" and
// "lines are …"; line is where the first was, 0 for nowhere.
func (w *Warnings) Add(line int, one, many string) { w.of(line, one, many).count++ }

// Odd counts a record that could not be understood: a "message".
func (w *Warnings) Odd(line int, what string) {
	w.Add(line, what+" could not be understood and was kept as it is", what+"s could not be understood and were kept as they are")
}

// addError counts one more of a kind, of which the first is told as an error.
func (w *Warnings) addError(e *Error, one, many string) {
	k := w.of(e.Line, one, many)
	if k.count++; k.count == 1 {
		k.first = e.Err.Error()
	}
}

// of finds a kind.
func (w *Warnings) of(line int, one, many string) *warning {
	i := slices.IndexFunc(w.List, func(k warning) bool { return k.One == one })
	if i < 0 {
		i = len(w.List)
		w.List = append(w.List, warning{One: one, many: many, line: line})
	}
	return &w.List[i]
}

// ForeignReasoning counts reasoning that came from another client: a client
// shows its model reasoning of another model as plain text, as if it had been
// said.
func (w *Warnings) ForeignReasoning(client string) {
	w.Add(0, "reasoning block of another client is left out: "+client+" would send it as text",
		"reasoning blocks of another client are left out: "+client+" would send them as text")
}

// UnreadableReasoning counts reasoning that the provider of a format cannot read.
func (w *Warnings) UnreadableReasoning() {
	w.Add(0, "reasoning block that this provider cannot read is left out", "reasoning blocks that this provider cannot read are left out")
}

// Text gives the sentences, in the order in which the kinds came up.
func (w *Warnings) Text() []string {
	var out []string
	for _, k := range w.List {
		s := "1 " + k.One
		if k.count > 1 {
			s = strconv.Itoa(k.count) + " " + k.many
		}
		where := Joiner{Between: ": "}
		if k.line > 0 {
			line := "line " + strconv.Itoa(k.line)
			if k.count > 1 {
				line = "the first is " + line
			}
			where.Add(line)
		}
		if k.first != "" {
			where.Add(k.first)
		}
		if where.Len() > 0 {
			s += " (" + where.String() + ")"
		}
		out = append(out, s)
	}
	return out
}

// Joiner joins texts, with something between them but before the first.
type Joiner struct {
	strings.Builder
	Between string
}

func (j *Joiner) Add(text string) {
	if j.Len() > 0 {
		_, _ = j.WriteString(j.Between)
	}
	_, _ = j.WriteString(text)
}
