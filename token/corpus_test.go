package token_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/token"
)

// corpusTexts returns what people, models and tools wrote in the transcripts,
// each text once, up to about so many bytes.
func corpusTexts(tb testing.TB, root string, limit int) []string {
	var texts []string
	seen := make(map[string]bool)
	add := func(text string) {
		// Without spaces it is an identifier, or a picture or signature in
		// base64, which no model is sent as text.
		if len(text) >= 40 && strings.Count(text, " ")*40 > len(text) && !seen[text] && limit > 0 {
			seen[text] = true
			texts = append(texts, text)
			limit -= len(text)
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || limit <= 0 || filepath.Ext(path) == ".md" {
			return err
		}
		// A share of each file, so that every source has a part.
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		share := len(texts) + 40
		for dec := json.NewDecoder(bytes.NewReader(data)); len(texts) < share; {
			var v any
			if dec.Decode(&v) != nil {
				break // the rest is no JSON
			}
			eachString(v, add)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return texts
}

func eachString(v any, yield func(string)) {
	switch v := v.(type) {
	case string:
		yield(v)
	case []any:
		for _, e := range v {
			eachString(e, yield)
		}
	case map[string]any:
		for _, e := range v {
			eachString(e, yield)
		}
	}
}

// Semantics T1 on real transcripts: every way of counting agrees, and cutting
// a text where a line begins changes the count by little.
func TestT1Corpus(t *testing.T) {
	root := corpustest.Dir()
	if root == "" {
		t.Skip("no shared/corpus above this directory")
	}
	limit := 8 << 20
	if testing.Short() || corpustest.UnderRace {
		limit = 1 << 20
	}
	texts := corpusTexts(t, root, limit)
	var size, total, inParts int
	for _, text := range texts {
		for _, e := range encodings() {
			checkText(t, e, text)
		}
		size += len(text)
		total += token.O200k().Count(text)
		for line := range strings.Lines(text) {
			inParts += token.O200k().Count(line)
		}
	}
	t.Logf("%d texts, %d bytes, %d tokens, %d when counted by line", len(texts), size, total, inParts)
	if len(texts) < 100 {
		t.Errorf("only %d texts", len(texts))
	}
	if inParts < total || float64(inParts) > 1.2*float64(total) {
		t.Errorf("%d tokens, %d when counted by line", total, inParts)
	}
}
