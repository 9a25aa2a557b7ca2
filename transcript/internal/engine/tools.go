package engine

import (
	"cmp"

	"tenfold"
	"tenfold/transcript/internal/walk"
)

// Tools takes the definitions in a list over, in any provider's shape: a tool, a function
// in it, or a list of declarations. Others counts tools that are none of the caller's own.
func (f *Finder) Tools(at walk.Span) (list []tenfold.ToolDefinition, others int) {
	for _, item := range f.List(at) {
		m := f.Object(item)
		found := len(list)
		for _, name := range [...]string{"functionDeclarations", "function_declarations"} {
			for _, one := range m.Items(name) {
				if t, ok := f.tool(f.Object(one)); ok {
					list = append(list, t)
				} else {
					others++
				}
			}
		}
		if t, ok := f.tool(m); ok {
			list = append(list, t)
		} else if len(list) == found {
			others++
		}
	}
	return list, others
}

// tool takes one definition over; false when it is none.
func (f *Finder) tool(m Members) (t tenfold.ToolDefinition, ok bool) {
	switch m.Peek("type") {
	case "", "function", "custom":
		ok = true // it is a function, even without a schema
	}
	t.Name = m.Peek("name")
	if fn := m.Get("function"); fn.Found() {
		m, ok = f.Object(fn), true
		t.Name = cmp.Or(m.Peek("name"), t.Name)
	}
	var schema walk.Span
	for _, name := range [...]string{"parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema"} {
		if at := m.Get(name); f.Is(at, '{') {
			schema = at
		}
	}
	if t.Name == "" || !ok && !schema.Found() {
		return t, false
	}
	t.Description = f.Text(m.Get("description"))
	if schema.Found() {
		t.Schema = walk.OneLine(f.Whole(schema))
	}
	return t, true
}
