package hook

import (
	"cmp"
	"context"
	"path/filepath"
)

// A Client is one agent whose compactions Tenfold answers. Its methods keep no
// state: each event is a process of its own.
type Client interface {
	About() About
	// Handle answers one event: JSON in, JSON out. No output means that the agent
	// is to do what it does without Tenfold; so does an error, which is recorded
	// (V7). An event that the client does not know is [ErrUnknownEvent].
	Handle(ctx context.Context, h *Host, event string, in []byte) (out []byte, err error)
	// Files is what install writes for a place.
	Files(p Place) ([]File, error)
}

// About describes a client.
type About struct {
	// Name is how the command line spells it: "claude-code".
	Name string
	// Title is how people write it: "Claude Code".
	Title string
	// Commands are the executables to look for, the usual one first. The first
	// found is run with --version.
	Commands []string
	// Since is the oldest version that the adapter supports, inclusive, and Tested
	// the newest one it was tried with: dotted numbers.
	Since, Tested string
	// Adapter is the version of the adapter: a whole number that grows whenever
	// what Files gives changes.
	Adapter int
}

// Scope says for whom an adapter is installed.
type Scope string

// The scopes.
const (
	// User: for all projects of the person.
	User Scope = "user"
	// Project: for one project, in its directory.
	Project Scope = "project"
)

// A Place is where and for what an adapter is installed.
type Place struct {
	Scope Scope
	// Home is the person's home directory, Dir that of the project; both are
	// absolute.
	Home, Dir string
	// Getenv reads the environment: clients can be told by it where their
	// configuration is.
	Getenv func(name string) string
	// Version is the version of the client that was found, empty if none was.
	Version string
	// Binary is the absolute path of tenfold. An adapter falls back to "tenfold" on
	// the PATH when it is gone, and does nothing where that is missing too.
	Binary string
	// NoRecall leaves the model without the tools of recall, and views without
	// references (live §5).
	NoRecall bool
}

// ClaudeCode is the directory of Claude Code's configuration at a place, OpenCode that
// of opencode's, and Pi that of pi's.
func (p Place) ClaudeCode() string {
	if p.Scope == User {
		return cmp.Or(p.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(p.Home, ".claude"))
	}
	return filepath.Join(p.Dir, ".claude")
}

// OpenCode is described with [Place.ClaudeCode].
func (p Place) OpenCode() string {
	if p.Scope != User {
		return filepath.Join(p.Dir, ".opencode")
	}
	base := p.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		base = filepath.Join(p.Home, ".config")
	}
	return filepath.Join(base, "opencode")
}

// Pi is described with [Place.ClaudeCode].
func (p Place) Pi() string {
	if p.Scope == User {
		return cmp.Or(p.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(p.Home, ".pi", "agent"))
	}
	return filepath.Join(p.Dir, ".pi")
}

// A File is one that install writes: a new one with a content, or an edit of one
// that may be the person's. Exactly one of Content and Edits is set.
type File struct {
	// Path is absolute.
	Path string
	// Content is the whole of a file of our own. A file that is there already, and
	// that install did not write, is left alone, and install fails.
	Content []byte
	// Executable has the file run by the system.
	Executable bool
	// Edits are what is added to a JSON file, which may have comments, trailing
	// commas and a byte order mark. A missing file is made.
	Edits []Edit
}

// An Edit adds one value to a JSON file. What is there already is never changed:
// a member of that name with another value is an error.
type Edit struct {
	// At names the member by the keys that lead to it from the root, which are made
	// where they are missing.
	At []string
	// Value is what the member is to be, as JSON.
	Value string
	// Append says that the member is a list, to which the value is added unless
	// it is an element already.
	Append bool
}
