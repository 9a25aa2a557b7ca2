package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tenfold"
)

// corpusFile is a line of the corpus index.
type corpusFile struct {
	File          string `json:"file"`
	Format        Format `json:"format"`
	Msgs          int    `json:"msgs"`
	User          int    `json:"user"`
	Assistant     int    `json:"assistant"`
	Calls         int    `json:"calls"`
	Results       int    `json:"results"`
	Missing       int    `json:"missing"`
	Orphan        int    `json:"orphan"`
	Images        int    `json:"images"`
	Interrupts    int    `json:"interrupts"`
	Reasoning     int    `json:"reasoning"`
	Errors        int    `json:"errors"`
	Side          int    `json:"side"`
	Conversations int    `json:"conversations"`
	DupID         int    `json:"dup_id"`
	Bytes         int64  `json:"bytes"`
}

// corpus finds the shared corpus above the package; tests that need it are
// skipped without it.
func corpus(tb testing.TB) (string, []corpusFile) {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		root := filepath.Join(dir, "shared", "corpus")
		if data, err := os.ReadFile(filepath.Join(root, "index.json")); err == nil {
			var files []corpusFile
			if err := json.Unmarshal(data, &files); err != nil {
				tb.Fatal(err)
			}
			return root, files
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Skip("no shared/corpus above this directory")
		}
		dir = up
	}
}

// eachCorpusFile runs f on every file of a format, imported.
func eachCorpusFile(t *testing.T, format Format, f func(t *testing.T, path string, want corpusFile, got Collected)) {
	root, files := corpus(t)
	n := 0
	for _, file := range files {
		if file.Format != format {
			continue
		}
		n++
		t.Run(file.File, func(t *testing.T) {
			path := filepath.Join(root, file.File)
			got := importFile(t, path)
			f(t, path, file, got)
		})
	}
	if n == 0 {
		t.Fatalf("the corpus index names no %s file", format)
	}
}

func importFile(tb testing.TB, path string) Collected {
	tb.Helper()
	f, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var k Collector
	if err := Import(context.Background(), f.Source, "", &k); err != nil {
		tb.Fatal(err)
	}
	if len(k.Conversations) != 1 {
		tb.Fatalf("%d conversations, want 1", len(k.Conversations))
	}
	return k.Conversations[0]
}

func importText(tb testing.TB, name, text string) (Collected, error) {
	tb.Helper()
	var k Collector
	err := Import(context.Background(), Source{Name: name, Reader: bytes.NewReader([]byte(text)), Size: int64(len(text))}, "", &k)
	if err != nil {
		return Collected{}, err
	}
	return k.Conversations[0], nil
}

// checkLaws checks what holds for every import.
func checkLaws(tb testing.TB, got Collected) {
	tb.Helper()
	if !plainID(got.ID) {
		tb.Errorf("conversation id %q is not plain", got.ID)
	}
	seen := map[string]bool{}
	log := tenfold.NewLog()
	for _, e := range got.Entries {
		if e.ID == "" || seen[e.ID] {
			tb.Errorf("id %q is empty or not unique", e.ID)
		}
		seen[e.ID] = true
		if e.Payload == nil {
			tb.Fatalf("entry %s has no payload", e.ID)
		}
		if _, err := log.Append(e); err != nil {
			tb.Fatal(err)
		}
	}
	checkRoundTrip(tb, got)
}
