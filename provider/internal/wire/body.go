package wire

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/body"
	"tenfold/provider"
)

// ModelOf splits "anthropic/claude-…" after its first slash: what stands
// behind it is what the vendor calls the model. It also checks the address that
// the model is reached at; empty is the vendor's own.
func ModelOf(name, base string) (string, error) {
	_, model, ok := strings.Cut(name, "/")
	if !ok || model == "" || strings.ContainsAny(model, "?#& \t\r\n") || strings.Contains(model, "..") {
		return "", &provider.Error{
			Kind: provider.Invalid, Message: fmt.Sprintf("%q is no name of a model", name),
			Hint: "write it as NAME/model, for example anthropic/claude-sonnet-4-5",
		}
	}
	if base != "" {
		if err := provider.CheckBaseURL(base); err != nil {
			return "", &provider.Error{
				Kind: provider.Invalid, Model: name, Message: "the base URL " + err.Error(), Err: err,
				Hint: "write it as in http://localhost:11434/v1",
			}
		}
	}
	return model, nil
}

// ParseExtra reads the members a configuration adds to each request.
func ParseExtra(name, extra string) (Object, error) {
	if extra == "" {
		return nil, nil
	}
	o, err := ParseObject([]byte(extra))
	if err != nil {
		return nil, &provider.Error{
			Kind: provider.Invalid, Model: name, Message: "the extra members of the request are no JSON object",
			Hint: `write them as {"temperature":0}`,
		}
	}
	return o, nil
}

// View writes the conversation part of a request.
func View(name string, f body.Profile, r provider.Request) (Object, error) {
	if r.View == nil {
		return nil, &provider.Error{Kind: provider.Invalid, Model: name, Message: "the request has no view", Hint: "set Request.View"}
	}
	raw, err := f.Write(r.View)
	if err != nil {
		return nil, err
	}
	return ParseObject(raw)
}

// Schema reads the schema a request asks for; nil when there is none.
func Schema(name string, r provider.Request) (jsontext.Value, error) {
	if r.Schema == "" {
		return nil, nil
	}
	var object map[string]any
	if json.Unmarshal([]byte(r.Schema), &object) != nil {
		return nil, &provider.Error{Kind: provider.Invalid, Model: name, Message: "the schema is no JSON object", Hint: "set Request.Schema to a JSON Schema"}
	}
	return jsontext.Value(strings.TrimSpace(r.Schema)), nil
}

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
	if o.Get("properties") != nil || Text(o.Get("type")) == "object" {
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
			o[i].Value = join(list)
			strict = strict && m.Name == "anyOf"
		}
	}
	return o.Bytes(), strict
}

func requiresAll(o Object) bool {
	var required []string
	_ = Unmarshal(o.Get("required"), &required) // none is an empty list
	want := map[string]bool{}
	for _, r := range required {
		want[r] = true
	}
	members, err := ParseObject(o.Get("properties"))
	if err != nil {
		return o.Get("properties") == nil
	}
	for _, m := range members {
		if !want[m.Name] {
			return false
		}
	}
	return true
}

func join(list []jsontext.Value) jsontext.Value {
	out := []byte{'['}
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}
