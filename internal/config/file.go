package config

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"tenfold/transcript"
)

// The most bytes a file may have: a workspace's is a stranger's.
const (
	maxWorkspaceFile = 256 << 10
	maxUserFile      = 4 << 20
)

// ReadFile reads a file of the configuration. A link in a workspace may lead to a
// device or a pipe, which are not read. A person's own file may be a pipe, as a shell
// gives it for a command, unless nobody writes to it.
func ReadFile(kind Kind, name string) ([]byte, error) {
	refuse := func(why string) error {
		return wrong(Origin{Kind: kind, Name: name}, why, "move it away, or write it again")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	limit := maxUserFile
	if kind == Workspace {
		limit = maxWorkspaceFile
	}
	switch {
	case kind == Workspace && !info.Mode().IsRegular():
		return nil, refuse("not a regular file")
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	f, err := transcript.Open(name) // which does not wait for a pipe's writer
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f.Reader, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = refuse(fmt.Sprintf("larger than %d KiB", limit>>10))
	}
	return text, err
}
