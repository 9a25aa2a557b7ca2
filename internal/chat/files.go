package chat

import (
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"tenfold/internal/cli/terminal"
)

// What is looked for in a workspace, at most.
const (
	mostLooked = 20_000
	mostFiles  = 10_000
	lookFor    = 300 * time.Millisecond
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
	for level := []string{"."}; len(level) > 0; {
		var next []string
		for _, d := range level {
			f, err := root.Open(d)
			if err != nil {
				continue
			}
			entries, _ := f.ReadDir(mostLooked - looked)
			_ = f.Close()
			for _, e := range entries {
				name := e.Name()
				if looked++; looked >= mostLooked || len(files) >= mostFiles || time.Now().After(until) {
					sort.Strings(files)
					return files
				}
				switch p := path.Join(d, name); {
				case terminal.VisibleLine(name) != name:
				case e.IsDir():
					if !strings.HasPrefix(name, ".") && name != "node_modules" && name != "vendor" {
						next = append(next, p)
					}
				case e.Type()&^fs.ModePerm == 0:
					files = append(files, p)
				}
			}
		}
		level = next
	}
	sort.Strings(files)
	return files
}

// rank tells how well a name matches what was written: 0 is best, false not at
// all. The beginning of the file's name comes first, then of the path, then any
// part, then its letters in order.
func rank(name, written string) (int, bool) {
	name, written = strings.ToLower(name), strings.ToLower(written)
	switch {
	case strings.HasPrefix(path.Base(name), written):
		return 0, true
	case strings.HasPrefix(name, written):
		return 1, true
	case strings.Contains(name, written):
		return 2, true
	}
	rest := name
	for _, r := range written {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return 0, false
		}
		rest = rest[i+1:]
	}
	return 3, true
}

// best gives the names that match best, at most n.
func best(names []string, written string, n int) []string {
	var byRank [4][]string
	for _, name := range names {
		if r, ok := rank(name, written); ok && len(byRank[r]) < n {
			byRank[r] = append(byRank[r], name)
		}
	}
	var found []string
	for _, names := range byRank {
		found = append(found, names...)
	}
	return found[:min(len(found), n)]
}
