package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Every key is read by something, unless it is deprecated: then it
// must not be, or the tag is out of date.
func TestEveryKeyIsRead(t *testing.T) {
	read := fieldsRead(t)
	seen := map[reflect.Type]bool{}
	var check func(typ reflect.Type, above string)
	check = func(typ reflect.Type, above string) {
		if typ.Kind() == reflect.Map {
			typ, above = typ.Elem(), above+"NAME."
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for _, f := range fields(typ) {
			is := read[typ.Name()+"."+typ.Field(f.index).Name]
			if want := f.deprecated == ""; is != want {
				t.Errorf("%s%s: read %v, want %v", above, f.name, is, want)
			}
			check(f.typ, above+f.name+".")
		}
	}
	check(configType, "")
	if len(seen) < 10 {
		t.Errorf("looked at %d tables only", len(seen))
	}
}

// fieldsRead finds the fields of this package's types that any package reads, as
// TYPE.FIELD. It checks the types of the whole module; all else that is imported is
// unknown to it, and the errors that causes do not matter.
func fieldsRead(t *testing.T) map[string]bool {
	t.Helper()
	const root, module = "../..", "tenfold/"
	read := map[string]bool{}
	files := token.NewFileSet()
	packages := map[string]*types.Package{}
	var checkPackage importing
	checkPackage = func(name string) (*types.Package, error) {
		if p := packages[name]; p != nil {
			return p, nil
		}
		dir, ours := strings.CutPrefix(name, module)
		if !ours {
			p := types.NewPackage(name, path.Base(name))
			p.MarkComplete()
			packages[name] = p
			return p, nil
		}
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		var parsed []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			parsed = append(parsed, f)
		}
		info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
		conf := types.Config{Error: func(error) {}, Importer: checkPackage}
		checked, _ := conf.Check(name, files, parsed, info)
		packages[name] = checked
		written := assigned(parsed)
		for at, s := range info.Selections {
			if s.Kind() != types.FieldVal || s.Obj().Pkg() == nil || s.Obj().Pkg().Path() != module+"internal/config" || written[at] {
				continue
			}
			from := s.Recv()
			if p, ok := from.Underlying().(*types.Pointer); ok {
				from = p.Elem()
			}
			// A field may be reached through an embedded one.
			for _, i := range s.Index() {
				table, ok := from.Underlying().(*types.Struct)
				if !ok {
					break
				}
				if named, ok := from.(*types.Named); ok {
					read[named.Obj().Name()+"."+table.Field(i).Name()] = true
				}
				from = table.Field(i).Type()
			}
		}
		return checked, nil
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		dir, err := filepath.Rel(root, name)
		if err != nil || dir == "." {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		_, err = checkPackage(module + filepath.ToSlash(dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// assigned are the selectors that are only written to.
func assigned(parsed []*ast.File) map[*ast.SelectorExpr]bool {
	all := map[*ast.SelectorExpr]bool{}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
				for _, left := range a.Lhs {
					if s, ok := left.(*ast.SelectorExpr); ok {
						all[s] = true
					}
				}
			}
			return true
		})
	}
	return all
}

type importing func(string) (*types.Package, error)

func (f importing) Import(name string) (*types.Package, error) { return f(name) }
