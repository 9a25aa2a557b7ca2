package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tenfold/internal/cli/outfile"
)

// active remembers the conversation of a store that commands use when no ID is
// given.
type active interface {
	// get returns the id, empty if none is active.
	get() (string, error)
	// set makes a conversation the active one, none if id is empty.
	set(id string) error
}

// activeFile keeps the id in a file beside the store.
type activeFile string

// maxActive is longer than any id.
const maxActive = 1 << 12

func (f activeFile) get() (string, error) {
	data, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if len(data) > maxActive {
		return "", nil // not ours
	}
	return strings.TrimSpace(string(data)), nil
}

func (f activeFile) set(id string) error {
	if id == "" {
		if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if now, err := f.get(); err == nil && now == id {
		return nil
	}
	// For a store on another machine the directory may not exist yet.
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	out, err := outfile.Create(string(f), 0o600)
	if err != nil {
		return err
	}
	defer out.Abandon()
	if _, err := out.Write([]byte(id + "\n")); err != nil {
		return err
	}
	return out.Commit()
}

// noticeActivef says which conversation is now active, unless the store ends with
// the command.
func (a *app) noticeActivef(format string, args ...any) {
	if a.workspace.inMemory() {
		format, args = "nothing was saved: the store is in memory", nil
	}
	a.Noticef(format, args...)
}

// inMemory reports whether the store ends with the command.
func (l *workspace) inMemory() bool {
	_, gone := l.active.(*activeInMemory)
	return gone
}

// activeInMemory is for a store in memory.
type activeInMemory struct{ id string }

func (m *activeInMemory) get() (string, error) { return m.id, nil }

func (m *activeInMemory) set(id string) error {
	m.id = id
	return nil
}
