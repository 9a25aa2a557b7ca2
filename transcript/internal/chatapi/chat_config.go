package chatapi

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// setting reads what a record says of the configuration, and notes which
// values it took over.
type setting struct {
	scan  *walk.Scanner
	raw   []byte
	cuts  []walk.Cut
	delta tenfold.ConfigDelta
	// others counts tools that are none of the caller's own.
	others int
}

// Record emits what a record says besides its messages: the configuration
// when there is one, else a record that no model sees.
func (c *Chat) Record(r *ChatRecord, set *setting) error {
	if set.others > 0 {
		c.WarnHere("tool is the provider's own and is kept aside", "tools are the provider's own and are kept aside")
	}
	source := r.source(c, set.cuts)
	if d := set.delta; d.Model == "" && d.System == nil && d.Tools == nil {
		return c.Keep(r.id, tenfold.Kind(string(c.format)+".request"), []byte(source))
	}
	return c.Emit(tenfold.Entry{ID: r.id, Source: source, Payload: set.delta})
}

func (c *Chat) Setting(r *ChatRecord) *setting { return &setting{scan: &c.In, raw: r.raw} }

// system reads a system prompt: a text, a list of texts, or an object with
// parts. One that is not a single text stays where it was as well, for the
// places where texts were joined are not in the joined one.
func (g *setting) system(at walk.Span) {
	if !at.Found() {
		return
	}
	var texts []walk.Span
	g.walk(at, func(s *walk.Scanner, from int) { texts = systemTexts(s, from, texts) })
	if len(texts) == 0 {
		return
	}
	w := engine.Finder{Scan: &walk.Scanner{Raw: g.raw}, Raw: g.raw}
	joined := make([]string, len(texts))
	for i, t := range texts {
		joined[i] = w.Text(t)
	}
	if len(texts) == 1 {
		g.cuts = append(g.cuts, w.Cuts...)
	}
	text := strings.Join(joined, "\n\n")
	g.delta.System = &text
}

// walk scans the value at a place; from is to be added to the places in it.
func (g *setting) walk(at walk.Span, f func(s *walk.Scanner, from int)) {
	g.scan.Reset(at.Of(g.raw))
	f(g.scan, at.From)
}

func systemTexts(s *walk.Scanner, from int, texts []walk.Span) []walk.Span {
	switch s.Kind() {
	case '"':
		at := s.Value()
		return append(texts, walk.Span{From: at.From + from, To: at.To + from})
	case '[':
		walk.EachItem(s, func() { texts = systemTexts(s, from, texts) })
	default:
		walk.EachMember(s, func(name []byte) {
			if n := string(name); n == `"parts"` || (n == `"text"` && s.Kind() == '"') {
				texts = systemTexts(s, from, texts)
			} else {
				s.Value()
			}
		})
	}
	return texts
}

// tools reads definitions, in any provider's shape.
func (g *setting) tools(at walk.Span) {
	if !at.Found() || g.raw[at.From] != '[' {
		return
	}
	list := []tenfold.ToolDefinition{}
	if g.delta.Tools != nil {
		list = *g.delta.Tools
	}
	g.walk(at, func(s *walk.Scanner, from int) { list = g.definitions(s, from, list) })
	g.delta.Tools = &list
}

func (g *setting) definitions(s *walk.Scanner, from int, list []tenfold.ToolDefinition) []tenfold.ToolDefinition {
	walk.EachItem(s, func() {
		var d definition
		before := len(list)
		g.definition(s, from, &d, &list)
		switch {
		case d.name != "" && (d.schema.Found() || d.plain):
			t := tenfold.ToolDefinition{Name: d.name}
			w := engine.Finder{Scan: &walk.Scanner{Raw: g.raw}, Raw: g.raw}
			if d.description.Found() {
				t.Description = w.Text(d.description)
			}
			if d.schema.Found() {
				t.Schema = w.Whole(d.schema)
				if strings.Contains(t.Schema, "\n") {
					t.Schema = string(walk.AppendCompact(nil, []byte(t.Schema)))
				}
			}
			g.cuts = append(g.cuts, w.Cuts...)
			list = append(list, t)
		case len(list) == before:
			g.others++
		}
	})
	return list
}

// definition is one tool as far as it was read.
type definition struct {
	name                string
	description, schema walk.Span
	plain               bool // it is a function, even without a schema
}

func (g *setting) definition(s *walk.Scanner, from int, d *definition, list *[]tenfold.ToolDefinition) {
	typ := ""
	several := func() { *list = g.definitions(s, from, *list) }
	schema := func() { placed(s, '{', from, &d.schema) }
	walk.Shape{
		"function", func() {
			d.plain = true
			g.definition(s, from, d, list)
		},
		"functionDeclarations", several, "function_declarations", several,
		"type", &typ,
		"name", &d.name,
		"description", func() { placed(s, '"', from, &d.description) },
		"parameters", schema, "input_schema", schema, "parametersJsonSchema", schema, "parameters_json_schema", schema,
	}.Read(s)
	d.plain = d.plain || typ == "" || typ == "function" || typ == "custom"
}

// placed reads a value and, if it is of the kind, notes where it stands.
func placed(s *walk.Scanner, kind jsontext.Kind, from int, into *walk.Span) {
	if s.Kind() == kind {
		at := s.Value()
		*into = walk.Span{From: at.From + from, To: at.To + from}
		return
	}
	s.Value()
}

// Nameless gives ids to calls that came without one, and finds the call of a
// result that names only the tool: the oldest open one of this message.
type Nameless struct {
	made int
	open map[string][]string
	done map[string]bool
}

// Next forgets the calls of the message before.
func (n *Nameless) Next() { n.open, n.done = map[string][]string{}, map[string]bool{} }

func (n *Nameless) call(id, name string) string {
	if id == "" {
		n.made++
		id = "call-" + strconv.Itoa(n.made)
	}
	if n.open == nil {
		n.Next()
	}
	n.open[name] = append(n.open[name], id)
	delete(n.done, id)
	return id
}

func (n *Nameless) Result(id, name string) string {
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
