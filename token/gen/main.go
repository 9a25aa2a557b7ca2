// Command gen rebuilds the committed data of package token from the npm
// package tiktoken, which is the reference the package is exact against:
//
//	npm install --prefix DIR tiktoken@1.0.22
//	go run ./gen -tiktoken DIR/node_modules/tiktoken
//
// from the directory of package token, with node on the PATH. It writes
//
//   - data/*.vocab, the vocabularies as merges (see vocab.go),
//   - data/classes.bin, the character classes of the reference's own regular
//     expressions, asked of every code point (see classes.go),
//   - testdata/counts.txt, what the reference counts for the strings of
//     internal/sample (see counts.go).
//
// With -check DIR nothing is written: every code point on its own and every
// file below DIR are counted by both and the differences are printed (see
// check.go).
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("tiktoken", "", "directory of the npm package tiktoken")
	check := flag.String("check", "", "compare with the reference on the files below this directory instead of writing")
	flag.Parse()
	if err := run(*dir, *check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir, check string) error {
	if dir == "" {
		return fmt.Errorf("-tiktoken is missing: name the directory of the npm package")
	}
	if check != "" {
		return compare(dir, check)
	}
	for _, name := range []string{"o200k_base", "cl100k_base"} {
		if err := writeVocab(dir, name); err != nil {
			return fmt.Errorf("vocabulary %s: %w", name, err)
		}
	}
	if err := writeClasses(dir); err != nil {
		return fmt.Errorf("classes: %w", err)
	}
	return writeCounts(dir)
}
