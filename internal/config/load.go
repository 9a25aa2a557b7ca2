package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	// Flags are KEY=VALUE; KEY= takes back what a conversation keeps of it.
	Flags []string
	// Trust says which files of workspaces are trusted.
	Trust Trust
}

// Layers are what was read of the sources.
type Layers struct {
	// User and Workspace are the files read; empty where there is none.
	User, Workspace string
	// Trust is what a person said of the workspace's file, Ignored what of it
	// has no effect until it is trusted.
	Trust   TrustState
	Ignored []Setting

	below *node // up to the environment
	own   *node // below without what a stranger's file says
	flags *node
	// back are the keys that flags take back from a conversation.
	back    [][]string
	notices []string
}

// UserFile is the user's file where none is named; empty for who has no home.
func UserFile() (string, error) { return userPlace("config.toml") }

// userPlace is where something of the user's own is kept. In a home that is not an absolute
// path it would be whatever the directory that is worked in came with.
func userPlace(name string) (string, error) {
	dir, err := os.UserConfigDir()
	if err == nil && !filepath.IsAbs(dir) {
		err = errors.New("the configuration directory " + dir + " is not an absolute path")
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tenfold", name), nil
}

// workspaceDir is the directory of a workspace's file.
const workspaceDir = ".tenfold"

// FileOf is the name of a workspace's file.
func FileOf(workspace string) string { return filepath.Join(workspace, workspaceDir, "config.toml") }

// WorkspaceFile finds the workspace's file from a directory upward; empty when
// there is none.
func WorkspaceFile(dir string) string {
	for {
		name := FileOf(dir)
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

// Read reads the layers. What is wrong in one is an [*problem.Error], a file that
// cannot be read an [*fs.PathError].
func Read(s Sources) (*Layers, error) {
	base, err := defaults()
	if err != nil {
		return nil, err
	}
	l := &Layers{below: base, own: base, flags: newTable(Origin{Kind: Flag})}
	if err := l.user(s.User, s.Named); err != nil {
		return nil, err
	}
	if s.Dir != "" {
		if name := WorkspaceFile(s.Dir); name != "" && !sameFile(name, l.User) {
			if err := l.workspace(name, s.Trust); err != nil {
				return nil, err
			}
		}
	}
	n, err := environment(s.Environ, l.own, l.below)
	if err != nil {
		return nil, err
	}
	if err := l.over(n, true); err != nil {
		return nil, err
	}
	for _, text := range s.Flags {
		if err := l.flag(text); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// flag lays KEY=VALUE over the flags so far.
func (l *Layers) flag(text string) error {
	path, leaf, err := flag(text)
	if err != nil {
		return err
	}
	if leaf.gone {
		l.back = append(l.back, path)
		l.flags.remove(path)
		if leaf.value == nil {
			return nil
		}
		leaf = &node{value: leaf.value, origin: leaf.origin, passing: true}
	}
	one := newTable(leaf.origin)
	one.put(path, leaf)
	if err := l.check(one); err != nil {
		return err
	}
	l.flags = merge(l.flags, one)
	return nil
}

func sameFile(x, y string) bool {
	one, err := os.Stat(x)
	if err != nil || y == "" {
		return false
	}
	other, err := os.Stat(y)
	return err == nil && os.SameFile(one, other)
}

// user reads the user's file.
func (l *Layers) user(name string, must bool) error {
	if name == "" {
		return nil
	}
	text, err := ReadFile(User, name)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := parseTOML(User, name, text)
	if err != nil {
		return err
	}
	l.User = name
	return l.over(n, true)
}

// workspace reads the workspace's file, as far as it is trusted.
func (l *Layers) workspace(name string, trust Trust) error {
	text, err := ReadFile(Workspace, name)
	if err != nil {
		return err
	}
	n, err := parseTOML(Workspace, name, text)
	if err != nil {
		return err
	}
	l.Workspace, l.Trust = name, trust.State(name, text)
	if l.Trust == Trusted {
		n.addTo(l.below)
		return l.over(n, true)
	}
	n, l.Ignored = splitTrusted(n)
	for i, s := range l.Ignored {
		if f, _ := lookup(s.Path); f.rule().secret { // it was not checked, and may hold a password or a key
			l.Ignored[i].Value = nil
		}
	}
	if notice := l.TrustNotice(); notice != "" {
		l.notices = append(l.notices, notice)
	}
	n.addTo(l.below)
	return l.over(n, false)
}

// addTo has lists that are tagged adds begin with what is below.
func (n *node) addTo(below *node) {
	n.leaves(nil, func(path []string, leaf *node) {
		f, _ := lookup(path)
		list, ok := leaf.value.([]any)
		if had := below.at(path); ok && f.adds && had != nil {
			under, _ := had.value.([]any)
			leaf.value = slices.Concat(under, list)
		}
	})
}

// over lays a layer over those so far, once it is found to be right by itself;
// own says that it is the word of whoever runs the program.
func (l *Layers) over(n *node, own bool) error {
	if err := l.check(n); err != nil {
		return err
	}
	l.below = merge(l.below, n)
	if own {
		l.own = merge(l.own, n)
	}
	return nil
}

func (l *Layers) check(n *node) error {
	var c Config
	notices, err := decode(n, &c)
	l.notices = append(l.notices, notices...)
	return err
}

// CheckFile reports what is wrong with a file's text.
func CheckFile(kind Kind, name string, text []byte) error {
	_, err := checked(kind, name, text)
	return err
}

func checked(kind Kind, name string, text []byte) (*node, error) {
	n, err := parseTOML(kind, name, text)
	if err != nil {
		return nil, err
	}
	return n, (&Layers{}).check(n)
}

// Effective is the configuration in effect.
type Effective struct {
	Config
	// Mine is what holds by the word of whoever runs the program alone: their
	// file, the workspace's once they trust it, their environment and flags. What
	// a stranger's file or a conversation says is not in it.
	Mine Config
	// Notices say what is not an error and should be known.
	Notices   []string
	root, own *node
}

// With gives what is in effect for a conversation with the Extra texts of its
// config deltas; without any, for no conversation. A delta that is not
// understood has no effect but a notice: a log cannot be edited.
func (l *Layers) With(extras ...string) (*Effective, error) {
	kept, notices := conversation(extras)
	for _, path := range l.back {
		kept.remove(path)
	}
	e := &Effective{
		root: merge(merge(l.below, kept), l.flags), own: merge(l.own, l.flags),
		Notices: slices.Concat(l.notices, notices),
	}
	if _, err := decode(e.own, &e.Mine); err != nil {
		return nil, err
	}
	_, err := decode(e.root, &e.Config)
	return e, err
}

// Origin tells where the value of a key came from.
func (e *Effective) Origin(path ...string) (Origin, bool) {
	n := e.root.at(path)
	if n == nil {
		return Origin{}, false
	}
	return n.origin, true
}

// Own gives the text that a key has in [Effective.Mine]. A conversation travels,
// and so does a workspace, so neither may say where a conversation is sent (M1a).
// Said is the text that is in effect where it is another one.
func (e *Effective) Own(path ...string) (own string, origin Origin, said string) {
	if n := e.own.at(path); n != nil {
		own, _ = n.value.(string)
		origin = n.origin
	}
	if n := e.root.at(path); n != nil {
		said, _ = n.value.(string)
	}
	if said == own {
		said = ""
	}
	return own, origin, said
}
