package claudecode

import (
	"bytes"
	"embed"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"tenfold/internal/hook"
)

//go:embed all:plugin
var plugin embed.FS

// programsLine is the line of the plug-in that says what to run.
const programsLine = "const programs = ['tenfold']\n"

// Files implements [hook.Client]: a plug-in in the directory of skills, where Claude
// Code loads it without being told.
func (Client) Files(p hook.Place) ([]hook.File, error) {
	root := filepath.Join(p.Dir, ".claude")
	if p.Scope == hook.User {
		root = filepath.Join(p.Home, ".claude")
		if dir := p.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
			root = dir
		}
	}
	programs, err := json.Marshal([]string{p.Binary, "tenfold"})
	if err != nil {
		return nil, err
	}
	var files []hook.File
	for _, name := range []string{".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/tenfold.js"} {
		data, err := plugin.ReadFile("plugin/" + name)
		if err != nil {
			return nil, fmt.Errorf("read a part of the program: %w", err)
		}
		data = bytes.Replace(data, []byte(programsLine), []byte("const programs = "+string(programs)+"\n"), 1)
		files = append(files, hook.File{Path: filepath.Join(root, "skills", "tenfold", filepath.FromSlash(name)), Content: data})
	}
	return files, nil
}
