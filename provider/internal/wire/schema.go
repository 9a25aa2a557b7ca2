package wire

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
	"tenfold/internal/set"
)

// maxDepth bounds how deep a schema is followed.
const maxDepth = 64

// Closed forbids the objects of a schema members that it does not name, where
// the schema itself leaves that open: Anthropic and OpenAI ask for it. Strict
// says that each object also requires all its members, as OpenAI's strict mode
// wants.
func Closed(schema jsontext.Value) (closed jsontext.Value, strict bool) {
	return closeSchema(schema, maxDepth)
}

func closeSchema(v jsontext.Value, depth int) (jsontext.Value, bool) {
	o, err := ParseObject(v)
	if err != nil || depth == 0 {
		return v, depth > 0
	}
	strict := true
	if o.Get("properties") != nil || rawjson.Text(o.Get("type")) == "object" {
		if o.Get("additionalProperties") == nil {
			o.Set("additionalProperties", jsontext.Value("false"))
		}
		strict = string(o.Get("additionalProperties")) == "false" && requiresAll(o)
	}
	for i, m := range o {
		switch m.Name {
		case "properties", "$defs", "definitions":
			if members, err := ParseObject(m.Value); err == nil {
				for j := range members {
					inner, ok := closeSchema(members[j].Value, depth-1)
					members[j].Value, strict = inner, strict && ok
				}
				o[i].Value = members.Bytes()
			}
		case "items":
			inner, ok := closeSchema(m.Value, depth-1)
			o[i].Value, strict = inner, strict && ok
		case "anyOf", "oneOf", "allOf":
			var list []jsontext.Value
			if Unmarshal(m.Value, &list) != nil {
				continue
			}
			for j := range list {
				inner, ok := closeSchema(list[j], depth-1)
				list[j], strict = inner, strict && ok
			}
			o[i].Value = rawjson.List(list)
			strict = strict && m.Name == "anyOf"
		}
	}
	return o.Bytes(), strict
}

func requiresAll(o rawjson.Object) bool {
	var required []string
	_ = Unmarshal(o.Get("required"), &required) // none is an empty list
	want := set.Of(required...)
	members, err := ParseObject(o.Get("properties"))
	if err != nil {
		return o.Get("properties") == nil
	}
	return !slices.ContainsFunc(members, func(m rawjson.Member) bool { return !want[m.Name] })
}
