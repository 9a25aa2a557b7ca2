package codex

import (
	"path"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// recordsWithin is how many entries are looked at for what a session was.
const recordsWithin = 200

// records gives what the first entries' records say, until one is enough.
func (x *codexWriter) records(enough func(root engine.Members) bool) {
	n := 0
	for e := range x.view.Projection.Log().Entries() {
		if n++; n > recordsWithin {
			return
		}
		source := e.Source
		if u, ok := e.Payload.(tenfold.Unknown); ok && source == "" {
			source = u.Data
		}
		if root := x.record.Look(source); root.Any() && enough(root) {
			return
		}
	}
}

// cwd is the working directory that a record of the conversation names: of a
// rollout, Claude Code, pi, opencode. Where none does it is empty, which Codex
// takes for the directory it is resumed in; it refuses a session without one.
func (x *codexWriter) cwd() string {
	if x.dir != nil {
		return *x.dir
	}
	dir := ""
	x.records(func(root engine.Members) bool {
		info := root.Object("info")
		for _, name := range [...]string{
			root.Peek("cwd"), root.Object("payload").Peek("cwd"), root.Peek("directory"), info.Peek("directory"),
			root.Object("path").Peek("cwd"), info.Object("path").Peek("cwd"),
		} {
			if isAbsolute(name) {
				dir = name
				return true
			}
		}
		return false
	})
	x.dir = &dir
	return dir
}

// isAbsolute reports whether a path is one of Unix from the root, or one of
// Windows from a drive.
func isAbsolute(dir string) bool {
	return path.IsAbs(dir) || (len(dir) > 2 && dir[1] == ':' && strings.ContainsRune(`\/`, rune(dir[2])))
}

// provider is who ran the session's model. Codex goes on only with the same,
// and with its own where none is named.
func (x *codexWriter) provider() string {
	name := ""
	x.records(func(root engine.Members) bool {
		if root.Peek("type") == "session_meta" {
			name = root.Object("payload").Peek("model_provider")
			return true
		}
		return false
	})
	return name
}
