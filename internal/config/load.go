package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// Sources say where the layers are.
type Sources struct {
	// User is the user's file; it need not be there, unless Named.
	User  string
	Named bool
	// Dir is where the search for the workspace's file begins, upward; empty
	// searches nowhere.
	Dir     string
	Environ []string
	// Flags are KEY=VALUE.
	Flags []string
}

// Layers are what was read of the sources.
type Layers struct {
	// User and Workspace are the files read; empty where there is none.
	User, Workspace string

	below *node // up to the environment
	flags *node
	// texts are the flags that a conversation may keep, as paths and values.
	kept    *node
	notices []string
}

// UserFile is the user's file where none is named.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "tenfold", "config.toml"), err
}

// WorkspaceFile finds the workspace's file from a directory upward; empty when
// there is none.
func WorkspaceFile(dir string) string {
	for {
		name := filepath.Join(dir, ".tenfold", "config.toml")
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Read reads the layers. What is wrong in one is an [*Error], a file that
// cannot be read an [*fs.PathError].
func Read(s Sources) (*Layers, error) {
	base, err := defaults()
	if err != nil {
		return nil, err
	}
	l := &Layers{below: base, flags: newTable(Origin{Kind: Flag}), kept: newTable(Origin{Kind: Flag})}
	if err := l.file(User, s.User, s.Named); err != nil {
		return nil, err
	}
	if s.Dir != "" {
		if name := WorkspaceFile(s.Dir); name != "" && !sameFile(name, l.User) {
			if err := l.file(Workspace, name, true); err != nil {
				return nil, err
			}
		}
	}
	n, err := environment(s.Environ, l.below)
	if err != nil {
		return nil, err
	}
	if err := l.over(n); err != nil {
		return nil, err
	}
	for _, text := range s.Flags {
		path, leaf, err := flag(text)
		if err != nil {
			return nil, err
		}
		one := newTable(leaf.origin)
		one.put(path, leaf)
		if err := l.check(one); err != nil {
			return nil, err
		}
		l.flags = merge(l.flags, one)
		if OfConversation(path) {
			l.kept = merge(l.kept, one)
		}
	}
	return l, nil
}

func sameFile(x, y string) bool {
	one, err := os.Stat(x)
	if err != nil || y == "" {
		return false
	}
	other, err := os.Stat(y)
	return err == nil && os.SameFile(one, other)
}

// file reads a file's layer.
func (l *Layers) file(kind Kind, name string, must bool) error {
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := parseTOML(kind, name, text)
	if err != nil {
		return err
	}
	if kind == User {
		l.User = name
	} else {
		l.Workspace = name
	}
	return l.over(n)
}

// over lays a layer over those so far, once it is found to be right by itself.
func (l *Layers) over(n *node) error {
	if err := l.check(n); err != nil {
		return err
	}
	l.below = merge(l.below, n)
	return nil
}

func (l *Layers) check(n *node) error {
	var c Config
	var d decoder
	if err := d.decode(n, reflect.ValueOf(&c).Elem(), nil, field{}); err != nil {
		return err
	}
	l.notices = append(l.notices, d.notices...)
	return nil
}

// CheckFile says what is wrong with a file's text, for one that is being
// written.
func CheckFile(kind Kind, name string, text []byte) error {
	n, err := parseTOML(kind, name, text)
	if err != nil {
		return err
	}
	return (&Layers{}).check(n)
}

// Effective is the configuration in effect.
type Effective struct {
	Config
	// Notices say what is no error and should be known.
	Notices []string
	root    *node
	// own is root without what a conversation keeps for itself.
	own *node
}

// With gives what is in effect for a conversation with the Extra texts of its
// config deltas; without any, for no conversation. A delta that is not
// understood has no effect but a notice: a log cannot be edited.
func (l *Layers) With(extras ...string) (*Effective, error) {
	e := &Effective{root: l.below, Notices: slices.Clone(l.notices)}
	for _, extra := range extras {
		n, err := delta(extra)
		if err == nil && n != nil {
			err = (&Layers{}).check(n)
		}
		if err != nil {
			e.Notices = append(e.Notices, err.Error()+": this setting of the conversation has no effect")
			continue
		}
		if n != nil {
			e.root = merge(e.root, n)
		}
	}
	e.root, e.own = merge(e.root, l.flags), merge(l.below, l.flags)
	var d decoder
	return e, d.decode(e.root, reflect.ValueOf(&e.Config).Elem(), nil, field{})
}

// Origin tells where the value of a key came from.
func (e *Effective) Origin(path ...string) (Origin, bool) {
	n := e.root.at(path)
	if n == nil {
		return Origin{}, false
	}
	return n.origin, true
}

// Own gives the text that a key has by the word of whoever runs the program:
// their files, their environment and their flags, not what a conversation keeps
// for itself. A conversation travels, so that where it is sent to is nothing it
// may say (M1a). Said is what holds else, where the conversation says another
// text; it is empty where both agree.
func (e *Effective) Own(path ...string) (own string, origin Origin, said string) {
	text := func(n *node) string {
		if n == nil {
			return ""
		}
		s, _ := n.value.(string)
		return s
	}
	n, all := e.own.at(path), e.root.at(path)
	own = text(n)
	if n != nil {
		origin = n.origin
	}
	if said = text(all); said == own {
		said = ""
	}
	return own, origin, said
}
