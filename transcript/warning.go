package transcript

import "strconv"

// warnings counts what the user should know, each kind once.
type warnings struct {
	list []warning
}

type warning struct {
	one, many string
	count     int
	line      int
}

// add counts one more of a kind. The texts go after the count: "line is …" and
// "lines are …"; line is where the first was, 0 for nowhere.
func (w *warnings) add(line int, one, many string) {
	for i := range w.list {
		if w.list[i].one == one {
			w.list[i].count++
			return
		}
	}
	w.list = append(w.list, warning{one: one, many: many, count: 1, line: line})
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
		if k.line > 0 && k.count > 1 {
			s += " (the first is line " + strconv.Itoa(k.line) + ")"
		} else if k.line > 0 {
			s += " (line " + strconv.Itoa(k.line) + ")"
		}
		out = append(out, s)
	}
	return out
}
