package claudecode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tenfold/internal/pause"
)

// file gives the path of the transcript that an event is about: the session's, or
// that of one of its sub-agents.
func (c *caller) file() (string, error) {
	name := c.Transcript
	if name == "" {
		var err error
		if name, err = c.find(); err != nil {
			return "", err
		}
	}
	if c.Agent == "" {
		return name, nil
	}
	if !plain(c.Agent) {
		return "", fmt.Errorf("%w: agent %q", errShape, c.Agent)
	}
	return filepath.Join(strings.TrimSuffix(name, filepath.Ext(name)), "subagents", "agent-"+c.Agent+".jsonl"), nil
}

// find looks for a session's file by its id: versions before 2.1.290 do not say
// where it is.
func (c *caller) find() (string, error) {
	if !plain(c.Session) {
		return "", fmt.Errorf("%w: session %q", errShape, c.Session)
	}
	root := os.Getenv("CLAUDE_CONFIG_DIR")
	if root == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		root = filepath.Join(home, ".claude")
	}
	dirs, err := os.ReadDir(filepath.Join(root, "projects"))
	if err != nil {
		return "", err
	}
	for _, d := range dirs {
		name := filepath.Join(root, "projects", d.Name(), c.Session+".jsonl")
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name, nil
		}
	}
	return "", fmt.Errorf("session %s has no file", c.Session)
}

// plain reports whether a name is one segment of a path.
func plain(name string) bool {
	return name != "" && len(name) <= 200 && strings.IndexFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

const (
	// writeLimit is how long Claude Code may take to write its newest messages
	// to the file: it does so ten times a second.
	writeLimit = 2 * time.Second
	writePause = 10 * time.Millisecond
	// writeTail is how much of the end of a file is searched for them, writeFirst how
	// much at first.
	writeTail, writeFirst = int64(4 << 20), int64(64 << 10)
)

var errUnwritten = errors.New("the newest message is not in the session's file")

// awaitWritten waits until the file holds the message of an id, which is the last
// one in memory.
func awaitWritten(ctx context.Context, name, id string) error {
	// Looks are counted, not time: where this process is kept waiting, so is Claude Code.
	for range writeLimit / writePause {
		found, err := tailHas(name, id)
		if err != nil || found {
			return err
		}
		if err := pause.For(ctx, writePause); err != nil {
			return err
		}
	}
	return errUnwritten
}

// tailHas reports whether the end of a file holds the line of an id, whole.
func tailHas(name, id string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("read %s: not a regular file", name)
	}
	// It is nearly always near the end, and the whole tail is dear to read.
	most := min(writeTail, info.Size())
	for size := min(writeFirst, most); ; size = min(8*size, most) {
		data := make([]byte, size)
		n, err := f.ReadAt(data, info.Size()-size)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if found := hasLine(data[:n], id); found || size == most {
			return found, nil
		}
	}
}

// hasLine reports whether the whole lines at the end of a text hold that of an id.
func hasLine(data []byte, id string) bool {
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	for quoted := []byte(`"` + id + `"`); ; {
		at := bytes.LastIndex(whole, quoted)
		if at < 0 {
			return false
		}
		whole = whole[:at]
		if bytes.HasSuffix(bytes.TrimRight(whole, " "), []byte(`"uuid":`)) { // not of a line that hangs from it
			return true
		}
	}
}
