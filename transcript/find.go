package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/intake"
)

// Found is what a search saw of one file.
type Found struct {
	Path   string
	Format Format
	// Err is why the file is not a transcript, or could not be read; nil for one
	// that is.
	Err error
}

// Find searches a directory and what is below it for transcripts, in the order
// of their names, and gives each file that could be one. With from it gives
// only transcripts of that format. Links are not followed, so that nothing
// outside is read. An error that ends the search comes with an empty Found.
func Find(ctx context.Context, dir string, from Format) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		give := func(f Found) error {
			if !yield(f, nil) {
				return fs.SkipAll
			}
			return nil
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && path == dir:
				return err
			case err != nil:
				return give(Found{Path: path, Err: err})
			case d.IsDir():
				return findIn(ctx, path, from, give)
			case !d.Type().IsRegular() || !plausible(path):
				return nil
			}
			if f, ok := examine(ctx, path, from); ok {
				return give(f)
			}
			return nil
		})
		if err != nil {
			yield(Found{}, err)
		}
	}
}

// findIn looks at a directory: one that is a transcript as a whole is given,
// and nothing in it is. One that only holds a file of the name is searched.
func findIn(ctx context.Context, path string, from Format, give func(Found) error) error {
	if base := filepath.Base(path); base == ".git" || base == "node_modules" {
		return fs.SkipDir
	}
	main, _ := mainFile(path) // the walk tells of a directory that cannot be read
	if main == "" {
		return nil
	}
	if f, ok := examine(ctx, filepath.Join(path, main), from); ok && f.Err == nil {
		if err := give(f); err != nil {
			return err
		}
		return fs.SkipDir
	}
	return nil
}

// mainFile is the file that stands for a directory, or "" when the directory is
// no transcript.
func mainFile(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, h := range handlers() {
		for _, main := range h.Mains {
			if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == main && e.Type().IsRegular() }) {
				return main, nil
			}
		}
	}
	return "", nil
}

// plausible reports whether a file's name could be a transcript's.
func plausible(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return slices.Contains([]string{".json", ".jsonl", ".ndjson", ".md", ".txt", ".traj", ".db", ".log"}, filepath.Ext(name))
}

// examine tells the format of a file; false when it is none that was asked for,
// or part of another.
func examine(ctx context.Context, path string, from Format) (Found, bool) {
	for _, h := range handlers() {
		if h.Part != nil && (from == "" || from == h.Format) && h.Part(path) {
			return Found{}, false
		}
	}
	found := Found{Path: path}
	found.Format, found.Err = formatOf(ctx, path)
	return found, from == "" || found.Err == nil && found.Format == from
}

// formatOf tells the format of a file.
func formatOf(ctx context.Context, path string) (Format, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	src, head, done, err := intake.Unpack(f.Source)
	defer done()
	if err != nil {
		return "", err
	}
	if database.Is(head) {
		return databaseFormat(ctx, src)
	}
	return Detect(head, src.Name)
}

// Homes are the directories in which a tool keeps its sessions, below a home
// directory or where an environment variable of the tool's says. The error says
// that no such place is known of the format.
func Homes(format Format, home string, getenv func(string) string) ([]string, error) {
	h, ok := find(format)
	if !ok || h.Import == nil {
		return nil, &Error{Err: fmt.Errorf("unknown format %q", format), Hint: "it is one of " + knownFormats()}
	}
	if len(h.Homes) == 0 {
		return nil, &Error{Err: errors.New("it is not known where sessions of " + string(format) + " are kept"), Hint: "name a file or a directory"}
	}
	var dirs []string
	for _, below := range h.Homes {
		base := home
		if moved := getenv(h.HomeEnv); h.HomeEnv != "" && moved != "" {
			base = moved
			part, _, _ := strings.Cut(below, "/")
			below = strings.TrimPrefix(below, cmp.Or(h.HomeBase, part)+"/")
		}
		dirs = append(dirs, filepath.Join(base, filepath.FromSlash(below)))
	}
	return dirs, nil
}
