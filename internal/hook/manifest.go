package hook

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/jsonedit"
	"tenfold/internal/outfile"
	"tenfold/internal/rawjson"
	"tenfold/problem"
)

// An Install is an adapter on disk, as the record of installs has it.
type Install struct {
	Client string `json:"client"`
	Scope  Scope  `json:"scope"`
	// Dir is the project's directory; empty for the scope user.
	Dir string `json:"dir,omitzero"`
	// Adapter is the version of the adapter, Version that of the client it was
	// written for, empty if none was found.
	Adapter int    `json:"adapter"`
	Version string `json:"version,omitzero"`
	// NoRecall says that the person did not want the tools of recall.
	NoRecall bool      `json:"no_recall,omitzero"`
	Time     time.Time `json:"time"`
	Files    []Written `json:"files"`
	// Dirs are the directories that were made, the outer ones first.
	Dirs []string `json:"dirs,omitempty"`
}

// Written is a file that was written or edited.
type Written struct {
	Path string `json:"path"`
	// Made says that there was no such file.
	Made bool `json:"made,omitzero"`
	// Before and After are digests of its bytes.
	Before string `json:"before,omitzero"`
	After  string `json:"after"`
	// Edits are what was added to a file of the person, Inserted the bytes of it.
	// A file of our own has neither.
	Edits    []Edit               `json:"edits,omitempty"`
	Inserted []jsonedit.Insertion `json:"inserted,omitempty"`
}

// own tells whether the whole file is ours.
func (w Written) own() bool { return len(w.Edits) == 0 }

// is tells whether two installs are of the same place.
func (i Install) is(o Install) bool {
	return i.Client == o.Client && i.Scope == o.Scope && i.Dir == o.Dir
}

// Where names the place for a person.
func (i Install) Where() string {
	if i.Scope == Project {
		return "project " + i.Dir
	}
	return string(i.Scope)
}

func (h *Host) manifestFile() string { return filepath.Join(h.Data, "installed.json") }

// Installs lists what is installed.
func (h *Host) Installs() ([]Install, error) {
	data, err := os.ReadFile(h.manifestFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all struct {
		Installs []Install `json:"installs"`
	}
	what := ""
	if err == nil {
		if err = json.Unmarshal(data, &all); err != nil {
			what = rawjson.Words(err)
		}
	}
	if err != nil {
		return nil, &problem.Error{
			Op: "read", Subject: h.manifestFile(), Problem: what, Err: err, Code: "manifest",
			Hint: "it records what Tenfold installed; restore it, or remove it and uninstall by hand",
		}
	}
	return all.Installs, nil
}

// How long another install may take, and when its lock is one that a crash left.
const (
	lockPatience = 10 * time.Second
	lockPause    = 10 * time.Millisecond
	lockStale    = time.Minute
)

// lock keeps other installs and uninstalls waiting: each reads the record, and writes
// it whole.
func (h *Host) lock() (unlock func(), err error) {
	if h.Data == "" {
		return func() {}, nil // there is no record
	}
	if err := os.MkdirAll(h.Data, 0o700); err != nil {
		return nil, err
	}
	name := h.manifestFile() + ".lock"
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPause) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return func() { _ = os.Remove(name) }, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()).Abs() > lockStale {
			_ = os.Remove(name)
		} else if time.Now().After(end) {
			return nil, &problem.Error{Problem: "another install or uninstall is under way", Hint: "run the command again when it has ended, or remove " + name}
		}
	}
}

// record puts an install in the place of the one before, or takes it out where it
// has no files.
func (h *Host) record(i Install) error {
	if h.Data == "" {
		return &problem.Error{Op: "install", Problem: "no home directory to record it in", Hint: "set HOME or XDG_DATA_HOME"}
	}
	all, err := h.Installs()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, i.is)
	if len(i.Files) > 0 {
		all = append(all, i)
	}
	data, err := json.Marshal(map[string][]Install{"installs": all}, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(h.Data, 0o700); err != nil {
		return err
	}
	return outfile.Write(h.manifestFile(), append(data, '\n'), 0o600)
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// fileAt reads a file that is to be edited or replaced; missing is not an error.
func fileAt(name string) (data []byte, there bool, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return nil, false, fmt.Errorf("%s: is a link that leads nowhere", name)
		}
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s: is not a regular file", name)
	case info.Size() > jsonedit.Largest:
		return nil, false, fmt.Errorf("%s: larger than %d MiB", name, jsonedit.Largest>>20)
	}
	data, err = os.ReadFile(name)
	return data, err == nil, err
}
