package transcript

import (
	"strconv"
	"strings"

	"tenfold"
)

// setting reads what a record says of the configuration, and notes which
// values it took over.
type setting struct {
	scan  *scanner
	raw   []byte
	cuts  []cut
	delta tenfold.ConfigDelta
	// others counts tools that are none of the caller's own.
	others int
}

// record emits what a record says besides its messages: the configuration
// when there is one, else a record that no model sees.
func (c *chat) record(r *chatRecord, set *setting) error {
	if set.others > 0 {
		c.warnHere("tool is the provider's own and is kept aside", "tools are the provider's own and are kept aside")
	}
	source := r.source(c, set.cuts)
	if d := set.delta; d.Model == "" && d.System == nil && d.Tools == nil {
		return c.keep(r.id, tenfold.Kind(string(c.format)+".request"), []byte(source))
	}
	return c.emit(tenfold.Entry{ID: r.id, Source: source, Payload: set.delta})
}

func (c *chat) setting(r *chatRecord) *setting { return &setting{scan: &c.in, raw: r.raw} }

// system reads a system prompt: a text, a list of texts, or an object with
// parts. One that is not a single text stays where it was as well, for the
// places where texts were joined are not in the joined one.
func (g *setting) system(at span) {
	if !at.found() {
		return
	}
	var texts []span
	g.walk(at, func(s *scanner, from int) { texts = systemTexts(s, from, texts) })
	if len(texts) == 0 {
		return
	}
	w := contentWriter{scan: &scanner{raw: g.raw}, raw: g.raw}
	joined := make([]string, len(texts))
	for i, t := range texts {
		joined[i] = w.text(t)
	}
	if len(texts) == 1 {
		g.cuts = append(g.cuts, w.cuts...)
	}
	text := strings.Join(joined, "\n\n")
	g.delta.System = &text
}

// walk scans the value at a place; from is to be added to the places in it.
func (g *setting) walk(at span, f func(s *scanner, from int)) {
	g.scan.reset(at.of(g.raw))
	f(g.scan, at.from)
}

func systemTexts(s *scanner, from int, texts []span) []span {
	switch s.kind() {
	case '"':
		at := s.value()
		return append(texts, span{at.from + from, at.to + from})
	case '[':
		s.token()
		for s.more() {
			texts = systemTexts(s, from, texts)
		}
		s.token()
	default:
		eachMember(s, func(name []byte) {
			if n := string(name); n == `"parts"` || (n == `"text"` && s.kind() == '"') {
				texts = systemTexts(s, from, texts)
			} else {
				s.value()
			}
		})
	}
	return texts
}

// tools reads definitions, in any provider's shape.
func (g *setting) tools(at span) {
	if !at.found() || g.raw[at.from] != '[' {
		return
	}
	list := []tenfold.ToolDefinition{}
	if g.delta.Tools != nil {
		list = *g.delta.Tools
	}
	g.walk(at, func(s *scanner, from int) { list = g.definitions(s, from, list) })
	g.delta.Tools = &list
}

func (g *setting) definitions(s *scanner, from int, list []tenfold.ToolDefinition) []tenfold.ToolDefinition {
	if s.kind() != '[' {
		s.value()
		return list
	}
	s.token()
	for s.more() {
		var d definition
		before := len(list)
		g.definition(s, from, &d, &list)
		switch {
		case d.name != "" && (d.schema.found() || d.plain):
			t := tenfold.ToolDefinition{Name: d.name}
			w := contentWriter{scan: &scanner{raw: g.raw}, raw: g.raw}
			if d.description.found() {
				t.Description = w.text(d.description)
			}
			if d.schema.found() {
				t.Schema = w.whole(d.schema)
				if strings.Contains(t.Schema, "\n") {
					t.Schema = string(appendCompact(nil, []byte(t.Schema)))
				}
			}
			g.cuts = append(g.cuts, w.cuts...)
			list = append(list, t)
		case len(list) == before:
			g.others++
		}
	}
	s.token()
	return list
}

// definition is one tool as far as it was read.
type definition struct {
	name                string
	description, schema span
	plain               bool // it is a function, even without a schema
}

func (g *setting) definition(s *scanner, from int, d *definition, list *[]tenfold.ToolDefinition) {
	typ := ""
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"function"`:
			d.plain = true
			g.definition(s, from, d, list)
		case `"functionDeclarations"`, `"function_declarations"`:
			*list = g.definitions(s, from, *list)
		case `"type"`:
			typ = s.text()
		case `"name"`:
			d.name = s.text()
		case `"description"`:
			if s.kind() == '"' {
				at := s.value()
				d.description = span{at.from + from, at.to + from}
			} else {
				s.value()
			}
		case `"parameters"`, `"input_schema"`, `"parametersJsonSchema"`, `"parameters_json_schema"`:
			if s.kind() == '{' {
				at := s.value()
				d.schema = span{at.from + from, at.to + from}
			} else {
				s.value()
			}
		default:
			s.value()
		}
	})
	d.plain = d.plain || typ == "" || typ == "function" || typ == "custom"
}

// nameless gives ids to calls that came without one, and finds the call of a
// result that names only the tool: the oldest open one of this message.
type nameless struct {
	made int
	open map[string][]string
	done map[string]bool
}

// next forgets the calls of the message before.
func (n *nameless) next() { n.open, n.done = map[string][]string{}, map[string]bool{} }

func (n *nameless) call(id, name string) string {
	if id == "" {
		n.made++
		id = "call-" + strconv.Itoa(n.made)
	}
	if n.open == nil {
		n.next()
	}
	n.open[name] = append(n.open[name], id)
	delete(n.done, id)
	return id
}

func (n *nameless) result(id, name string) string {
	if id != "" {
		if n.done != nil {
			n.done[id] = true
		}
		return id
	}
	for list := n.open[name]; len(list) > 0; list = n.open[name] {
		n.open[name] = list[1:]
		if !n.done[list[0]] {
			n.done[list[0]] = true
			return list[0]
		}
	}
	n.made++
	return "call-" + strconv.Itoa(n.made)
}
