// Package webtest asks a server of "tenfold serve" whatever its OpenAPI document says
// can be asked: tests walk all operations with it, and none is forgotten when one is
// added.
//
// Only tests import it.
package webtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// An Operation is one of the document.
type Operation struct {
	ID, Method, Path string
	Parameters       []Parameter
	// Body is nil where there is none; BodyType is its media type.
	Body     *Schema
	BodyType string
	// Streams is set where the answer may have no end: server-sent events.
	Streams bool
	// Scopes are those that a token needs, by the document.
	Scopes []string
}

func (o *Operation) String() string { return o.Method + " " + o.Path }

// A Parameter is one of an operation: In is path, query or header.
type Parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Schema   Schema `json:"schema"`
}

// A Schema is what values look like, as far as it takes to make some.
type Schema struct {
	Ref        string             `json:"$ref"`
	Types      types              `json:"type"`
	Format     string             `json:"format"`
	Enum       []json.RawMessage  `json:"enum"`
	Properties map[string]*Schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *Schema            `json:"items"`
	OneOf      []*Schema          `json:"oneOf"`
	AnyOf      []*Schema          `json:"anyOf"`
	AllOf      []*Schema          `json:"allOf"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  int                `json:"minLength"`
	MinItems   int                `json:"minItems"`

	all map[string]*Schema
}

// types are one or several.
type types []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *types) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(t))
	}
	*t = make([]string, 1)
	return json.Unmarshal(data, &(*t)[0])
}

// content is what a body is made of, by media type.
type content map[string]struct {
	Schema Schema `json:"schema"`
}

// Operations reads the document: all operations, by path and method.
func Operations(document []byte) ([]*Operation, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string      `json:"operationId"`
			Parameters  []Parameter `json:"parameters"`
			RequestBody *struct {
				Content content `json:"content"`
			} `json:"requestBody"`
			Responses map[string]struct {
				Content content `json:"content"`
			} `json:"responses"`
			Security []map[string][]string `json:"security"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]*Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	var all []*Operation
	for _, s := range doc.Components.Schemas {
		s.knows(doc.Components.Schemas)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			o := &Operation{ID: op.OperationID, Method: strings.ToUpper(method), Path: path, Parameters: op.Parameters}
			for i := range o.Parameters {
				o.Parameters[i].Schema.knows(doc.Components.Schemas)
			}
			if op.RequestBody != nil {
				for kind, c := range op.RequestBody.Content {
					o.Body, o.BodyType = &c.Schema, kind
					o.Body.knows(doc.Components.Schemas)
				}
			}
			for _, r := range op.Responses {
				_, streams := r.Content["text/event-stream"]
				o.Streams = o.Streams || streams
			}
			for _, s := range op.Security {
				for _, scopes := range s {
					o.Scopes = append(o.Scopes, scopes...)
				}
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(x, y *Operation) int { return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Method, y.Method)) })
	return all, nil
}

// knows gives a schema, and what it is made of, those that it may refer to.
func (s *Schema) knows(all map[string]*Schema) {
	if s == nil || s.all != nil {
		return
	}
	s.all = all
	s.Items.knows(all)
	for _, p := range s.Properties {
		p.knows(all)
	}
	for _, of := range [][]*Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, one := range of {
			one.knows(all)
		}
	}
}

// resolved follows a reference.
func (s *Schema) resolved() *Schema {
	for s.Ref != "" {
		to := s.all[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
		if to == nil {
			return &Schema{}
		}
		s = to
	}
	return s
}

// TextMembers are the members of an object that take a text, or a list of them.
func (s *Schema) TextMembers() (all []string) {
	s = s.resolved()
	for _, of := range s.AllOf {
		all = append(all, of.TextMembers()...)
	}
	for _, name := range s.Members() {
		of := s.Properties[name].resolved()
		if of.is("string") || of.is("array") && of.Items != nil && of.Items.resolved().is("string") {
			all = append(all, name)
		}
	}
	return all
}
