package webtest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Chooser gives the values of a request: that of a parameter or of a member of the
// body, by its name. Nothing chosen is what the schema needs at least; for what need
// not be there it is left out. It is asked in a fixed order.
type Chooser func(name string, s *Schema) (value any, chosen bool)

// Request makes a request of an operation, with its body where it has one.
func (o *Operation) Request(base string, choose Chooser) *http.Request {
	path, query, header := o.Path, url.Values{}, http.Header{}
	for _, p := range o.Parameters {
		value, chosen := choose(p.Name, p.Schema.resolved())
		if !chosen {
			if !p.Required {
				continue
			}
			value = p.Schema.resolved().least(p.Name, nil, 0)
		}
		for _, text := range texts(value) {
			switch p.In {
			case "path":
				path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(text), 1)
			case "query":
				query.Add(p.Name, text)
			case "header":
				header.Add(p.Name, strings.Map(printable, text))
			}
		}
	}
	var body io.Reader = http.NoBody
	if o.Body != nil {
		header.Set("Content-Type", o.BodyType)
		if raw, chosen := choose("body", o.Body.resolved()); chosen {
			text, is := raw.(string)
			if !is {
				text = marshal(raw)
			}
			body = strings.NewReader(text)
		} else {
			body = strings.NewReader(marshal(o.Body.resolved().fill("body", choose, 0)))
		}
	}
	r, err := http.NewRequest(o.Method, base+path, body) //nolint:noctx // the caller sets it
	if err != nil {
		panic(err) // the path is escaped
	}
	r.URL.RawQuery, r.Header = query.Encode(), header
	return r
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // made of maps and texts
	}
	return string(text)
}

// printable leaves out what no header may have.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// texts is a value as parameters have it.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, texts(one)...)
		}
		return all
	}
	return []string{marshal(value)}
}

// deepest is how deep values are made.
const deepest = 6

// fill makes a value: what is chosen, and of the rest what is required.
func (s *Schema) fill(name string, choose Chooser, depth int) any {
	s = s.resolved()
	if choose != nil && depth > 0 {
		if v, chosen := choose(name, s); chosen {
			return v
		}
	}
	return s.least(name, choose, depth)
}

func (s *Schema) least(name string, choose Chooser, depth int) any {
	for _, of := range [][]*Schema{s.AllOf, s.OneOf, s.AnyOf} {
		if len(of) > 0 && depth < deepest {
			return of[0].fill(name, choose, depth)
		}
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.is("object"):
		made := map[string]any{}
		for _, member := range s.Members() {
			of := s.Properties[member]
			switch required := slices.Contains(s.Required, member); {
			case depth >= deepest:
			case required:
				made[member] = of.fill(member, choose, depth+1)
			case choose != nil:
				if v, chosen := choose(member, of.resolved()); chosen {
					made[member] = v
				}
			}
		}
		return made
	case s.is("array"):
		if s.MinItems == 0 || s.Items == nil || depth >= deepest {
			return []any{}
		}
		return []any{s.Items.fill(name, choose, depth+1)}
	case s.is("integer"), s.is("number"):
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case s.is("boolean"):
		return false
	case s.Format == "date-time":
		return "2026-01-02T03:04:05Z"
	}
	return strings.Repeat("x", max(s.MinLength, 1))
}

// Members are the names of an object's members, in order.
func (s *Schema) Members() []string {
	return slices.Sorted(maps.Keys(s.Properties))
}

func (s *Schema) is(kind string) bool { return slices.Contains(s.Types, kind) }

// Is reports whether a value may be of a type of JSON.
func (s *Schema) Is(kind string) bool { return s.resolved().is(kind) }
