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
func (x *codexWriter) records(enough func(root engine.Node) bool) {
	n := 0
	for e := range x.view.Projection.Log().Entries() {
		if n++; n > recordsWithin {
			return
		}
		source := e.Source
		if u, ok := e.Payload.(tenfold.Unknown); ok && source == "" {
			source = u.Data
		}
		if root := x.record.Read(source); root.Kind() == '{' && enough(root) {
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
	x.records(func(root engine.Node) bool {
		info := root.Get("info")
		for _, name := range [...]string{
			root.Text("cwd"), root.Get("payload").Text("cwd"), root.Text("directory"), info.Text("directory"),
			root.Get("path").Text("cwd"), info.Get("path").Text("cwd"),
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
	x.records(func(root engine.Node) bool {
		if root.Text("type") == "session_meta" {
			name = root.Get("payload").Text("model_provider")
			return true
		}
		return false
	})
	return name
}

// BroughtAnew reports whether a message is context that Codex puts into each
// session that it goes on with, whole and up to date. A message that says more
// than that is none.
func BroughtAnew(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	if !ok || len(m.Attachments) > 0 || len(m.Parts) == 0 {
		return false
	}
	for _, part := range m.Parts {
		if part.File != nil || !contextBrought(strings.TrimSpace(part.Text)) {
			return false
		}
	}
	return true
}

// codexElements are the elements that Codex's own context stands in. The text
// of a skill that was called, and what happened on the way, are none of it.
var codexElements = [...]string{
	"environment_context", "user_instructions", "permissions instructions", "collaboration_mode", "skills_instructions",
	"apps_instructions", "plugins_instructions", "recommended_plugins", "personality_spec", "tools",
}

// contextBrought reports whether a text is one such element from end to end, or
// the instructions of an AGENTS.md.
func contextBrought(text string) bool {
	for _, name := range codexElements {
		if strings.HasPrefix(text, "<"+name+">") {
			return strings.Index(text, "</"+name+">") == len(text)-len(name)-3
		}
	}
	return strings.HasPrefix(text, "# AGENTS.md instructions") && strings.HasSuffix(text, "</INSTRUCTIONS>")
}
