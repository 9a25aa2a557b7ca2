package transcript

import (
	"bytes"
	"context"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// eachCorpusFile runs f on every file of a format, imported.
func eachCorpusFile(t *testing.T, format Format, f func(t *testing.T, path string, want corpustest.File, got Collected)) {
	n := 0
	for _, file := range corpustest.Files(t, string(format)) {
		n++
		t.Run(file.Name, func(t *testing.T) {
			got := importFile(t, file.Path)
			f(t, file.Path, file, got)
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
