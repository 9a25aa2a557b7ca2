package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tenfold/strategy"
)

// The file of a workspace comes with whatever was cloned or unpacked, so it is a
// stranger's until a person trusts it. It may set the fields that are tagged
// open: which strategies and profiles are used, what is kept at the end, hints
// of tools. What it says beside has no effect but a notice: a model, where one is
// reached, a file, a directory, or what has a model called.

// maxWorkspaceFile is the most bytes a workspace's file may have.
const maxWorkspaceFile = 256 << 10

// ReadWorkspaceFile reads the file of a workspace. A link in it may lead to a
// device or a pipe, which are not read.
func ReadWorkspaceFile(name string) ([]byte, error) {
	refuse := func(why string) error {
		return wrong(Origin{Kind: Workspace, Name: name}, why, "move it away, or write it again")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refuse("not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxWorkspaceFile+1))
	if err == nil && len(text) > maxWorkspaceFile {
		err = refuse(fmt.Sprintf("larger than %d KiB", maxWorkspaceFile>>10))
	}
	return text, err
}

// heed parts what a workspace's file says into what it may set by itself and the
// settings that need trust. Keys that there are not stay, to be errors.
func heed(n *node, t reflect.Type, path []string) (open *node, closed []Setting) {
	open = newTable(n.origin)
	for _, key := range n.keys() {
		inner, at := n.table[key], append(slices.Clip(path), key)
		f, known := lookup(at)
		table := inner.table != nil && known && (f.typ.Kind() == reflect.Struct || f.typ.Kind() == reflect.Map)
		switch {
		case table:
			below, more := heed(inner, f.typ, at)
			closed = append(closed, more...)
			if len(below.table) == 0 && !opens(f.typ) {
				continue
			}
			inner = below
		case known && !f.container() && f.deprecated == "" && (!f.open || !harmless(f.typ, inner.value)):
			closed = append(closed, Setting{Path: at, Doc: f.doc, Value: inner.value, Origin: inner.origin, hidden: f.secret()})
			continue
		}
		open.table[key] = inner
	}
	return open, closed
}

// opens reports whether there is an open key in a table.
func opens(t reflect.Type) bool {
	if t.Kind() == reflect.Map {
		return opens(t.Elem())
	}
	return t.Kind() == reflect.Struct && slices.ContainsFunc(fields(t), func(f field) bool { return f.open || opens(f.typ) })
}

// harmless reports whether a value of an open key does its work without a model:
// a digest stands in for the writer of a summary, and nothing for who names
// tangents.
func harmless(t reflect.Type, v any) bool {
	var chosen Strategies
	if t != reflect.TypeFor[Strategies]() || chosen.set(v) != nil {
		return true
	}
	return !slices.ContainsFunc(chosen, func(text string) bool {
		s, err := strategy.Parse(text)
		return err == nil && strategy.NeedsModel(s) && !strategy.Summarises(s)
	})
}

// TrustNotice is the notice about settings that need trust; empty without any.
func (l *Layers) TrustNotice() string {
	if len(l.Ignored) == 0 {
		return ""
	}
	const most = 8
	var keys []string
	for _, s := range l.Ignored[:min(len(l.Ignored), most)] {
		keys = append(keys, fmt.Sprintf("%s (line %d)", shown(s.Path), s.Origin.Line))
	}
	if more := len(l.Ignored) - most; more > 0 {
		keys = append(keys, fmt.Sprintf("%d more", more))
	}
	why := " is not trusted"
	if l.Trust == Changed {
		why = " has changed since you trusted it"
	}
	return l.Workspace + why + ": ignored " + strings.Join(keys, ", ") + `; read it, then run "tenfold config trust"`
}

// NeedsTrust lists what the text of a workspace's file sets that has no effect
// until the file is trusted. What is wrong with the text is an [*problem.Error].
func NeedsTrust(name string, text []byte) ([]Setting, error) {
	n, err := parseTOML(Workspace, name, text)
	if err == nil {
		err = (&Layers{}).check(n)
	}
	if err != nil {
		return nil, err
	}
	_, closed := heed(n, configType, nil)
	return closed, nil
}

// Led reports whether a workspace's file, or where it would be made, is reached
// over a link inside the workspace, which may lead anywhere.
func Led(name string) bool {
	want := Place(name)
	for ; filepath.Base(want) != workspaceDir; want = filepath.Dir(want) {
		if _, err := os.Lstat(want); err == nil {
			break
		}
	}
	target, err := filepath.EvalSymlinks(want)
	return !errors.Is(err, fs.ErrNotExist) && target != want
}
