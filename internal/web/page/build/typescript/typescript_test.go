package typescript_test

import (
	"strings"
	"testing"

	"tenfold/internal/web/page/build/typescript"
)

func TestOf(t *testing.T) {
	t.Parallel()
	got, err := typescript.Of([]byte(`{
		"paths": {"/api/loaves/{id}": {
			"get": {"summary": "One loaf */", "parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}, {"name": "crust", "in": "query", "schema": {"type": "boolean"}}],
				"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Loaf"}}}}, "default": {"content": {"application/problem+json": {}}}}},
			"delete": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Why"}}}}, "responses": {"204": {}}}}},
		"components": {"schemas": {"Loaf": {"description": "A loaf.", "required": ["id", "marks"], "properties": {
			"$schema": {"type": "string"}, "id": {"type": "string", "description": "its\n name"}, "cur": {"type": ["number", "null"]},
			"marks": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}}},
			"state": {"enum": ["raw", "baked"]}, "any": {}, "of": {"type": "array", "items": {"type": ["string", "null"]}}, "cache-read": {"type": "object"}}}}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `
/** A loaf. */
export interface Loaf {
  any?: unknown;
  "cache-read"?: Record<string, unknown>;
  cur?: number | null;
  /** its name */
  id: string;
  marks: [number, number][];
  of?: (string | null)[];
  state?: "raw" | "baked";
}

// What each operation takes and gives.
export interface Ops {
  "DELETE /api/loaves/{id}": { path: {}; query: {}; body: Why; out: undefined };
  /** One loaf * / */
  "GET /api/loaves/{id}": { path: {id: string}; query: {crust?: boolean}; body: undefined; out: Loaf };
}
`
	if _, after, _ := strings.Cut(string(got), "\n"); after != want {
		t.Errorf("it is\n%s\nwant\n%s", after, want)
	}
	if _, err := typescript.Of([]byte(`{"paths": 7}`)); err == nil {
		t.Error("what is not a document gives no error")
	}
}
