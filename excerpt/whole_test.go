package excerpt_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A choice is made of whole numbers: no floating point in atoms or excerpts,
// whose sums are not the same on every processor.
func TestWholeNumbersAlone(t *testing.T) {
	files := 0
	for _, dir := range []string{".", "../atom"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			files++
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if n.Kind == token.FLOAT || n.Value == `"math"` {
						t.Errorf("%s has %s", path, n.Value)
					}
				case *ast.Ident:
					if strings.HasPrefix(n.Name, "float") || strings.HasPrefix(n.Name, "complex") {
						t.Errorf("%s has %s", path, n.Name)
					}
				}
				return true
			})
		}
	}
	if files < 10 {
		t.Errorf("only %d files were read", files)
	}
}
