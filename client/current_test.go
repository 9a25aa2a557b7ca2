package client_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"tenfold/client"
)

// What is generated has the operations of the document, with their parameters, and the
// members of its schemas.
func TestWhatIsGeneratedIsCurrent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../internal/web/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string   `json:"operationId"`
			Summary     string   `json:"summary"`
			Tags        []string `json:"tags"`
			Parameters  []struct{ Name, In string }
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	generated, err := os.ReadFile("client.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "client.gen.go", generated, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	members, methods := map[string]bool{}, 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			s, ok := n.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, f := range s.Fields.List {
				tag, _ := strconv.Unquote(f.Tag.Value)
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				members[n.Name.Name+" "+name] = true
			}
		case *ast.FuncDecl:
			methods++
		}
		return true
	})
	for schema, s := range doc.Components.Schemas {
		if schema == "LogEntry" || schema == "PlannedCompaction" { // written by hand
			continue
		}
		name := strings.ReplaceAll(schema, "-", "")
		for property := range s.Properties {
			if property != "$schema" && !members[name+" "+property] {
				t.Errorf("%s has no %s: go generate ./client", name, property)
			}
		}
	}
	operations := 0
	for _, path := range doc.Paths {
		for _, op := range path {
			if len(op.Tags) > 0 { // the store: package store/remote
				continue
			}
			operations++
			name := ""
			for word := range strings.SplitSeq(op.OperationID, "-") {
				name += strings.ToUpper(word[:1]) + word[1:]
			}
			if _, ok := reflect.TypeFor[*client.Client]().MethodByName(name); !ok || !strings.Contains(string(generated), "// "+name+": "+op.Summary+".") {
				t.Errorf("no method %s, %q: go generate ./client", name, op.Summary)
			}
			for _, p := range op.Parameters {
				if p.In != "path" && !members[name+"Params "+p.Name] {
					t.Errorf("%s has no parameter %s: go generate ./client", name, p.Name)
				}
			}
		}
	}
	if methods != operations {
		t.Errorf("%d methods for %d operations: go generate ./client", methods, operations)
	}
}
