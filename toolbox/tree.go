package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"tenfold/internal/number"
)

const (
	// maxFiles is how many files of a tree are looked at.
	maxFiles = 200_000
	// maxRows is how many paths a list shows.
	maxRows = 200
)

var listTool = &builtin{
	name:       "fs_list_files",
	about:      "List the files below a directory of the workspace, without those that git ignores. Directories that would make the list too long are given with the number of their files.",
	parameters: []parameter{{name: "path", about: "The directory. Default: the workspace."}},
	intent:     onPath(Reads),
	run: func(ctx context.Context, w *workspace, a arguments, _ Call) (Result, error) {
		l, err := w.files(ctx, a.path())
		if err != nil {
			return Result{}, err
		}
		if len(l.files) == 0 {
			return answer("no files in %s\n%s", show(l.at.name), l.unreadable())
		}
		rows := outline(l.files)
		folded := slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "/ (") })
		list := bounded(rows, maxRows, w.Limit)
		if len(l.files) >= maxFiles {
			list += fmt.Sprintf("[only the first %s]\n", number.Count(maxFiles, "file"))
		} else if folded {
			list += fmt.Sprintf("[%s in all]\n", number.Count(len(l.files), "file"))
		}
		return answer("%s%s", list, l.unreadable())
	},
}

// A listing is what files there are at a place, by name, with their paths in the workspace.
type listing struct {
	at    place
	files []string
	// unread are directories that may not be read, where git does not know the place.
	unread []string
}

// unreadable names the directories that could not be read.
func (l listing) unreadable() string {
	const most = 5
	switch more := len(l.unread) - most; {
	case len(l.unread) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf("[not readable: %s and %d more]\n", strings.Join(l.unread[:most], ", "), more)
	}
	return fmt.Sprintf("[not readable: %s]\n", strings.Join(l.unread, ", "))
}

// files lists the files below a directory. Where git knows the directory it says what is
// ignored; elsewhere only the directories of version control are. Links are listed and not
// followed.
func (w *workspace) files(ctx context.Context, name string) (l listing, err error) {
	if l.at, err = w.place(name); err != nil {
		return l, err
	}
	info, err := w.root.Stat(l.at.real)
	if err != nil {
		return l, w.explain(l.at.name, err)
	}
	if !info.IsDir() {
		l.files = []string{l.at.name}
		return l, nil
	}
	below, err := w.tracked(ctx, l.at)
	if err != nil || len(below) == 0 { // no git, no repository, or all of it is ignored
		if below, err = w.walk(ctx, &l); err != nil {
			return l, w.explain(l.at.name, err)
		}
	}
	for _, name := range below {
		l.files = append(l.files, path.Join(l.at.name, name))
	}
	slices.Sort(l.files)
	l.files = slices.Compact(l.files)
	return l, ctx.Err()
}

// tracked asks git for the files below a directory.
func (w *workspace) tracked(ctx context.Context, at place) ([]string, error) {
	out, err := w.gitOutput(ctx, at.real, 64<<20, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	return slices.DeleteFunc(names[:min(len(names), maxFiles)], func(name string) bool {
		_, err := w.root.Lstat(path.Join(at.real, name)) // deleted, but not yet for git
		return name == "" || err != nil && !errors.Is(err, fs.ErrPermission)
	}), nil
}

// walk looks for the files below the place of a listing itself.
func (w *workspace) walk(ctx context.Context, l *listing) (found []string, err error) {
	err = fs.WalkDir(w.root.FS(), l.at.real, func(name string, d fs.DirEntry, err error) error {
		below := strings.TrimPrefix(name, l.at.real+"/")
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == l.at.real:
			return err
		case err != nil:
			if errors.Is(err, fs.ErrPermission) {
				l.unread = append(l.unread, show(path.Join(l.at.name, below)+"/"))
			}
			return fs.SkipDir // it may not be read, or is gone
		case d.IsDir() && name != l.at.real && slices.Contains([]string{".git", ".hg", ".svn", ".jj"}, d.Name()):
			return fs.SkipDir
		case !d.IsDir():
			found = append(found, below)
		}
		if len(found) >= maxFiles {
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// outline gives the rows of a list of sorted files: all of them where they are few,
// else those of as many levels as fit, with what is below counted.
func outline(files []string) []string {
	deepest := 0
	for _, name := range files {
		deepest = max(deepest, strings.Count(name, "/"))
	}
	rows := fold(files, deepest)
	for depth := deepest - 1; len(rows) > maxRows && depth >= 0; depth-- {
		if fewer := fold(files, depth); len(fewer) > 1 {
			rows = fewer
		}
	}
	return rows
}

// fold counts the files that are below more than so many directories.
func fold(files []string, depth int) (rows []string) {
	for i := 0; i < len(files); {
		parts := strings.SplitAfterN(files[i], "/", depth+2)
		if len(parts) < depth+2 {
			rows = append(rows, show(files[i]))
			i++
			continue
		}
		dir, n := strings.Join(parts[:depth+1], ""), i
		for i < len(files) && strings.HasPrefix(files[i], dir) {
			i++
		}
		rows = append(rows, fmt.Sprintf("%s (%s)", show(dir), number.Count(i-n, "file")))
	}
	return rows
}

// bounded joins rows, as many as are allowed and fit, and says how many more
// there are.
func bounded(rows []string, most, limit int) string {
	var b strings.Builder
	for i, row := range rows {
		if i == most || b.Len()+len(row) > limit-100 {
			fmt.Fprintf(&b, "[%d more; narrow the path or the pattern]\n", len(rows)-i)
			break
		}
		b.WriteString(row + "\n")
	}
	return b.String()
}
