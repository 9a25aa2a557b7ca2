package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// active remembers which conversation of a store commands are about when they
// name none.
type active interface {
	// get gives the id, empty when none is active.
	get() (string, error)
	// set makes a conversation the active one, none when id is empty.
	set(id string) error
}

// activeFile keeps the id in a file beside the store's, so that each store
// has its own.
type activeFile string

// maxActive is more than any id has.
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
	// Beside a store on another machine there may be no directory yet.
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	out, err := createFile(string(f), 0o600)
	if err != nil {
		return err
	}
	defer out.abandon()
	if _, err := out.Write([]byte(id + "\n")); err != nil {
		return err
	}
	return out.commit()
}

// notice says what was made, and that it is the active conversation; where the
// store is gone with the command, it says that instead.
func (a *app) noticeActivef(format string, args ...any) {
	if a.workspace.inMemory() {
		format, args = "nothing is kept: a store in memory ends with the command", nil
	}
	a.noticef(format, args...)
}

// inMemory reports whether the store is gone when the command ends.
func (l *workspace) inMemory() bool {
	_, gone := l.active.(*activeInMemory)
	return gone
}

// activeInMemory is for a store that is gone with the process as well.
type activeInMemory struct{ id string }

func (m *activeInMemory) get() (string, error) { return m.id, nil }

func (m *activeInMemory) set(id string) error {
	m.id = id
	return nil
}
