package library_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/web/page/build/library"
)

// pack makes the tarball of a package.
func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o600, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A tarball is taken only if it is the one that the lock names; of it only what the
// page uses.
func TestUnpack(t *testing.T) {
	t.Parallel()
	tarballs, vendor := t.TempDir(), t.TempDir()
	packed := pack(t, map[string]string{"package.json": "{}", "LICENSE": "Use it.\n", "dist/loaf.js": "bake()", "dist/other.js": "burn()", "../../evil": "x"})
	sum := sha512.Sum512(packed)
	lock := func(file string) {
		write(t, filepath.Join(vendor, "lock.json"), fmt.Appendf(nil, `[{"name": "@bake/loaf", "version": "1.2.3", "integrity": "sha512-%s", "files": [%q]}]`, base64.StdEncoding.EncodeToString(sum[:]), file))
	}
	lock("dist/loaf.js")
	tarball := filepath.Join(tarballs, "bake-loaf-1.2.3.tgz")
	write(t, tarball, append(bytes.Clone(packed), 0))
	if err := library.Unpack(tarballs, vendor); err == nil || !strings.Contains(err.Error(), "SHA-512") {
		t.Fatalf("of another tarball the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(vendor, "@bake")); err == nil {
		t.Error("another tarball was unpacked")
	}
	write(t, tarball, packed)
	if err := library.Unpack(tarballs, vendor); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(vendor, "@bake", "loaf", "*", "*"))
	if err != nil || len(found) != 1 || filepath.Base(found[0]) != "loaf.js" {
		t.Errorf("unpacked are %v, %v", found, err)
	}
	text, err := library.Licences(vendor)
	if err != nil || string(text) != "@bake/loaf 1.2.3\n\nUse it.\n\n" {
		t.Errorf("the licences are %q, %v", text, err)
	}
	lock("dist/none.js")
	if err := library.Unpack(tarballs, vendor); err == nil || !strings.Contains(err.Error(), "it has no dist/none.js") {
		t.Errorf("of a missing file the error is %v", err)
	}
}
