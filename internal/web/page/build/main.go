// Command build makes page/dist of page/src with esbuild, and page/src/api.ts of the
// OpenAPI document. It runs in internal/web/page, without a network and without Node:
//
//	go run ./build              make dist
//	go run ./build -check       fail if dist is not what the sources make
//	go run ./build -vendor DIR  take the libraries from the tarballs in DIR, as
//	                            "npm pack NAME@VERSION" leaves them, verified
//	                            against vendor/lock.json
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"tenfold/internal/web/page"
	"tenfold/internal/web/page/build/library"
	"tenfold/internal/web/page/build/typescript"
)

func main() {
	check := flag.Bool("check", false, "fail if dist is not current; write nothing")
	tarballs := flag.String("vendor", "", "take the libraries from the tarballs in this directory")
	flag.Parse()
	if err := run(*check, *tarballs); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(check bool, tarballs string) error {
	if tarballs != "" {
		return library.Unpack(tarballs, "vendor")
	}
	document, err := os.ReadFile("../openapi.json")
	if err != nil {
		return err
	}
	client, err := typescript.Of(document)
	if err != nil {
		return err
	}
	if err := put("src/api.ts", client, check); err != nil {
		return err
	}
	pure, err := pureOf()
	if err != nil {
		return err
	}
	if err := put("testdata/pure.js", pure, check); err != nil {
		return err
	}
	files, err := bundle()
	if err != nil {
		return err
	}
	return replace("dist", files, check)
}

// put writes the file where its content is another; with check that is an error.
func put(name string, content []byte, check bool) error {
	have, err := os.ReadFile(name)
	switch {
	case err == nil && bytes.Equal(have, content):
		return nil
	case check:
		return fmt.Errorf("%s is not current: run go generate ./internal/web/page", name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // files of the repository
		return err
	}
	return os.WriteFile(name, content, 0o644) //nolint:gosec // as above
}

// replace makes dir hold the files, and nothing else; with check that it does not is
// an error.
func replace(dir string, files map[string][]byte, check bool) error {
	if !check {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := put(filepath.Join(dir, name), content, check); err != nil {
			return err
		}
	}
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && files[name] == nil {
			err = fmt.Errorf("%s/%s is not made by the sources: run go generate ./internal/web/page", dir, name)
		}
		return err
	})
}

// base is what all that is bundled has in common.
func base(here string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:    here,
		Bundle:           true,
		Target:           api.ES2022,
		MinifyWhitespace: true,
		LegalComments:    api.LegalCommentsNone, // dist/licences.txt has them whole
		JSX:              api.JSXAutomatic,
		JSXImportSource:  "preact",
		NodePaths:        []string{filepath.Join(here, "vendor")},
		TsconfigRaw:      "{}",
		LogLevel:         api.LogLevelSilent,
	}
}

func errorOf(made api.BuildResult) error {
	if len(made.Errors) == 0 {
		return nil
	}
	return errors.New(strings.Join(api.FormatMessages(made.Errors, api.FormatMessagesOptions{}), ""))
}

// pureOf gives the script that defines "pure", what src/pure.ts exports, for tests.
func pureOf() ([]byte, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	options := base(here)
	options.EntryPoints = []string{"src/pure.ts"}
	options.Format = api.FormatIIFE
	options.GlobalName = "pure"
	made := api.Build(options)
	if err := errorOf(made); err != nil {
		return nil, err
	}
	return made.OutputFiles[0].Contents, nil
}

// bundle gives the files of dist by name.
func bundle() (map[string][]byte, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	options := base(here)
	options.EntryPoints = []string{"src/main.tsx", "src/theme.ts"}
	options.Outdir = "dist"
	options.EntryNames = "assets/[name]-[hash]"
	options.ChunkNames = "assets/[name]-[hash]"
	options.Splitting = true
	options.Format = api.FormatESModule
	options.MinifyIdentifiers = true
	options.MinifySyntax = true
	options.Metafile = true
	made := api.Build(options)
	if err := errorOf(made); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range made.OutputFiles {
		name, err := filepath.Rel(filepath.Join(here, "dist"), f.Path)
		if err != nil {
			return nil, err
		}
		files[filepath.ToSlash(name)] = f.Contents
	}
	index, err := indexOf(made.Metafile)
	if err != nil {
		return nil, err
	}
	files["index.html"] = index
	if files["licences.txt"], err = library.Licences("vendor"); err != nil {
		return nil, err
	}
	digest, err := page.Digest(os.DirFS("."))
	if err != nil {
		return nil, err
	}
	files["built.json"] = fmt.Appendf(nil, "{\"sources\": %q}\n", digest)
	return files, nil
}

// indexOf puts the names of what was built into src/index.html.
func indexOf(meta string) ([]byte, error) {
	var built struct {
		Outputs map[string]struct {
			EntryPoint string `json:"entryPoint"`
			CSSBundle  string `json:"cssBundle"`
			Imports    []struct {
				Path string `json:"path"`
				Kind string `json:"kind"`
			} `json:"imports"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(meta), &built); err != nil {
		return nil, err
	}
	text, err := os.ReadFile("src/index.html")
	if err != nil {
		return nil, err
	}
	asset := func(name string) string { return strings.TrimPrefix(name, "dist") }
	var ahead []string
	for name, out := range built.Outputs {
		switch out.EntryPoint {
		case "src/main.tsx":
			text = bytes.ReplaceAll(text, []byte("/main.js"), []byte(asset(name)))
			text = bytes.ReplaceAll(text, []byte("/main.css"), []byte(asset(out.CSSBundle)))
			for _, i := range out.Imports {
				if i.Kind == "import-statement" {
					ahead = append(ahead, `<link rel="modulepreload" href="`+asset(i.Path)+`">`)
				}
			}
		case "src/theme.ts":
			text = bytes.ReplaceAll(text, []byte("/theme.js"), []byte(asset(name)))
		}
	}
	slices.Sort(ahead)
	return bytes.ReplaceAll(text, []byte("<!-- preload -->"), []byte(strings.Join(ahead, "\n"))), nil
}
