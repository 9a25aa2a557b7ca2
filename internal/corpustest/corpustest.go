// Package corpustest finds the corpus of real transcripts that lies beside a
// checkout, for tests. Where there is none the tests skip and say so.
package corpustest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tenfold"
	"tenfold/transcript"
)

// A File is one transcript of the corpus, as its index tells.
type File struct {
	// Path is where the file lies; Name is its name in the corpus.
	Path   string `json:"-"`
	Name   string `json:"file"`
	Format string `json:"format"`
	Bytes  int    `json:"bytes"`
}

// Files lists the corpus's files of the given formats, the largest first.
// Without a corpus the test skips.
func Files(tb testing.TB, formats ...transcript.Format) []File {
	tb.Helper()
	dir := Dir()
	if dir == "" {
		tb.Skip("no shared/corpus above this directory")
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var files []File
	if err := json.Unmarshal(index, &files); err != nil {
		tb.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f File) bool {
		return !slices.Contains(formats, transcript.Format(f.Format))
	})
	for i := range files {
		files[i].Path = filepath.Join(dir, filepath.FromSlash(files[i].Name))
	}
	slices.SortStableFunc(files, func(a, b File) int { return b.Bytes - a.Bytes })
	return files
}

// Dir is the corpus's directory, found upward from the working directory;
// empty when there is none.
func Dir() string {
	dir, err := os.Getwd()
	for err == nil {
		candidate := filepath.Join(dir, "shared", "corpus")
		if _, err := os.Stat(filepath.Join(candidate, "index.json")); err == nil {
			return candidate
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// Import reads a file and gives its conversations.
func Import(tb testing.TB, f File) []transcript.Collected {
	tb.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(context.Background(), file.Source, "", &all); err != nil {
		tb.Fatalf("%s: %v", f.Name, err)
	}
	return all.Conversations
}

// Log makes a log of a conversation.
func Log(tb testing.TB, c transcript.Collected, counter tenfold.Counter) *tenfold.Log {
	tb.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(counter))
	if _, err := l.Append(c.Entries...); err != nil {
		tb.Fatal(err)
	}
	return l
}
