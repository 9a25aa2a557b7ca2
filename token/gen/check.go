package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"tenfold/token"
	"tenfold/token/internal/sample"
)

// compare counts texts with both and prints how many there were and which
// differ: every code point in several surroundings, strings that are not in
// the fixture, and the files below root with every string inside them.
func compare(dir, root string) error {
	var points []string
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			c := string(r)
			points = append(points, "a"+c+"b", c, "A"+c+"B"+c+" "+c+"1"+c+c+"'s!"+c)
		}
	}
	if err := compareTexts(dir, "code points", points); err != nil {
		return err
	}
	if err := compareTexts(dir, "samples", sample.Strings(7, 200_000)); err != nil {
		return err
	}
	seen := make(map[string]bool)
	var files, texts []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, strings.ToValidUTF8(string(data), "\uFFFD"))
		for dec := json.NewDecoder(bytes.NewReader(data)); ; {
			var v any
			if dec.Decode(&v) != nil {
				break // the rest is no JSON
			}
			texts = collect(texts, seen, v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := compareTexts(dir, "strings in files", texts); err != nil {
		return err
	}
	return compareTexts(dir, "files", files)
}

// collect appends the strings of a decoded JSON value, each once.
func collect(texts []string, seen map[string]bool, v any) []string {
	switch v := v.(type) {
	case string:
		if !seen[v] {
			seen[v] = true
			texts = append(texts, v)
		}
	case []any:
		for _, e := range v {
			texts = collect(texts, seen, e)
		}
	case map[string]any:
		for _, e := range v {
			texts = collect(texts, seen, e)
		}
	}
	return texts
}

func compareTexts(dir, what string, texts []string) error {
	encodings := []*token.Encoding{token.O200k(), token.Cl100k()}
	var size, failed, wrong int
	for len(texts) > 0 {
		// A batch is what node may hold as one string.
		n, batch := 0, 0
		for n < len(texts) && batch < 32<<20 {
			batch += len(texts[n])
			n++
		}
		counts, err := referenceCounts(dir, texts[:n])
		if err != nil {
			return err
		}
		for i, want := range counts {
			for k, e := range encodings {
				got := e.Count(texts[i])
				switch {
				case want[k] < 0:
					failed++
				case got != want[k]:
					wrong++
					if wrong <= 20 {
						fmt.Printf("%s: %d, reference %d: %.120q\n", e.Name(), got, want[k], texts[i])
					}
				}
			}
		}
		size += batch
		texts = texts[n:]
		fmt.Printf("%s: %d bytes, %d differ, reference failed on %d\n", what, size, wrong, failed)
	}
	return nil
}
