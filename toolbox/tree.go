package toolbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/toolbox/internal/output"
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
		if len(files) == 0 {
			return answer("no files in %s", show(at.name))
		}
		rows := outline(files, at.name)
		folded := slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "/ (") })
		list := bounded(rows, maxRows+50, w.Limit)
		if len(files) >= maxFiles {
			list += fmt.Sprintf("[only the first %s]\n", output.Count(maxFiles, "file"))
		} else if folded {
			list += fmt.Sprintf("[%s in all]\n", output.Count(len(files), "file"))
		}
		return answer("%s", list)
	},
}

// files lists the files below a directory, by name, with their paths in the
// workspace. Where git knows the directory it says what is ignored; elsewhere only
// the directories of version control are. Links are listed and not followed.
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
		return name == "" || err != nil
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
			return fs.SkipDir // it may not be read
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
// else the upper levels, with what is below folded.
func outline(files []string, base string) []string {
	type dir struct {
		name  string
		files []string // those below it
		depth int
	}
	depthOf := func(name string) int { return strings.Count(name, "/") }
	start := 0
	if base != "." {
		start = depthOf(base) + 1
	}
	// children are the files and directories directly in a part of the list.
	children := func(files []string, depth int) (dirs []dir, own []string) {
		for len(files) > 0 {
			parts := strings.SplitN(files[0], "/", depth+2)
			if len(parts) < depth+2 {
				own = append(own, files[0])
				files = files[1:]
				continue
			}
			name := strings.Join(parts[:depth+1], "/") + "/"
			n := slices.IndexFunc(files, func(f string) bool { return !strings.HasPrefix(f, name) })
			if n < 0 {
				n = len(files)
			}
			dirs = append(dirs, dir{name: name, files: files[:n], depth: depth + 1})
			files = files[n:]
		}
		return dirs, own
	}
	var rows []string
	queue, own := children(files, start)
	rows = append(rows, own...)
	left := maxRows - len(rows) - len(queue)
	for i := 0; i < len(queue); i++ {
		d := queue[i]
		below, own := children(d.files, d.depth)
		cost := len(below) + len(own) - 1
		if cost > left {
			rows = append(rows, fmt.Sprintf("%s (%s)", d.name, output.Count(len(d.files), "file")))
			continue
		}
		left -= cost
		rows, queue = append(rows, own...), append(queue, below...)
	}
	for i := range rows {
		rows[i] = show(rows[i])
	}
	slices.Sort(rows)
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
