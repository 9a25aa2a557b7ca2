package claudecode

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold/internal/hook"
)

//go:embed all:plugins all:classic
var plugins embed.FS

// mods is the first version that runs function hooks for everybody.
var mods = []int{2, 1, 287}

// older reports whether a version that was found is before another; one that cannot
// be read is not.
func older(version string, than []int) bool {
	for i, word := range strings.SplitN(version, ".", len(than)) {
		n, err := strconv.Atoi(word)
		if err != nil || n > than[i] {
			return false
		}
		if n < than[i] {
			return true
		}
	}
	return false
}

// programsLine is the line of a plug-in that says what to run.
const programsLine = "const programs = ['tenfold']\n"

// Files implements [hook.Client]: two plug-ins in the directory of skills, where
// Claude Code loads them without being told. One answers compactions; the other asks
// for them when the cache is cold, for none is shown those that it asks for itself.
// Older versions get one with settings hooks.
func (Client) Files(p hook.Place) ([]hook.File, error) {
	programs, err := json.Marshal([]string{p.Binary, "tenfold"})
	if err != nil {
		return nil, err
	}
	shell, err := json.Marshal("'" + strings.ReplaceAll(p.Binary, "'", `'\''`) + "'")
	if err != nil {
		return nil, err
	}
	shell = shell[1 : len(shell)-1] // it stands in a string
	var files []hook.File
	kind := "plugins"
	if older(p.Version, mods) {
		kind = "classic"
	}
	err = fs.WalkDir(plugins, kind, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := plugins.ReadFile(name)
		if err != nil {
			return err
		}
		data = bytes.Replace(data, []byte(programsLine), []byte("const programs = "+string(programs)+"\n"), 1)
		data = bytes.ReplaceAll(data, []byte("{{tenfold}}"), shell)
		files = append(files, hook.File{Path: filepath.Join(p.ClaudeCode(), "skills", filepath.FromSlash(strings.TrimPrefix(name, kind+"/"))), Content: data})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read a part of the program: %w", err)
	}
	return files, nil
}
