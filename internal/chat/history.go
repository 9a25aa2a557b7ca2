package chat

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// A history is what was entered before: JSON strings, one on each line of a file
// that only the person can read. Without a file it lasts as long as the chat.
type history struct {
	file    string
	entries []string
	at      int // of the entries; len(entries) for what is being written
	draft   string
}

// mostHistory is how many entries are kept, mostEntry how long one may be.
const (
	mostHistory = 1000
	mostEntry   = 4 << 10
)

// load reads the file. A line that is not a string is left out, and a file that
// has become long is written anew.
func (h *history) load() {
	text, err := os.ReadFile(h.file)
	if err != nil {
		return
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, line := range lines[max(len(lines)-mostHistory-1, 0):] {
		var entry string
		if json.Unmarshal(line, &entry) == nil && entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	h.at = len(h.entries)
	if len(lines) > 2*mostHistory {
		short := h.file + ".new"
		if os.WriteFile(short, bytes.Join(lines[len(lines)-mostHistory-1:], nil), 0o600) == nil {
			_ = os.Rename(short, h.file)
		}
	}
}

// add keeps what was entered, unless it begins with a space, is what was entered
// last, or is long. A file that cannot be written is no reason to stop.
func (h *history) add(text string) {
	h.at, h.draft = len(h.entries), ""
	if strings.TrimSpace(text) == "" || strings.HasPrefix(text, " ") || len(text) > mostEntry ||
		(len(h.entries) > 0 && h.entries[len(h.entries)-1] == text) {
		return
	}
	h.entries = append(h.entries, text)
	if len(h.entries) > mostHistory {
		h.entries = slices.Delete(h.entries, 0, 1)
	}
	h.at = len(h.entries)
	if h.file == "" {
		return
	}
	line, err := json.Marshal(text)
	if err != nil || os.MkdirAll(filepath.Dir(h.file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}

// move goes through the entries, to older ones by -1; what is being written comes last. False
// where there is no more.
func (h *history) move(by int, written string) (string, bool) {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = written
	}
	if h.at = to; to == len(h.entries) {
		return h.draft, true
	}
	return h.entries[to], true
}
