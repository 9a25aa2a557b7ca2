// Package library takes the libraries of the page out of their tarballs, each
// verified, and tells their licences.
package library

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A library is a package of the npm registry of which the page uses some files.
type library struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Integrity string   `json:"integrity"` // of its tarball, as the registry says it
	Files     []string `json:"files"`     // besides package.json and LICENSE
}

// tarball is the name that "npm pack" gives.
func (l library) tarball() string {
	return strings.ReplaceAll(strings.TrimPrefix(l.Name, "@"), "/", "-") + "-" + l.Version + ".tgz"
}

// Licences is what has to be kept with the bundle: the notices of all libraries in vendor.
func Licences(vendor string) ([]byte, error) {
	all, err := locked(vendor)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, l := range all {
		text, err := os.ReadFile(filepath.Join(vendor, l.Name, "LICENSE"))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s %s\n\n%s\n\n", l.Name, l.Version, bytes.TrimSpace(text))
	}
	return b.Bytes(), nil
}

// Unpack writes the files of all libraries from their tarballs into vendor. Nothing is
// written of a tarball that is another than the lock says.
func Unpack(tarballs, vendor string) error {
	all, err := locked(vendor)
	if err != nil {
		return err
	}
	for _, l := range all {
		packed, err := os.ReadFile(filepath.Join(tarballs, l.tarball()))
		if err != nil {
			return err
		}
		if sum := sha512.Sum512(packed); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != l.Integrity {
			return fmt.Errorf("%s is not what lock.json has: its SHA-512 differs", l.tarball())
		}
		files, err := l.filesOf(packed)
		if err != nil {
			return fmt.Errorf("%s: %w", l.tarball(), err)
		}
		dir := filepath.Join(vendor, l.Name)
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		for name, content := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // files of the repository
				return err
			}
			if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // as above
				return err
			}
		}
	}
	return nil
}

// filesOf gives the files that the page uses, by name in the package.
func (l library) filesOf(packed []byte) (map[string][]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	want := append([]string{"package.json", "LICENSE"}, l.Files...)
	files := map[string][]byte{}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if name := strings.TrimPrefix(h.Name, "package/"); slices.Contains(want, name) {
			if files[name], err = io.ReadAll(r); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range want {
		if files[name] == nil {
			return nil, fmt.Errorf("it has no %s", name)
		}
	}
	return files, nil
}

// locked reads what libraries there are to be.
func locked(dir string) ([]library, error) {
	text, err := os.ReadFile(filepath.Join(dir, "lock.json"))
	if err != nil {
		return nil, err
	}
	var all []library
	return all, json.Unmarshal(text, &all)
}
