package hook

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/outfile"
)

// A Failure is one event that was not answered (V7). It holds nothing of the
// conversation.
type Failure struct {
	Time   time.Time `json:"time"`
	Client string    `json:"client"`
	Event  string    `json:"event"`
	// Version is the client's, where it says it, and Tenfold ours.
	Version string `json:"version,omitzero"`
	Tenfold string `json:"tenfold,omitzero"`
	Why     string `json:"why"`
}

// Bounds of the record of failures: it is cut to its newer half when it is full.
const (
	longestFailures = 128 << 10
	longestWhy      = 300
	longestWord     = 60
)

func (h *Host) failuresFile() string { return filepath.Join(h.Data, "failures.jsonl") }

// Fail records a failure. That it cannot be recorded is not a failure of the agent's,
// so that nothing is returned.
func (h *Host) Fail(f Failure) {
	if h.Data == "" {
		return
	}
	if f.Time.IsZero() {
		f.Time = h.Now().UTC()
	}
	h.mu.Lock()
	f.Version, f.Tenfold = cmp.Or(f.Version, h.seen), h.Version
	h.mu.Unlock()
	f.Why = oneLine(f.Why, longestWhy)
	f.Client, f.Event, f.Version = oneLine(f.Client, longestWord), oneLine(f.Event, longestWord), oneLine(f.Version, longestWord)
	line, err := json.Marshal(f)
	if err != nil {
		return
	}
	if err := os.MkdirAll(h.Data, 0o700); err != nil {
		return
	}
	name := h.failuresFile()
	if info, err := os.Lstat(name); err == nil && (!info.Mode().IsRegular() || (info.Size() > longestFailures && halve(name) != nil)) {
		return
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	// A line of its own, also behind one that a full disk cut short; in one write, so that
	// two processes do not mix.
	_, _ = out.Write(slices.Concat([]byte("\n"), line, []byte("\n")))
	_ = out.Close()
}

// reserve takes a block of the disk for the record, while there is one: a full disk is
// what it may have to tell of.
func (h *Host) reserve() {
	if info, err := os.Lstat(h.failuresFile()); h.Data == "" || err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if os.MkdirAll(h.Data, 0o700) == nil {
		_ = os.WriteFile(h.failuresFile(), []byte("\n"), 0o600)
	}
}

// halve drops the older half of the record.
func halve(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	data = data[len(data)/2:]
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[i+1:]
	}
	return outfile.Write(name, data, 0o600)
}

// oneLine is a text without control characters, cut to so many bytes.
func oneLine(text string, most int) string {
	text = terminal.VisibleLine(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Failures gives the last failures, the newest first, at most so many. Damaged
// lines are skipped.
func (h *Host) Failures(most int) ([]Failure, error) {
	data, err := os.ReadFile(h.failuresFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Failure
	for line := range bytes.Lines(data) {
		var one Failure
		if json.Unmarshal(line, &one) == nil && one.Client != "" {
			all = append(all, one)
		}
	}
	all = all[max(len(all)-most, 0):]
	slices.Reverse(all)
	return all, nil
}
