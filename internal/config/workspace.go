package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tenfold/strategy"
)

// A workspace's file comes with whatever was cloned or unpacked, so it is somebody
// else's until a person trusts it. Before that it may set the fields tagged open:
// which strategies and profiles to use, how much to keep at the end, hints of tools.
// Everything else it sets is ignored with a notice: models and their addresses,
// files, directories, and whatever would call a model.

// splitTrusted parts what a workspace's file says into what it may set before it is
// trusted and the settings that need trust. Mistakes stay, to be reported.
func splitTrusted(n *node) (open *node, closed []Setting) {
	open, closed = n.split(nil, func(path []string, n *node) bool {
		f, ok := lookup(path)
		switch {
		case !ok || f.deprecated != "":
			return true
		case n.table != nil && f.isTable():
			return len(n.table) > 0 || opens(f.typ)
		}
		return !f.holdsValue() || (f.open && needsNoTrust(f.typ, n.value))
	})
	return open, slices.DeleteFunc(closed, func(s Setting) bool { return s.Table }) // empty ones say nothing
}

// opens reports whether there is an open key in a table.
func opens(t reflect.Type) bool {
	if t.Kind() == reflect.Map {
		return opens(t.Elem())
	}
	return t.Kind() == reflect.Struct && slices.ContainsFunc(fields(t), func(f field) bool { return f.open || opens(f.typ) })
}

// needsNoTrust reports whether a value of an open key needs no model: a digest replaces
// a summary that a model would write, but nothing else names tangents.
func needsNoTrust(t reflect.Type, v any) bool {
	if t != reflect.TypeFor[Strategies]() {
		return true
	}
	chosen, _ := readStrategies(v)
	texts, _ := chosen.([]string)
	return !slices.ContainsFunc(texts, func(text string) bool {
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

// NeedsTrust lists the settings in the text of a workspace's file that have no
// effect until the file is trusted.
func NeedsTrust(name string, text []byte) ([]Setting, error) {
	n, err := checked(Workspace, name, text)
	if err != nil {
		return nil, err
	}
	_, closed := splitTrusted(n)
	return closed, nil
}

// Led reports whether a workspace's file, or the place where it would be made, is
// reached through a symbolic link inside the workspace, which may lead anywhere.
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
