package claudecode

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold/internal/hook"
)

//go:embed all:plugins
var plugins embed.FS

// programsLine is the line of a plug-in that says what to run.
const programsLine = "const programs = ['tenfold']\n"

// Files implements [hook.Client]: two plug-ins in the directory of skills, where
// Claude Code loads them without being told. One answers compactions; the other asks
// for them when the cache is cold, for none is shown those that it asks for itself.
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
	err = fs.WalkDir(plugins, "plugins", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := plugins.ReadFile(name)
		if err != nil {
			return err
		}
		data = bytes.Replace(data, []byte(programsLine), []byte("const programs = "+string(programs)+"\n"), 1)
		files = append(files, hook.File{Path: filepath.Join(root, "skills", filepath.FromSlash(strings.TrimPrefix(name, "plugins/"))), Content: data})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read a part of the program: %w", err)
	}
	return files, nil
}
