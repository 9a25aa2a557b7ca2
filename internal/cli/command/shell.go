package command

import (
	"os"
	"path/filepath"
	"strings"

	"tenfold/internal/cli/terminal"
)

// words quotes arguments for a shell.
func words(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = terminal.Word(arg)
	}
	return strings.Join(quoted, " ")
}

// NearPath makes a path relative to the working directory, if it is below it.
func NearPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	near, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(near) {
		return path
	}
	return near
}
