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
	types := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[*bool](): {Type: "boolean"}}
	for t, r := range rules() {
		types[t] = r.schema(t)
	}
	s, err := jsonschema.For[Config](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, err
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Tenfold's configuration"
	return s, complete(s, configType, base)
}

// schema describes the values that a rule reads.
func (r rule) schema(t reflect.Type) *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	var forms []*jsonschema.Schema
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Slice:
		forms = append(forms, &jsonschema.Schema{Type: "array", Items: text})
	case reflect.Float64:
		if t != reflect.TypeFor[Share]() {
			return &jsonschema.Schema{Type: "number", Minimum: r.least}
		}
		over, most := 0.0, 1.0
		forms = append(forms, &jsonschema.Schema{Type: "number", ExclusiveMinimum: &over, Maximum: &most})
	}
	if r.least != nil {
		forms = append(forms, &jsonschema.Schema{Type: "integer", Minimum: r.least})
	}
	switch r.pattern {
	case "":
	case anyText:
		forms = append(forms, text)
	default:
		forms = append(forms, &jsonschema.Schema{Type: "string", Pattern: r.pattern})
	}
	return anyOf(forms...)
}

func anyOf(forms ...*jsonschema.Schema) *jsonschema.Schema {
	if len(forms) == 1 {
		return forms[0]
	}
	return &jsonschema.Schema{AnyOf: forms}
}

// complete adds what only the tags and the defaults know: words, the short form of
// a table, default values, and what is deprecated.
func complete(s *jsonschema.Schema, t reflect.Type, base *node) error {
	if t.Kind() == reflect.Map {
		return complete(s.AdditionalProperties, t.Elem(), nil)
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fields(t) {
		inner := s.Properties[f.name]
		if err := complete(inner, f.typ, base.at([]string{f.name})); err != nil {
			return err
		}
		if policy, short := f.policy(); short {
			inner = anyOf(words(policy), inner)
		} else if len(f.words) > 0 {
			inner = words(f)
		}
		inner.Description, inner.Deprecated = f.doc, f.deprecated != ""
		if below := base.at([]string{f.name}); below != nil && below.table == nil {
			text, err := json.Marshal(below.value)
			if err != nil {
				return err
			}
			inner.Default = text
		}
		s.Properties[f.name] = inner
	}
	return nil
}

func words(f field) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, word := range f.words {
		s.Enum = append(s.Enum, word)
	}
	return s
}
