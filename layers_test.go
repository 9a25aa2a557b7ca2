package tenfold_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers is the house of ARCHITECTURE.md, lowest first. A package
// imports only what is in a lower layer; a sub-package may also import the
// package it belongs to, and its siblings under internal.
var layers = [][]string{
	{"atom", "internal/outfile", "internal/commandline", "internal/fitnames", "internal/graceful", "internal/jsonedit", "internal/number", "internal/pair", "internal/pause", "internal/rawjson", "internal/runes", "internal/set", "internal/shield", "problem"},
	{"."},
	{"internal/telemetry"},
	{"containment", "token", "tool", "cause", "purpose", "body", "internal/record", "internal/sse", "store/vault"},
	{"client", "store", "provider", "transcript", "toolbox", "trigger", "excerpt", "internal/takeover", "internal/redact"},
	{"provider/answer", "permission"},
	{"strategy", "provider/catalog", "internal/proxy/wire"},
	{"summary/check"},
	{"summary"},
	{"session", "internal/config"},
	{"fleet"},
	{"internal/live", "internal/listing"},
	{"eval/replay"},
	{"agent", "eval", "internal/recall", "internal/cli/terminal", "internal/cli/picture"},
	{"internal/hook", "internal/proxy", "internal/eventlog"},
	{"internal/proxy/keeper"},
	{"internal/hook/opencode"},
	{"internal/report"},
	{"internal/htmlexport", "internal/chat", "internal/acp"},
	{"internal/web/page/build/library", "internal/web/page/build/typescript"},
	{"internal/web/shape"},
	{"internal/web/door", "internal/web/look", "internal/web/talk"},
	{"internal/web/held"},
	{"internal/web", "internal/web/page"},
	{"internal/cli/command"},
	{"internal/cli/display"},
	{"internal/cli/transcripts", "internal/cli/observe"},
	{"internal/cli/compaction", "internal/cli/config"},
	{"internal/cli/conversation", "internal/cli/lab"},
	{"internal/cli/query"},
	{"internal/cli/serve", "internal/cli/live"},
	{"internal/cli"},
	{"cmd", "examples"},
}

// forTests are packages that only tests may import.
var forTests = []string{"internal/corpustest", "internal/logtest", "internal/seed", "internal/web/browser", "internal/web/webtest", "provider/providertest", "store/postgres/pgtest", "store/storetest", "test/clients", "test/modelserver", "test/targets"}

// layerOf gives the layer of the room that names the directory best.
func layerOf(dir string) int {
	layer, best := -1, ""
	for i, rooms := range layers {
		for _, room := range rooms {
			if dir == room || (room != "." && len(room) > len(best) && strings.HasPrefix(dir, room+"/")) {
				layer, best = i, room
			}
		}
	}
	return layer
}

// imports lists what the package files of each directory import; tests aside.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || (strings.HasPrefix(d.Name(), ".") && name != ".")):
			return filepath.SkipDir
		case d.IsDir() && name != "." && isModule(name):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		for _, spec := range file.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			all[dir] = append(all[dir], p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 5 {
		t.Fatalf("found only %d packages", len(all))
	}
	return all
}

func isModule(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return len(found) > 0
}

func TestPackagesImportOnlyWhatStandsBelow(t *testing.T) {
	for dir, paths := range imports(t) {
		if slices.Contains(forTests, dir) {
			continue
		}
		from := layerOf(dir)
		if from < 0 {
			t.Errorf("%s is in no layer: add it to layers and to ARCHITECTURE.md", dir)
			continue
		}
		for _, p := range paths {
			if p != "tenfold" && !strings.HasPrefix(p, "tenfold/") {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(p, "tenfold"), "/")
			if to == "" {
				to = "."
			}
			if slices.Contains(forTests, to) {
				t.Errorf("%s imports %s, which is for tests", dir, to)
			}
			family := strings.HasPrefix(dir, to+"/") || strings.HasPrefix(to, room(dir)+"/internal")
			if layerOf(to) >= from && !family {
				t.Errorf("%s (layer %d) imports %s (layer %d)", dir, from, to, layerOf(to))
			}
		}
	}
}

// A package that people import shows with an example how it is begun with.
func TestEveryPublicPackageHasAnExample(t *testing.T) {
	for dir := range imports(t) {
		words := strings.Split(dir, "/")
		if slices.Contains(forTests, dir) || slices.ContainsFunc(words, func(word string) bool {
			return slices.Contains([]string{"internal", "cmd", "examples", "test", "gen", "bench"}, word)
		}) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(name string) bool {
			text, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(text), "\nfunc Example")
		}) {
			t.Errorf("package %s has no example", dir)
		}
	}
}

// room is the top folder a package stands in.
func room(dir string) string {
	top, _, _ := strings.Cut(dir, "/")
	return top
}

// The root package is pure: the standard library and the JSON package, and
// nothing that reads files, the network or the environment.
func TestRootImportsNothingThatActs(t *testing.T) {
	for _, p := range imports(t)["."] {
		first, _, _ := strings.Cut(p, "/")
		standard := !strings.Contains(first, ".")
		if !standard && !strings.HasPrefix(p, "github.com/go-json-experiment/json") {
			t.Errorf("the root package imports %s", p)
		}
		switch path.Clean(p) {
		case "os", "net", "net/http", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2", "sync", "syscall":
			t.Errorf("the root package imports %s", p)
		}
	}
}
