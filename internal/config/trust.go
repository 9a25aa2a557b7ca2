package config

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"tenfold/internal/outfile"
)

// Trust remembers which files of workspaces a person has read and trusts. It is
// a directory of the person's own, with one small file for each: it knows a file
// by its absolute path and its content, so that a changed file asks again. An
// empty Trust trusts nothing.
type Trust string

// UserTrust is the user's own.
func UserTrust() (Trust, error) {
	dir, err := userPlace("trusted")
	return Trust(dir), err
}

// A TrustState is what a person said of a workspace's file.
type TrustState string

// The states.
const (
	Untrusted TrustState = "untrusted"
	Trusted   TrustState = "trusted"
	// Changed is a file that was trusted with another content.
	Changed TrustState = "changed"
	// Gone is a trusted file that is not there, or cannot be read.
	Gone TrustState = "gone"
)

// Words says for people whether a file is trusted.
func (s TrustState) Words() string {
	switch s {
	case Trusted:
		return "trusted"
	case Changed:
		return "changed since it was trusted"
	}
	return "not trusted"
}

// A TrustedFile is one that a person trusts, or trusted before it changed.
type TrustedFile struct {
	Path  string
	State TrustState
}

type trustRecord struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Place is how a workspace's file is known, whichever way leads to its
// workspace. Links inside the workspace are not followed: they belong to
// whoever wrote it, and could pass it off as a file that is trusted elsewhere.
func Place(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	dir, file := filepath.Split(name)
	dir, inner := filepath.Split(filepath.Clean(dir))
	if root, err := filepath.EvalSymlinks(dir); err == nil {
		dir = root
	}
	return filepath.Join(dir, inner, file)
}

// State tells whether a workspace's file with this text is trusted.
func (t Trust) State(name string, text []byte) TrustState {
	r, known := t.record(name)
	switch {
	case !known:
		return Untrusted
	case r.SHA256 != sum(text):
		return Changed
	}
	return Trusted
}

// Add trusts a workspace's file as long as it has this text.
func (t Trust) Add(name string, text []byte) error {
	if t == "" {
		return errNoTrust
	}
	r := trustRecord{Path: Place(name), SHA256: sum(text)}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return outfile.Write(t.file(r.Path), append(line, '\n'), 0o600)
}

// Revoke trusts a workspace's file no longer, and tells whether it did before,
// with this content or another.
func (t Trust) Revoke(name string) (bool, error) {
	if _, known := t.record(name); !known {
		return false, nil
	}
	return true, os.Remove(t.file(Place(name)))
}

// List lists the files that are trusted or were before they changed, by path.
func (t Trust) List() ([]TrustedFile, error) {
	found, err := os.ReadDir(string(t))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string]TrustState{}
	for _, entry := range found {
		r, err := readRecord(filepath.Join(string(t), entry.Name()))
		if err != nil || t.file(r.Path) != filepath.Join(string(t), entry.Name()) {
			continue // not ours
		}
		all[r.Path] = Gone
		if text, err := ReadFile(Workspace, r.Path); err == nil {
			all[r.Path] = t.State(r.Path, text)
		}
	}
	var list []TrustedFile
	for _, path := range slices.Sorted(maps.Keys(all)) {
		list = append(list, TrustedFile{path, all[path]})
	}
	return list, nil
}

var errNoTrust = errors.New("no home directory to store the list of trusted files in")

// record is what is remembered of a file. A record that cannot be read, or is
// another file's, is none.
func (t Trust) record(name string) (r trustRecord, known bool) {
	if t == "" {
		return r, false
	}
	path := Place(name)
	r, err := readRecord(t.file(path))
	return r, err == nil && r.Path == path
}

func readRecord(name string) (r trustRecord, err error) {
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

func (t Trust) file(path string) string {
	return filepath.Join(string(t), sum([]byte(path))+".json")
}

func sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
