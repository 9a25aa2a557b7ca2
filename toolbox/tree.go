package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
		files, at, err := w.files(ctx, a.path())
		if err != nil {
			return Result{}, err
		}
		files, unread := readable(files)
		if len(files) == 0 {
			return answer("no files in %s%s", show(at.name), prefixed("\n", unread))
		}
		rows := outline(files)
		folded := slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "/ (") })
		list := bounded(rows, maxRows, w.Limit)
		if len(files) >= maxFiles {
			list += fmt.Sprintf("[only the first %s]\n", number.Count(maxFiles, "file"))
		} else if folded {
			list += fmt.Sprintf("[%s in all]\n", number.Count(len(files), "file"))
		}
		return answer("%s%s", list, unread)
	},
}

// prefixed is a text with something before it, where there is one.
func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// readable are the files of a list without the directories that could not be read, and
// what is said of those.
func readable(list []string) (files []string, unread string) {
	var names []string
	files = slices.DeleteFunc(slices.Clone(list), func(name string) bool {
		if !strings.HasSuffix(name, "/") {
			return false
		}
		names = append(names, show(name))
		return true
	})
	const most = 5
	switch more := len(names) - most; {
	case len(names) == 0:
	case more > 0:
		unread = fmt.Sprintf("[not readable: %s and %d more]\n", strings.Join(names[:most], ", "), more)
	default:
		unread = fmt.Sprintf("[not readable: %s]\n", strings.Join(names, ", "))
	}
	return files, unread
}

// files lists the files below a directory, by name, with their paths in the
// workspace. Where git knows the directory it says what is ignored; elsewhere only
// the directories of version control are. Links are listed and not followed. A directory
// that may not be read is listed with a slash behind it, where git does not know the place.
func (w *workspace) files(ctx context.Context, name string) ([]string, place, error) {
	at, err := w.place(name)
	if err != nil {
		return nil, at, err
	}
	info, err := w.root.Stat(at.real)
	if err != nil {
		return nil, at, w.explain(at.name, err)
	}
	if !info.IsDir() {
		return []string{at.name}, at, nil
	}
	found, err := w.tracked(ctx, at)
	if err != nil || len(found) == 0 { // no git, no repository, or all of it is ignored
		if found, err = w.walk(ctx, at); err != nil {
			return nil, at, w.explain(at.name, err)
		}
	}
	for i, below := range found {
		found[i] = path.Join(at.name, below)
		if strings.HasSuffix(below, "/") {
			found[i] += "/"
		}
	}
	slices.Sort(found)
	return slices.Compact(found), at, ctx.Err()
}

// tracked asks git for the files below a directory.
func (w *workspace) tracked(ctx context.Context, at place) ([]string, error) {
	for dir := filepath.Join(w.real, filepath.FromSlash(at.real)); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return nil, nil // no repository
		}
	}
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

func (w *workspace) walk(ctx context.Context, at place) ([]string, error) {
	var found []string
	err := fs.WalkDir(w.root.FS(), at.real, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == at.real:
			return err
		case err != nil:
			if errors.Is(err, fs.ErrPermission) {
				found = append(found, strings.TrimPrefix(name, at.real+"/")+"/")
			}
			return fs.SkipDir // it may not be read, or is gone
		case d.IsDir() && name != at.real && slices.Contains([]string{".git", ".hg", ".svn", ".jj"}, d.Name()):
			return fs.SkipDir
		case !d.IsDir():
			found = append(found, strings.TrimPrefix(name, at.real+"/"))
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
