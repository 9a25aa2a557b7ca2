package chat

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"tenfold/internal/cli/terminal"
)

// What is looked for in a workspace, at most.
const (
	mostLooked = 20_000
	mostFiles  = 10_000
	lookFor    = 2 * time.Second // in the background
)

// listFiles lists the files of a workspace, slash-separated. It does not leave the
// workspace, follows no links, leaves out hidden directories and those of
// packages, and ends early in a huge tree.
func listFiles(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	until := time.Now().Add(lookFor)
	var files []string
	looked := 0
	// By levels: what is near the top is more likely to be meant.
	for dirs := []string{"."}; len(dirs) > 0 && looked < mostLooked && len(files) < mostFiles && time.Now().Before(until); dirs = dirs[1:] {
		f, err := root.Open(dirs[0])
		if err != nil {
			continue
		}
		entries, _ := f.ReadDir(mostLooked - looked)
		_ = f.Close()
		looked += len(entries)
		for _, e := range entries {
			name := e.Name()
			switch p := path.Join(dirs[0], name); {
			case terminal.VisibleLine(name) != name:
			case e.IsDir():
				if !strings.HasPrefix(name, ".") && name != "node_modules" && name != "vendor" {
					dirs = append(dirs, p)
				}
			case e.Type()&^fs.ModePerm == 0:
				files = append(files, p)
			}
		}
	}
	slices.Sort(files)
	return files
}

// bestMatches gives the names that match best what was written, at most n: where a file's
// name begins with it, then where a path does, then where it is any part.
func bestMatches(names []string, written string, n int) []string {
	var byRank [3][]string
	written = strings.ToLower(written)
	for _, name := range names {
		lower, rank := strings.ToLower(name), 2
		switch {
		case strings.HasPrefix(path.Base(lower), written):
			rank = 0
		case strings.HasPrefix(lower, written):
			rank = 1
		case !strings.Contains(lower, written):
			continue
		}
		byRank[rank] = append(byRank[rank], name)
	}
	found := slices.Concat(byRank[:]...)
	return found[:min(len(found), n)]
}
