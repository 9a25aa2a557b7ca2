package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tenfold/toolbox/internal/schema"
)

const anyValue = `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"properties":{},"type":"object"},{"items":{"type":"string"},"type":"array"}]}`

// Each is what a server said for which a provider refused all requests.
func TestPlainIsWhatEveryProviderTakes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"type":"array","items":`, 40) + `{"type":"string"}` + strings.Repeat(`}`, 40)
	var bombs strings.Builder
	for i := range 30 {
		fmt.Fprintf(&bombs, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	for _, test := range []struct{ name, in, want string }{
		{"nothing", ``, `{"properties":{},"type":"object"}`},
		{"no properties", `{"type":"object"}`, `{"properties":{},"type":"object"}`},
		{"as it should be", `{"type":"object","properties":{"a":{"type":"string","description":"A."}},"required":["a"]}`, `{"properties":{"a":{"description":"A.","type":"string"}},"required":["a"],"type":"object"}`},
		{"no type at the top", `{"properties":{"a":{"type":"integer","minimum":1}}}`, `{"properties":{"a":{"minimum":1,"type":"integer"}},"type":"object"}`},
		{"another draft", `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","properties":{"n":{"type":"number","exclusiveMinimum":true}},"additionalProperties":false}`, `{"additionalProperties":false,"properties":{"n":{"type":"number"}},"type":"object"}`},
		{"options at the top", `{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}]}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"type":"object"}`},
		{"all of them at the top", `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}],"if":{},"then":{}}`, `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"type":"object"}`},
		{"a reference at the top", `{"$ref":"#/definitions/In","definitions":{"In":{"type":"object","properties":{"a":{"type":"string"}}}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"a reference with more", `{"type":"object","properties":{"k":{"$ref":"#/$defs/K","default":"x","description":"The kind."}},"$defs":{"K":{"type":"string","enum":["x","y"],"title":"K"}}}`, `{"properties":{"k":{"description":"The kind. (default x)","enum":["x","y"],"type":"string"}},"type":"object"}`},
		{"a reference to a property", `{"type":"object","properties":{"a":{"type":"object"},"b":{"type":"array","items":{"$ref":"#/properties/a"}}}}`, `{"properties":{"a":{"properties":{},"type":"object"},"b":{"items":{"properties":{},"type":"object"},"type":"array"}},"type":"object"}`},
		{"a reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/Gone"},"b":{"$ref":"https://example.com/s.json"}}}`, `{"properties":{"a":` + anyValue + `,"b":` + anyValue + `},"type":"object"}`},
		{"a tree", `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"v":{"type":"string"},"c":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`, `{"properties":{"n":{"properties":{"c":{"items":` + anyValue + `,"type":"array"},"v":{"type":"string"}},"type":"object"}},"type":"object"}`},
		{"itself", `{"$ref":"#"}`, `{"properties":{},"type":"object"}`},
		{"all of itself", `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"properties":{},"type":"object"}`},
		{"optional and null", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"b":{"type":["integer","null"],"description":"B."}}}`, `{"properties":{"a":{"type":"string"},"b":{"description":"B.","type":"integer"}},"type":"object"}`},
		{"required and null", `{"type":"object","properties":{"b":{"type":["integer","null"]}},"required":["b"]}`, `{"properties":{"b":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["b"],"type":"object"}`},
		{"zod's optional", `{"type":"object","properties":{"a":{"anyOf":[{"not":{}},{"type":"string"}]}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"either", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}`, `{"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}},"type":"object"}`},
		{"no type", `{"type":"object","properties":{"a":{},"b":true,"c":false,"d":{"description":"D."},"e":{"enum":[1,2,2]},"f":{"const":"x"},"g":{"items":{"type":"string"}}}}`, `{"properties":{"a":` + anyValue + `,"b":` + anyValue + `,"d":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"properties":{},"type":"object"},{"items":{"type":"string"},"type":"array"}],"description":"D."},"e":{"enum":[1,2],"type":"number"},"f":{"enum":["x"],"type":"string"},"g":{"items":{"type":"string"},"type":"array"}},"type":"object"}`},
		{"types that there are not", `{"type":"object","properties":{"a":{"type":"string[]"},"type":"object"}}`, `{"properties":{"a":` + anyValue + `,"type":` + anyValue + `},"type":"object"}`},
		{"lists", `{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"array","items":[{"type":"string"},{"type":"string"}]},"c":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}}}`, `{"properties":{"a":{"items":{"type":"string"},"type":"array"},"b":{"items":{"type":"string"},"type":"array"},"c":{"items":{"anyOf":[{"type":"string"},{"type":"integer"}]},"type":"array"}},"type":"object"}`},
		{"a map", `{"type":"object","properties":{"env":{"type":"object","additionalProperties":{"type":"string"}},"x":{"type":"object","additionalProperties":{}}}}`, `{"properties":{"env":{"additionalProperties":{"type":"string"},"properties":{},"type":"object"},"x":{"properties":{},"type":"object"}},"type":"object"}`},
		{"names", `{"type":"object","properties":{"file name":{"type":"string"},"a":{"type":"string"}},"required":["file name","a","gone",7],"additionalProperties":false}`, `{"description":"Also takes \"file name\".","properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`},
		{"properties that are none", `{"properties":{"a":{"type":"string"}},"anyOf":[{"properties":"x"}]}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"words", `{"type":"object","properties":{"u":{"type":"string","format":"uri","pattern":"^h","default":"h"},"b":{"type":"boolean","enum":[true]}}}`, `{"properties":{"b":{"type":"boolean"},"u":{"description":"(format uri) (pattern ^h) (default h)","type":"string"}},"type":"object"}`},
	} {
		if got := schema.Plain(test.in); got != test.want {
			t.Errorf("%s: %s\nis not\n%s", test.name, got, test.want)
		}
	}
	for name, in := range map[string]string{
		"deep": `{"type":"object","properties":{"a":` + deep + `}}`,
		"bomb": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + bombs.String() + `"d30":{"type":"string"}}}`,
	} {
		got := schema.Plain(in)
		if len(got) > 500_000 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		plain(t, got)
	}
}

// Whatever a server says, what is made of it is plain, and making it plain again changes
// nothing that matters.
func TestPlainOfAnything(t *testing.T) {
	t.Parallel()
	var value func(t *rapid.T, depth int) string
	value = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{`"string"`, `"object"`, `"array"`, `"null"`, `"a b"`, `""`, `"#/$defs/a"`, `"#"`, `"#/properties/a"`, `"#/anyOf/0"`}).Draw(t, "text")
		case 1:
			return rapid.SampledFrom([]string{"0", "-1", "1.5", "1e300"}).Draw(t, "number")
		case 2:
			return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
		case 3:
			return "{}"
		case 4:
			var list []string
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				list = append(list, value(t, depth-1))
			}
			return "[" + strings.Join(list, ",") + "]"
		}
		var members []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			name := rapid.SampledFrom([]string{"type", "properties", "items", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "required", "additionalProperties", "$defs", "a", "b c", "not", "prefixItems", "default", "description", "minimum"}).Draw(t, "name")
			members = append(members, `"`+name+`":`+value(t, depth-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	rapid.Check(t, func(t *rapid.T) {
		in := value(t, 5)
		out := schema.Plain(in)
		if plain(t, out); t.Failed() {
			t.Logf("of %s", in)
		}
	})
}

type errorer interface {
	Errorf(format string, args ...any)
}

// plain holds a schema against what every provider takes.
func plain(t interface {
	Errorf(format string, args ...any)
}, raw string,
) {
	var top map[string]any
	if err := json.Unmarshal([]byte(raw), &top); err != nil {
		t.Errorf("%v: %s", err, raw)
		return
	}
	if top["type"] != "object" || top["properties"] == nil || top["anyOf"] != nil || top["enum"] != nil {
		t.Errorf("at the top stands %s", raw)
	}
	known := []string{"type", "description", "properties", "required", "items", "enum", "anyOf", "minimum", "maximum", "additionalProperties"}
	var look func(v any)
	look = func(v any) {
		s, ok := v.(map[string]any)
		if !ok {
			t.Errorf("%v stands for a schema in %s", v, raw)
			return
		}
		for name := range s {
			if !slices.Contains(known, name) {
				t.Errorf("%s has %s", raw, name)
			}
		}
		kind, _ := s["type"].(string)
		properties, _ := s["properties"].(map[string]any)
		switch options, _ := s["anyOf"].([]any); {
		case len(options) > 0:
			if kind != "" {
				t.Errorf("options have a type in %s", raw)
			}
			for _, o := range options {
				look(o)
			}
		case !slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, kind):
			t.Errorf("a type %q in %s", kind, raw)
		case kind == "object" && properties == nil, kind == "array" && s["items"] == nil:
			t.Errorf("%s says too little", raw)
		}
		for name, p := range properties {
			if strings.Contains(name, " ") || name == "" {
				t.Errorf("a property %q in %s", name, raw)
			}
			look(p)
		}
		if required, _ := s["required"].([]any); s["required"] != nil {
			for _, name := range required {
				if properties[name.(string)] == nil {
					t.Errorf("%s requires %s", raw, name)
				}
			}
		}
		if s["items"] != nil {
			look(s["items"])
		}
		if more := s["additionalProperties"]; more != nil && more != false {
			look(more)
		}
		if e, ok := s["enum"]; ok {
			if values, _ := e.([]any); len(values) == 0 || kind != "string" && kind != "number" && kind != "integer" {
				t.Errorf("values %v of a %s in %s", e, kind, raw)
			}
		}
	}
	look(top)
	if !jsontext.Value(raw).IsValid() {
		t.Errorf("%s is not JSON", raw)
	}
}
