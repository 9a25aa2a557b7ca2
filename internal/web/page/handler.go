package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"time"

	"tenfold/internal/web/shape"
)

// A static is a file held ready.
type static struct {
	data      []byte
	mediaType string
	tag       string
	immutable bool
}

// hashed is how esbuild names files by their content.
var hashed = regexp.MustCompile(`-[0-9A-Z]{8}\.[a-z0-9]+$`)

// mediaTypes are what a file is, whatever the machine believes.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".json": "application/json", ".txt": "text/plain; charset=utf-8",
}

// Handler serves the files of the page by their exact path, and index.html at every
// path that looks like no file: the page itself reads there what to show.
func Handler(files fs.FS) http.Handler {
	all := map[string]static{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		all["/"+name] = static{data, cmp.Or(mediaTypes[path.Ext(name)], "application/octet-stream"), `"` + hex.EncodeToString(sum[:12]) + `"`, hashed.MatchString(name)}
		return nil
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := all[r.URL.Path]
		if !ok && mediaTypes[path.Ext(r.URL.Path)] == "" {
			f, ok = all["/index.html"]
		}
		if !ok {
			w.Header().Set("Cache-Control", "no-store")
			shape.NewProblem(http.StatusNotFound, "not_found", "no such page", `start at "/"`).Write(w)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.mediaType)
		h.Set("ETag", f.tag)
		h.Set("Cache-Control", "no-cache")
		if f.immutable {
			h.Set("Cache-Control", "max-age=31536000, immutable")
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
	})
}
