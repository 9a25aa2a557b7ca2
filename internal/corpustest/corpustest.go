// Package corpustest finds the corpus of real transcripts that lies beside a
// checkout, for tests. Where there is none the tests skip and say so.
package corpustest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A File is one transcript of the corpus, with what its index counts in it.
type File struct {
	// Path is where the file lies; Name is its name in the corpus.
	Path          string `json:"-"`
	Name          string `json:"file"`
	Format        string `json:"format"`
	Bytes         int64  `json:"bytes"`
	Conversations int    `json:"conversations"`
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
	DupID         int    `json:"dup_id"`
	Summaries     int    `json:"summaries"`
	EncReasoning  int    `json:"enc_reasoning"`
}

// Files lists the corpus's files of the given formats, all without one, the
// largest first. Without a corpus the test skips.
func Files(tb testing.TB, formats ...string) []File {
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
	if len(formats) > 0 {
		files = slices.DeleteFunc(files, func(f File) bool { return !slices.Contains(formats, f.Format) })
	}
	for i := range files {
		files[i].Path = filepath.Join(dir, filepath.FromSlash(files[i].Name))
	}
	slices.SortStableFunc(files, func(a, b File) int { return int(b.Bytes - a.Bytes) })
	return files
}

// All reports whether tests try everything: every file of the corpus, every
// place of a sample. TENFOLD_TEST_ALL in the environment asks for it, as
// ".ci/run all" does; by default they try a sample, so that one can wait for them.
func All() bool { return os.Getenv("TENFOLD_TEST_ALL") != "" }

// Tries is how many of a test's cases it tries: all of them, or a tenth, or under
// the race detector a hundredth.
func Tries(cases int) int {
	switch {
	case All():
		return cases
	case UnderRace:
		return max(1, cases/100)
	}
	return max(1, cases/10)
}

// Unraced skips a test that takes long under the race detector and starts no goroutine
// for it to watch: CI runs those without it too.
func Unraced(tb testing.TB) {
	tb.Helper()
	if UnderRace && !All() {
		tb.Skip("takes long under the race detector, which has nothing to watch here")
	}
}

// fewFiles is how many are too few to take a sample of.
const fewFiles = 30

// Sample is the middle one of each five of many files, which are sorted by their
// size; under the race detector of each hundred, and two of fewer. See [All].
func Sample(files []File) []File {
	step := 5
	switch {
	case All(), len(files) < fewFiles && !UnderRace:
		return files
	case UnderRace:
		step = min(max(len(files)/2, 1), 100)
	}
	var some []File
	for i := step / 2; i < len(files); i += step {
		some = append(some, files[i])
	}
	return some
}

// Dir is the corpus's directory, found upward from the working directory;
// empty when there is none.
func Dir() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		candidate := filepath.Join(dir, "shared", "corpus")
		if _, err := os.Stat(filepath.Join(candidate, "index.json")); err == nil {
			return candidate
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
