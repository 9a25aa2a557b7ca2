package command

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"tenfold/internal/outfile"
)

// active remembers the conversation of a store that commands use when no ID is
// given.
type active interface {
	// Get returns the id, empty if none is active.
	Get() (string, error)
	// Set makes a conversation the active one, none if id is empty.
	Set(id string) error
}

// ActiveFile keeps the id in a file beside the store.
type ActiveFile string

// maxActive is longer than any id.
const maxActive = 1 << 12

// Get implements [Active].
func (f ActiveFile) Get() (string, error) {
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

// Set implements [Active].
func (f ActiveFile) Set(id string) error {
	if id == "" {
		if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if now, err := f.Get(); err == nil && now == id {
		return nil
	}
	return outfile.Write(string(f), []byte(id+"\n"), 0o600)
}

// NoticeActivef says which conversation is now active, unless the store ends with
// the command.
func (a *App) NoticeActivef(format string, args ...any) {
	if a.Workspace.InMemory() {
		format, args = "nothing was saved: the store is in memory", nil
	}
	a.Noticef(format, args...)
}

// InMemory reports whether the store ends with the command.
func (l *Workspace) InMemory() bool {
	_, gone := l.Active.(*ActiveInMemory)
	return gone
}

// ActiveInMemory is for a store in memory.
type ActiveInMemory struct{ id string }

// Get implements [Active].
func (m *ActiveInMemory) Get() (string, error) { return m.id, nil }

// Set implements [Active].
func (m *ActiveInMemory) Set(id string) error {
	m.id = id
	return nil
}
