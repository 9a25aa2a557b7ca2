package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/internal/jsonedit"
	"tenfold/internal/outfile"
	"tenfold/problem"
)

// A Change is one thing that was done to a file, or would be.
type Change struct {
	Path string `json:"path"`
	// Action is "create", "edit", "unchanged", "remove" or "restore", and for what
	// a person changed since "keep" or "rename".
	Action string `json:"action"`
	// Note says more, where there is more to say.
	Note string `json:"note,omitzero"`
}

// change is a change with what it needs.
type change struct {
	Change
	before, after []byte // nil: there is no such file
	mode          fs.FileMode
	rename        string
}

// Install writes a client's adapter to a place, and records what it wrote, so that
// uninstall leaves every file as it was. An earlier install there is replaced; the
// same again changes nothing. No file of the person is overwritten: theirs are
// edited, and what is in the way is an error. On an error all files are as before.
func (h *Host) Install(c Client, p Place, dryRun bool) ([]Change, error) {
	if !dryRun {
		unlock, err := h.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	i, old, changes, err := h.planInstall(c, p)
	if err != nil || dryRun {
		return summaries(changes), err
	}
	dirs, err := makeDirs(changes)
	i.Dirs = append(i.Dirs, dirs...)
	if err == nil {
		err = h.record(i) // first, so that a crash leaves nothing that uninstall does not know
	}
	if err == nil {
		if err = apply(changes); err != nil {
			err = errors.Join(err, h.record(old))
		}
	}
	if err != nil {
		removeDirs(dirs)
	}
	return summaries(changes), err
}

// summaries are the changes without their contents.
func summaries(changes []change) []Change {
	out := make([]Change, len(changes))
	for n, c := range changes {
		out[n] = c.Change
	}
	return out
}

// planInstall works out what an install changes; old is the one before, without
// files where there was none.
func (h *Host) planInstall(c Client, p Place) (i, old Install, changes []change, err error) {
	i = Install{Client: c.About().Name, Scope: p.Scope, Adapter: c.About().Adapter, Version: p.Version, NoRecall: p.NoRecall, Time: h.Now().UTC()}
	if p.Scope == Project {
		i.Dir = p.Dir
	}
	if old, err = h.installed(i); err != nil {
		return i, old, nil, err
	}
	i.Dirs = slices.Clone(old.Dirs)
	files, err := c.Files(p)
	if err == nil && !p.NoRecall {
		var more []File
		more, err = recallFiles(i.Client, p)
		files = append(files, more...)
	}
	if err != nil {
		return i, old, nil, err
	}
	// Where our plug-in lies and no record knows it, the record was lost: what files of
	// the person have of ours is not theirs.
	if len(old.Files) == 0 && !named(files, p.Binary) {
		old.Files = h.moved(c, p, files)
	}
	lost := len(old.Files) == 0 && slices.ContainsFunc(files, File.lies)
	for _, f := range files {
		if err := confined(p, f.Path); err != nil {
			return i, old, nil, err
		}
		was, known := old.file(f.Path)
		ch, w, err := f.plan(was, known, lost)
		if err != nil {
			return i, old, nil, &problem.Error{Op: "install", Subject: i.Client, Err: err, Code: "install", Hint: hintFor(err, f)}
		}
		changes = append(changes, ch)
		if w.After != "" {
			i.Files = append(i.Files, w)
		}
	}
	for _, w := range old.Files {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == w.Path }) {
			ch, err := w.planRemoval()
			if err != nil {
				return i, old, nil, err
			}
			changes = append(changes, ch)
		}
	}
	return i, old, changes, nil
}

// moved is what a program at another path wrote to a place, where no record knows it.
func (h *Host) moved(c Client, p Place, files []File) []Written {
	binary := p.Binary
	for _, f := range files {
		if p.Binary = f.elsewhere(binary); !filepath.IsAbs(p.Binary) {
			continue
		}
		others, err := c.Files(p)
		if err != nil || !named(others, p.Binary) {
			continue
		}
		if i, _, changes, err := h.planInstall(c, p); err == nil {
			return i.lying(changes)
		}
	}
	return nil
}

// named tells whether a file lies as it would be written that names the program.
func named(files []File, binary string) bool {
	return slices.ContainsFunc(files, func(f File) bool { return f.lies() && bytes.Contains(f.Content, []byte(binary)) })
}

// elsewhere is the path of the program that a file there names in the place of this one's.
func (f File) elsewhere(binary string) string {
	data, there, err := fileAt(f.Path)
	before, after, ok := bytes.Cut(f.Content, []byte(binary))
	if err != nil || !there || !ok || !bytes.HasPrefix(data, before) {
		return ""
	}
	data = data[len(before):]
	if len(after) > 0 {
		data, _, _ = bytes.Cut(data, after[:1])
	}
	return string(data)
}

// lying is what of an install is there already.
func (i Install) lying(changes []change) []Written {
	return slices.DeleteFunc(i.Files, func(w Written) bool {
		return slices.ContainsFunc(changes, func(c change) bool { return c.Path == w.Path && c.Action != "unchanged" })
	})
}

// InstallsOf lists where a client's adapter is installed. One that lies at a place as it
// would be installed there, and that no record knows, is among them.
func (h *Host) InstallsOf(c Client, p Place) ([]Install, error) {
	all, err := h.Installs()
	all = slices.DeleteFunc(all, func(i Install) bool { return i.Client != c.About().Name })
	if err != nil || slices.ContainsFunc(all, func(i Install) bool { return i.Scope == p.Scope && (p.Scope == User || i.Dir == p.Dir) }) {
		return all, err
	}
	i, old, changes, inTheWay := h.planInstall(c, p)
	if i.Files = i.lying(changes); len(old.Files) > 0 {
		i.Files = old.Files
	}
	if inTheWay == nil && slices.ContainsFunc(i.Files, Written.own) {
		all = append(all, i)
	}
	return all, nil
}

// installed gives the record of an install's place, without files if there is none.
func (h *Host) installed(i Install) (Install, error) {
	all, err := h.Installs()
	for _, o := range all {
		if o.is(i) {
			return o, err
		}
	}
	return Install{Client: i.Client, Scope: i.Scope, Dir: i.Dir}, err
}

func (i Install) file(path string) (Written, bool) {
	for _, w := range i.Files {
		if w.Path == path {
			return w, true
		}
	}
	return Written{}, false
}

// errNotOurs says that a file is in the way.
var errNotOurs = errors.New("is there already, and no record says that Tenfold wrote it")

// errChanged says that a file of ours was changed.
var errChanged = errors.New("was changed since Tenfold wrote it")

// errReadOnly says that a person does not want a file changed.
var errReadOnly = errors.New("is read-only")

func hintFor(err error, f File) string {
	switch {
	case errors.Is(err, errNotOurs):
		return "move " + f.Path + " away, or remove it if it is of an earlier install"
	case errors.Is(err, errChanged):
		return "uninstall first; the changed file is kept under another name"
	case errors.Is(err, errReadOnly):
		return "make it writable, or install for the other scope"
	case errors.Is(err, jsonedit.ErrTaken):
		return "remove that entry from " + f.Path + ", if it is not needed"
	}
	return "check " + f.Path
}

// confined refuses a file outside of the project: a repository may hold links that
// lead anywhere.
func confined(p Place, path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return fmt.Errorf("internal error: %s is not an absolute path", path)
	}
	if p.Scope != Project {
		return nil
	}
	root, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return err
	}
	at := path
	for {
		if _, err := os.Lstat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	place, err := filepath.EvalSymlinks(at)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, place); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return &problem.Error{Op: "install", Subject: path, Problem: "a link leads out of the project", Hint: "install with --scope user"}
	}
	return nil
}

// lies tells whether a file of our own is there as it would be written.
func (f File) lies() bool {
	data, there, err := fileAt(f.Path)
	return err == nil && there && f.Edits == nil && bytes.Equal(data, f.Content)
}

// plan works out what a file becomes, and how that is recorded; was is the record
// of an earlier install, lost says that there was one.
func (f File) plan(was Written, known, lost bool) (change, Written, error) {
	data, there, err := fileAt(f.Path)
	if err != nil {
		return change{}, Written{}, err
	}
	ch := change{Change: Change{Path: f.Path}, before: data, mode: 0o600}
	if !there {
		ch.before = nil
	}
	if f.Edits == nil {
		ch.mode = 0o644
		if f.Executable {
			ch.mode = 0o755
		}
		return f.planContent(ch, was, known, there)
	}
	return f.planEdits(ch, was, known, there, lost)
}

func (f File) planContent(ch change, was Written, known, there bool) (change, Written, error) {
	w := Written{Path: f.Path, Made: true, After: sum(f.Content)}
	ch.after = f.Content
	switch {
	case !there:
		ch.Action = "create"
		if info, err := os.Lstat(f.Path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return ch, w, fmt.Errorf("%s %w", f.Path, errNotOurs)
		}
	case !known && !bytes.Equal(ch.before, f.Content):
		return ch, w, fmt.Errorf("%s %w", f.Path, errNotOurs)
	case known && sum(ch.before) != was.After && !bytes.Equal(ch.before, f.Content):
		return ch, w, fmt.Errorf("%s %w", f.Path, errChanged)
	case bytes.Equal(ch.before, f.Content):
		ch.Action = "unchanged"
	default:
		ch.Action = "edit"
	}
	return ch, w, nil
}

func (f File) planEdits(ch change, was Written, known, there, lost bool) (change, Written, error) {
	w := Written{Path: f.Path, Made: !there || (known && was.Made)}
	base := ch.before
	if known {
		base, _ = was.without(ch.before)
	}
	w.Before = sum(base)
	text := base
	for _, e := range f.Edits {
		next, inserted, err := jsonedit.Insert(text, e.At, e.Value, e.Append)
		if err != nil {
			return ch, w, fmt.Errorf("%s: %w", f.Path, err)
		}
		if len(inserted) > 0 || lost { // else the person has it already, and it is theirs
			w.Edits, w.Inserted = append(w.Edits, e), append(w.Inserted, inserted...)
		}
		if len(inserted) == 0 && lost {
			w.Before = "" // nobody knows
		}
		text = next
	}
	ch.after = text
	switch {
	case len(w.Edits) == 0:
		ch.Action, ch.Note = "unchanged", "it has this already"
		return ch, Written{}, nil
	case !there:
		ch.Action = "create"
	case bytes.Equal(ch.after, ch.before):
		ch.Action = "unchanged"
	default:
		ch.Action = "edit"
		if info, err := os.Stat(f.Path); err == nil && info.Mode().Perm()&0o200 == 0 {
			return ch, w, fmt.Errorf("%s %w", f.Path, errReadOnly)
		}
	}
	w.After = sum(text)
	return ch, w, nil
}

// makeDirs makes the directories that files need, and lists those that it made.
func makeDirs(changes []change) (made []string, err error) {
	for _, c := range changes {
		var missing []string
		for dir := filepath.Dir(c.Path); c.after != nil; dir = filepath.Dir(dir) {
			if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
				break
			}
			missing = append(missing, dir)
		}
		for _, dir := range slices.Backward(missing) {
			if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // as the clients make them
				return made, err
			}
			made = append(made, dir)
		}
	}
	return made, nil
}

// removeDirs removes directories that are empty, the inner ones first.
func removeDirs(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir) // fails where it is not empty
	}
}

// apply makes changes. Where one fails those before it are taken back.
func apply(changes []change) error {
	for n, c := range changes {
		if err := c.make(); err != nil {
			for _, done := range slices.Backward(changes[:n]) {
				back := change{Change: done.Change, before: done.after, after: done.before, mode: done.mode}
				if done.rename != "" {
					back = change{Change: Change{Path: done.rename}, before: done.before, rename: done.Path}
				}
				_ = back.make()
			}
			return err
		}
	}
	return nil
}

// make makes a change, if the file is still as it was when that was planned.
func (c change) make() error {
	now, there, err := fileAt(c.Path)
	switch {
	case err != nil:
		return err
	case there != (c.before != nil) || !bytes.Equal(now, c.before):
		return &problem.Error{Subject: c.Path, Problem: "another program changed it just now", Hint: "run the command again"}
	case c.rename != "":
		return os.Rename(c.Path, c.rename)
	case c.after == nil && there:
		return os.Remove(c.Path)
	case c.after == nil || (there && bytes.Equal(c.before, c.after)):
		return nil
	}
	return outfile.Write(c.Path, c.after, c.mode) // one that is there keeps its mode, and a link to it stays a link
}
