package digest

import (
	"path"
	"slices"
	"strings"

	"tenfold"
	"tenfold/cause"
	"tenfold/internal/commandline"
	"tenfold/internal/set"
	"tenfold/tool"
)

// where is which directories the session works in: a path means another file
// in each of them.
type where struct {
	// root is the session's own; empty until something tells it.
	root string
	// shells are the directories that shells are in which keep theirs from one call to
	// the next, as far as they left the session's.
	shells map[shellKey]string
	// went is what all directories that calls ran in have above them, alone whether that is
	// one of them.
	went         string
	moved, alone bool
	// drives is set where paths begin with the name of a drive.
	drives bool
	// named are the files by the last name of their paths.
	named map[string][]*file
}

// shellKey tells shells apart.
type shellKey struct{ branch, tool string }

// keeping are the tools whose shell stays where a call of it went.
var keeping = set.Words("Bash PowerShell execute_bash terminal")

// inDir is a path as it is meant in a directory.
func inDir(dir, p string) string {
	switch {
	case dir == "" || p == "" || tool.IsAbs(p) || p[0] == '~':
		if p == "" {
			return dir
		}
		return p
	case dir == tool.Elsewhere:
		return p
	}
	return tool.CleanPath(dir + "/" + p)
}

// movedTo takes the change of the directory off the front of a command line.
func movedTo(dir, line string) (to, rest string) {
	words, rest, ok := strings.Cut(line, " && ")
	if to, moves := strings.CutPrefix(words, "cd "); ok && moves && to != "" && !strings.ContainsAny(to, " $`;|~*") {
		return inDir(dir, tool.CleanPath(strings.Trim(to, `"'`))), rest
	}
	return dir, line
}

// read takes in what a host says of where the session is.
func (w *where) read(m tenfold.UserMessage) {
	if m.Purpose != tenfold.Context {
		return
	}
	for _, p := range m.Parts {
		if dir := between(p.Text, "<cwd>", "</cwd>"); tool.IsAbs(dir) {
			w.root = tool.CleanPath(dir)
		}
	}
}

func between(text, open, end string) string {
	_, text, _ = strings.Cut(text, open)
	text, _, _ = strings.Cut(text, end)
	return text
}

// resetTo is what Claude Code puts behind an output where it has moved its shell back.
const resetTo = "Shell cwd was reset to "

// noteDirectory notes where a call leaves its shell.
func (l *Ledger) noteDirectory(branch string, c *call, p tenfold.ToolResult) {
	if c.known.Kind != tool.Shell {
		return
	}
	w := &l.where
	output := tool.ResultText(p.Parts)
	c.lost = strings.Contains(output, "cd: ") && strings.Contains(output, "No such file or directory")
	if c.after != c.dir && !c.lost {
		w.noteDir(c.after)
		if keeping[c.name] {
			w.setShellDir(branch, c.name, c.after)
		}
	}
	tail := output[max(0, len(output)-1<<10):]
	if at := strings.LastIndex(tail, resetTo); at >= 0 {
		dir, _, _ := strings.Cut(tail[at+len(resetTo):], "\n")
		l.setRoot(tool.CleanPath(dir))
		w.setShellDir(branch, c.name, "")
	} else if first, _, _ := strings.Cut(strings.TrimSpace(output), "\n"); w.root == "" && c.dir == "" && c.command != nil && firstCommand(c.command.text) == "pwd" {
		l.setRoot(tool.CleanPath(first))
	}
}

func firstCommand(line string) string {
	parts := commandline.Commands(line)
	if len(parts) == 0 || strings.Contains(line, "||") {
		return ""
	}
	return strings.TrimSpace(parts[0])
}

func (w *where) setShellDir(branch, name, dir string) {
	if w.shells == nil {
		w.shells = map[shellKey]string{}
	}
	w.shells[shellKey{branch, name}] = dir
}

// noteDir notes a directory that calls ran in.
func (w *where) noteDir(dir string) {
	if !tool.IsAbs(dir) {
		return
	}
	above := w.went
	for above != "" && !within(dir, above) {
		above = above[:max(strings.LastIndexByte(above, '/'), 0)]
	}
	if !w.moved {
		above = dir
	}
	w.alone = above == dir || w.alone && above == w.went
	w.went, w.moved = above, true
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// setRoot notes the session's directory. Files that were told from it are files of
// it.
func (l *Ledger) setRoot(root string) {
	if !tool.IsAbs(root) || l.where.root == root {
		return
	}
	l.where.root = root
	for _, f := range slices.Clone(l.paths) {
		if !tool.IsAbs(f.key) && f.key[0] != '~' {
			l.rename(f, inDir(root, f.key))
		}
	}
}

// rename gives a file the key it has by what is known now.
func (l *Ledger) rename(f *file, key string) {
	if other := l.files[key]; other != nil {
		if other.changes == 0 || f.changes > 0 && f.latest > other.latest {
			other.last, other.turn, other.latest, other.same, other.by = f.last, f.turn, f.latest, f.same, f.by
		}
		other.created = other.created || f.created
		other.changes, other.reads = other.changes+f.changes, other.reads+f.reads
		l.paths = slices.DeleteFunc(l.paths, func(o *file) bool { return o == f })
		l.where.named[path.Base(key)] = slices.DeleteFunc(l.where.named[path.Base(key)], func(o *file) bool { return o == f })
	} else {
		l.files[key] = f
	}
	delete(l.files, f.key)
	f.key = key
}

// key says which file a path is, as far as that is known: where the session's
// directory is not, a path that ends in one told from there, a folder of it too, is
// the same, unless calls ran in several directories.
func (w *where) key(p string) string {
	if len(p) > 3 && p[0] == '/' && p[2] == '/' && w.drives { // /d/src of Git's shell for Windows
		p = p[1:2] + ":" + p[2:]
	}
	if p == "" || tool.IsAbs(p) || p[0] == '~' {
		return p
	}
	if w.root != "" {
		return inDir(w.root, p)
	}
	found := ""
	for _, f := range w.named[path.Base(p)] {
		switch {
		case f.key == p:
			return p
		case w.mayEndIn(f.key, p):
			if found != "" {
				return p
			}
			found = f.key
		}
	}
	if found == "" {
		return p
	}
	return found
}

// mayEndIn reports whether an absolute path may be a relative one.
func (w *where) mayEndIn(p, relative string) bool {
	switch {
	case !w.moved:
		return strings.Contains(relative, "/") && strings.HasSuffix(p, "/"+relative)
	case w.alone:
		return p == inDir(w.went, relative)
	}
	return false
}

// file finds the file of a path, or begins one.
func (l *Ledger) file(p string) *file {
	w := &l.where
	key := w.key(p)
	if have, ok := l.files[key]; ok {
		return have
	}
	base := path.Base(key)
	if w.root == "" && tool.IsAbs(key) {
		if at := slices.IndexFunc(w.named[base], func(f *file) bool { return w.mayEndIn(key, f.key) }); at >= 0 {
			f := w.named[base][at]
			l.rename(f, key)
			return f
		}
	}
	w.drives = w.drives || len(key) > 2 && key[1] == ':' && key[2] == '/'
	f := &file{path: p, key: key}
	l.files[key] = f
	l.paths = append(l.paths, f)
	if w.named == nil {
		w.named = map[string][]*file{}
	}
	w.named[base] = append(w.named[base], f)
	return f
}

// hasPath reports whether a path, as a call names it, is of this file.
func (f *file) hasPath(p string) bool {
	return p == f.path || p == f.key || strings.HasSuffix(f.key, "/"+p)
}

// pieces are what a call puts in files, as its arguments say.
func (c *call) pieces() []tool.Piece {
	if c.known.Kind != tool.Shell {
		return c.known.Pieces(c.arguments)
	}
	var all []tool.Piece
	for _, change := range c.changes {
		if change.Text != "" {
			all = append(all, tool.Piece{Path: change.Path, New: change.Text})
		}
	}
	return all
}

// change notes what a command line did to files. Of one that failed only what
// came before can have been done: what surely did, and where a check failed what
// stood before that.
func (l *Ledger) change(c *call, r result) {
	_, ran := r.ended.Code()
	if c.lost { // it ran nobody knows where, or not at all
		return
	}
	for _, one := range c.changes {
		one.Path = l.pathAfterReturn(c, one.Path)
		if r.failed && (!ran || !one.Sure && (c.command == nil || c.command.check == nil || one.Last || !cause.LooksRed(r.text, c.command.check.runsTests()))) {
			continue
		}
		switch one.Op {
		case tool.FileDeleted, tool.FileRestored:
			l.remove(c, one)
		default:
			l.noteOperation(c, one.FileOperation)
			l.readPlan(c, one.FileOperation, tenfold.ToolResult{})
		}
	}
}

// pathAfterReturn is the path of a file for a call whose shell is believed to be in a directory
// where there is none of that name, while there is one further up: hosts begin shells
// anew and do not say so.
func (l *Ledger) pathAfterReturn(c *call, p string) string {
	relative, ok := strings.CutPrefix(p, c.dir+"/")
	if !ok || c.dir == "" || !strings.Contains(relative, "/") {
		return p
	}
	key := l.where.key(p)
	in := path.Dir(key)
	for _, f := range l.paths {
		if within(f.key, in) {
			return p
		}
	}
	for _, f := range l.where.named[path.Base(p)] {
		if above, ok := strings.CutSuffix(f.key, "/"+relative); ok && within(l.where.key(c.dir), above) {
			return f.key
		}
	}
	return p
}

// remove notes that a command line deleted files, or restored them: those of the
// session that its path names, or that are in the directory of that name. A file
// that nobody looked at is told too.
func (l *Ledger) remove(c *call, one tool.LineChange) {
	key, found := l.where.key(one.Path), false
	all := key == "." || key == l.where.root
	for _, f := range l.paths {
		same := f.key == key || strings.HasPrefix(f.key, key+"/") || all && !tool.IsAbs(f.key)
		if !same && strings.ContainsAny(key, "*?[") {
			same, _ = path.Match(key, f.key)
		}
		if !same {
			continue
		}
		found = true
		// What was committed since it was changed stays as it is.
		if f.changes > 0 && (one.Op == tool.FileDeleted || f.latest > l.tree.committed) {
			f.noteLast(one.Op, c.turn, l.entries)
		}
	}
	if !found && one.Op == tool.FileDeleted && path.Ext(one.Path) != "" && !strings.ContainsAny(one.Path, "*?[") && path.Dir(one.Path) != "/tmp" {
		l.noteOperation(c, one.FileOperation)
	}
}
