package telemetry

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// literals gives the texts in quotes of a file, and what it imports.
func literals(t *testing.T, path string) (texts, imports []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			name, _ := strconv.Unquote(n.Path.Value)
			imports = append(imports, name)
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, _ := strconv.Unquote(n.Value)
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts, imports
}

// Every name is written in names.go alone, the API of OpenTelemetry is used in this
// package alone, and its SDK in package export alone.
func TestNamesAreInOneFile(t *testing.T) {
	own, _ := literals(t, "names.go")
	names := slices.DeleteFunc(own, func(s string) bool { return !strings.Contains(s, ".") })
	if len(names) < 40 {
		t.Fatalf("found only %d names", len(names))
	}
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") && path != root):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		files++
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		texts, imports := literals(t, path)
		for _, text := range texts {
			if slices.Contains(names, text) && (dir != "internal/telemetry" || base != "names.go") || strings.HasPrefix(text, "gen_ai.") && dir != "internal/telemetry" {
				t.Errorf("%s spells %q: use package telemetry", path, text)
			}
		}
		for _, name := range imports {
			sdk := strings.HasPrefix(name, "github.com/prometheus/") || strings.HasPrefix(name, "go.opentelemetry.io/otel/sdk") || strings.HasPrefix(name, "go.opentelemetry.io/otel/exporters")
			if strings.HasPrefix(name, "go.opentelemetry.io/") && !strings.HasPrefix(dir, "internal/telemetry") || sdk && dir != "internal/telemetry/export" {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil || files < 300 {
		t.Fatal(files, err)
	}
}
