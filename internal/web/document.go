package web

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
	"tenfold/internal/web/door"
	"tenfold/internal/web/shape"
)

// apiConfig is how huma speaks: OpenAPI 3.1 at /api/openapi.json and .yaml, no page
// of documentation (it would load scripts from elsewhere), no links to schemas.
func apiConfig() huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[jsontext.Value](), reflect.TypeFor[any]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Tenfold", Version: "1",
				Description: "Conversations of LLM agents, what compactions did to them, and what that cost. Every operation does the same as its command.",
			},
			Components: &huma.Components{Schemas: registry},
		},
		OpenAPIPath:   "/api/openapi",
		Formats:       map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{shape.AsProblem},
	}
}

// A member whose name has another case is read as none of ours, and must be refused as
// one.
func init() { huma.ValidateStrictCasing = true } //nolint:gochecknoinits // huma has it for the process

// jsonFormat writes empty lists as [] and text that is not UTF-8 with U+FFFD. What is
// JSON already, as the arguments of a call, stays as it is.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		return json.MarshalWrite(w, v, rawjson.Verbatim, json.Deterministic(true))
	},
	Unmarshal: func(data []byte, v any) error {
		if err := json.Unmarshal(data, v); err != nil {
			return errors.New(rawjson.Words(err)) // it is for whoever sent the body
		}
		return nil
	},
}

// answer is the body of a response.
type answer[T any] struct{ Body T }

// list is what has no order to page through.
type list[T any] struct {
	Items []T `json:"items"`
}

// operation says what one is called: name as the client's method, path below
// /api.
func operation(method, name, path, summary string) huma.Operation {
	return huma.Operation{OperationID: name, Method: method, Path: "/api" + path, Summary: summary}
}

// declare adds an operation. Errors of f come out as problems.
func declare[I, T any](s *Server, op huma.Operation, f func(context.Context, *I) (T, error)) {
	huma.Register(s.api, withProblems(s, op), func(ctx context.Context, in *I) (*answer[T], error) {
		out, err := f(ctx, in)
		if err != nil {
			return nil, door.Noted(ctx, err)
		}
		return &answer[T]{out}, nil
	})
}

// declareEmpty adds an operation that answers nothing: 204, or 202 where it goes on.
func declareEmpty[I any](s *Server, op huma.Operation, f func(context.Context, *I) error) {
	op.DefaultStatus = cmp.Or(op.DefaultStatus, http.StatusNoContent)
	huma.Register(s.api, withProblems(s, op), func(ctx context.Context, in *I) (*struct{}, error) {
		if err := f(ctx, in); err != nil {
			return nil, door.Noted(ctx, err)
		}
		return nil, nil
	})
}

// withProblems says in the document that errors are problems.
func withProblems(s *Server, op huma.Operation) huma.Operation {
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[shape.Problem](), true, "Problem")
	status := strconv.Itoa(cmp.Or(op.DefaultStatus, http.StatusOK))
	op.Responses = map[string]*huma.Response{
		status:    {Description: op.Summary},
		"default": {Description: "What went wrong, and what to try", Content: map[string]*huma.MediaType{shape.ProblemType: {Schema: schema}}},
	}
	return op
}

// finishDocument makes the document say what is true of our JSON: lists are never
// null. Errors of huma's own form are never sent ([shape.AsProblem]).
func finishDocument(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	for _, s := range schemas {
		neverNull(s)
	}
	describeStore(doc)
	secure(doc)
}

func neverNull(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Type == huma.TypeArray {
		s.Nullable = false
	}
	neverNull(s.Items)
	for _, p := range s.Properties {
		neverNull(p)
	}
}

// jsonOf writes a document with its members in order, so that it changes with the
// API alone.
func jsonOf(doc *huma.OpenAPI) ([]byte, error) {
	text, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(text)
	if err := value.Canonicalize(); err != nil {
		return nil, err
	}
	err = value.Indent(jsontext.WithIndent("  "))
	return append(value, '\n'), err
}
