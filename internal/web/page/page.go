// Package page is the page of "tenfold serve": its sources in TypeScript under src,
// the libraries they use under vendor, and what a browser gets under dist.
//
// dist is made by "go generate" with esbuild's Go API, without Node, and committed.
// It belongs to the sources when what [Digest] gives of them is what dist/built.json
// records.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:generate go run ./build

//go:embed dist
var dist embed.FS

// Files holds index.html, which is the answer at every route of the page, the
// licences of the libraries in it, and assets/, whose names change with their content,
// so that they may be cached for ever.
func Files() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is fixed
	}
	return sub
}

// Digest is the SHA-256 of the sources of the page in dir: all files under src and
// vendor, and the program that builds, by name and content.
func Digest(dir fs.FS) (string, error) {
	all := sha256.New()
	for _, root := range []string{"build", "src", "vendor"} {
		err := fs.WalkDir(dir, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(path.Base(name), ".") {
				return err
			}
			content, err := fs.ReadFile(dir, name)
			if err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
			fmt.Fprintf(all, "%s %x\n", name, sha256.Sum256(content))
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
