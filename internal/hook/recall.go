package hook

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/internal/recall"
	"tenfold/transcript"
)

// recallFiles are what gives a client's model the tools of recall (live §5): the
// registration of the server where the client has MCP, and the skill that says when to
// use it. None for a client of which neither is known.
func recallFiles(client string, p Place) ([]File, error) {
	skill := func(dir string) File {
		// The command of the instructions may not be on the path.
		text := bytes.ReplaceAll([]byte(recall.Instructions), []byte("run `tenfold recall ID`"), []byte("run `tenfold recall ID` (`"+transcript.ShellCommand([]string{p.Binary, "recall", "ID"})+"` if there is no such command)"))
		return File{Path: filepath.Join(dir, recall.SkillName, "SKILL.md"), Content: text}
	}
	switch client {
	case "claude-code":
		plugin := filepath.Join(p.ClaudeCode(), "skills", recall.Name)
		r, err := recall.Register(client, p.Binary)
		return []File{
			{Path: filepath.Join(plugin, ".mcp.json"), Content: []byte(r.Text)},
			skill(filepath.Join(plugin, "skills")),
		}, err
	case "opencode":
		dir := p.OpenCode()
		path := filepath.Join(dir, "opencode.json")
		if p.Scope == Project {
			path = filepath.Join(p.Dir, "opencode.json")
		}
		if other := path + "c"; !exists(path) && exists(other) {
			path = other
		}
		r, err := recall.Register(client, p.Binary)
		return []File{{Path: path, Edits: []Edit{{At: r.At, Value: r.Value}}}, skill(filepath.Join(dir, "skill"))}, err
	case "pi":
		file := skill(filepath.Join(p.Pi(), "skills"))
		file.Content = []byte(recall.ShellInstructions(p.Binary))
		return []File{file}, nil
	}
	return nil, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// recalls reports whether the model of a client that runs in a directory has recall:
// only then does a view name references, for a hint that names what is not there
// leads nowhere.
func (h *Host) recalls(client, dir string) bool {
	if h.Data == "" {
		return false
	}
	all, err := h.Installs()
	if err != nil {
		return false // doctor tells of it
	}
	return slices.ContainsFunc(all, func(i Install) bool {
		within := i.Dir == "" || i.Dir == dir || strings.HasPrefix(dir, i.Dir+string(filepath.Separator))
		return i.Client == client && within && slices.ContainsFunc(i.Files, func(w Written) bool {
			return filepath.Base(filepath.Dir(w.Path)) == recall.SkillName && exists(w.Path)
		})
	})
}
