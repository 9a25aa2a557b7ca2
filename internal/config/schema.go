package config

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of the files, made from the types.
func Schema() (*jsonschema.Schema, error) {
	base, err := defaults()
	if err != nil {
		return nil, err
	}
	types := map[reflect.Type]*jsonschema.Schema{}
	put := func(t reflect.Type, schemas ...*jsonschema.Schema) {
		types[t] = schemas[0]
		if len(schemas) > 1 {
			types[t] = &jsonschema.Schema{AnyOf: schemas}
		}
	}
	text := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }
	pattern := func(p string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: p} }
	number := func(least float64) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: &least}
	}
	zero, one := 0.0, 1.0
	put(reflect.TypeFor[Count](), number(0))
	put(reflect.TypeFor[Positive](), number(1))
	put(reflect.TypeFor[Tokens](), number(1), pattern(`^(off|[0-9.]+ *[tkmTKM]?)$`))
	put(reflect.TypeFor[FitTarget](), number(1), pattern(`^[0-9.]+ *[tkmTKM%]?$`))
	put(reflect.TypeFor[Size](), number(0), pattern(`^[0-9.]+ *([kmgKMG]?[bB])?$`))
	put(reflect.TypeFor[Share](), &jsonschema.Schema{Type: "number", ExclusiveMinimum: &zero, Maximum: &one}, pattern(`^[0-9.]+%?$`))
	put(reflect.TypeFor[Duration](), pattern(`^([0-9.]+(ns|us|µs|ms|s|m|h))+$`))
	put(reflect.TypeFor[Threshold](), text())
	put(reflect.TypeFor[Strategies](), text(), &jsonschema.Schema{Type: "array", Items: text()})
	put(reflect.TypeFor[ModelName](), pattern(`^$|^[^/\s]+/\S+$`))
	put(reflect.TypeFor[URL](), pattern(`^https?://[^/@?#]+(/[^?#]*)?$`))
	put(reflect.TypeFor[EnvName](), pattern(envName().String()))
	for _, t := range []reflect.Type{
		reflect.TypeFor[PolicyName](), reflect.TypeFor[ToolPolicyName](), reflect.TypeFor[TurnsName](),
		reflect.TypeFor[SummaryName](), reflect.TypeFor[Placement](), reflect.TypeFor[Fallback](),
		reflect.TypeFor[API](), reflect.TypeFor[Request](), reflect.TypeFor[Response](),
	} {
		put(t, words(t))
	}
	put(reflect.TypeFor[[]string](), &jsonschema.Schema{Type: "array", Items: text()})
	put(reflect.TypeFor[bool](), &jsonschema.Schema{Type: "boolean"})
	put(reflect.TypeFor[*bool](), &jsonschema.Schema{Type: "boolean"})
	for _, t := range []reflect.Type{
		reflect.TypeFor[Policy](), reflect.TypeFor[ToolCalls](), reflect.TypeFor[Turns](), reflect.TypeFor[Summary](),
	} {
		table, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
		if err != nil {
			return nil, err
		}
		policy, _ := t.FieldByName("Policy")
		put(t, words(policy.Type), table)
	}
	s, err := jsonschema.For[Config](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, err
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Tenfold's configuration"
	return s, complete(s, configType, base)
}

// words is the schema of a type that is one of a few words.
func words(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, word := range reflect.Zero(t).Interface().(choice).choices() {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// complete adds the defaults, and what is deprecated.
func complete(s *jsonschema.Schema, t reflect.Type, base *node) error {
	if t.Kind() == reflect.Map {
		return complete(s.AdditionalProperties, t.Elem(), nil)
	}
	if t.Kind() != reflect.Struct || s.Properties == nil {
		return nil
	}
	for _, f := range fields(t) {
		inner := s.Properties[f.name]
		inner.Deprecated = f.deprecated != ""
		inner.Description = f.doc
		var below *node
		if base != nil && base.table != nil {
			below = base.table[f.name]
		}
		if below != nil && below.table == nil {
			text, err := json.Marshal(below.value)
			if err != nil {
				return err
			}
			inner.Default = text
		}
		if err := complete(inner, f.typ, below); err != nil {
			return err
		}
	}
	return nil
}
