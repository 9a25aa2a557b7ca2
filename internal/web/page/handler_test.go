package page_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold/internal/web/page"
)

func TestThePagesFiles(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"index.html":              {Data: []byte("<p>index")},
		"licences.txt":            {Data: []byte("MIT")},
		"assets/main-AB12CD34.js": {Data: []byte("1")},
		"assets/plain.css":        {Data: []byte("p{}")},
		"assets/odd.bin":          {Data: []byte("<script>")},
	}
	h := page.Handler(files)
	ask := func(method, path string, headers ...string) (int, http.Header, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, "/", http.NoBody)
		r.URL.Path = path
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body, _ := io.ReadAll(w.Body)
		return w.Code, w.Header(), string(body)
	}
	const forever = "max-age=31536000, immutable"
	for _, c := range []struct {
		path, mediaType, cache, body string
		status                       int
	}{
		{"/", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/index.html", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/c/1", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/c/an.id.with.dots/view", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/money", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/assets/main-AB12CD34.js", "text/javascript; charset=utf-8", forever, "1", 200},
		{"/assets/plain.css", "text/css; charset=utf-8", "no-cache", "p{}", 200},
		{"/assets/odd.bin", "application/octet-stream", "no-cache", "<script>", 200},
		{"/licences.txt", "text/plain; charset=utf-8", "no-cache", "MIT", 200},
		{"/assets/main-00000000.js", "application/problem+json", "no-store", "not_found", 404},
		{"/nothing.html", "application/problem+json", "no-store", "not_found", 404},
		// Nothing outside of the files, and no list of them.
		{"/assets", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/../guard.go", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/assets/../../../../etc/passwd", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/assets/..\\plain.css", "application/problem+json", "no-store", "not_found", 404},
		{"//assets/plain.css", "application/problem+json", "no-store", "not_found", 404},
		{"/assets/plain.css/", "text/html; charset=utf-8", "no-cache", "<p>index", 200},
		{"/assets/plain.css\x00.js", "application/problem+json", "no-store", "not_found", 404},
		{"/ASSETS/plain.css", "application/problem+json", "no-store", "not_found", 404},
	} {
		status, header, body := ask(http.MethodGet, c.path)
		if status != c.status || header.Get("Content-Type") != c.mediaType || header.Get("Cache-Control") != c.cache || !strings.Contains(body, c.body) {
			t.Errorf("%q gives %d, %v, %q", c.path, status, header, body)
		}
		if status != http.StatusOK {
			continue
		}
		if status, again, body := ask(http.MethodGet, c.path, "If-None-Match", header.Get("ETag")); status != http.StatusNotModified || body != "" || again.Get("ETag") == "" {
			t.Errorf("%q, unchanged, gives %d, %q", c.path, status, body)
		}
		if status, _, body := ask(http.MethodHead, c.path); status != http.StatusOK || body != "" {
			t.Errorf("HEAD %q gives %d, %q", c.path, status, body)
		}
	}
	_, one, _ := ask(http.MethodGet, "/")
	_, other, _ := ask(http.MethodGet, "/licences.txt")
	if one.Get("ETag") == other.Get("ETag") {
		t.Error("two contents have one tag")
	}
}

// What the built page refers to is there, and no script or style stands in it.
func TestTheBuiltPageFitsItsPolicy(t *testing.T) {
	t.Parallel()
	h := page.Handler(page.Files())
	get := func(path string) (int, string, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		return w.Code, w.Body.String(), w.Header().Get("Cache-Control")
	}
	_, index, _ := get("/")
	parts := strings.Split(index, "<script")
	if len(parts) < 2 {
		t.Fatalf("the index has no script: %s", index)
	}
	for _, part := range parts[1:] {
		tag, rest, _ := strings.Cut(part, ">")
		_, src, _ := strings.Cut(tag, `src="`)
		src, _, _ = strings.Cut(src, `"`)
		if status, _, cache := get(src); !strings.HasPrefix(src, "/assets/") || status != http.StatusOK || !strings.HasSuffix(cache, "immutable") {
			t.Errorf("the script %q: %d, %s", src, status, cache)
		}
		if inline, _, _ := strings.Cut(rest, "</script>"); strings.TrimSpace(inline) != "" {
			t.Errorf("a script in the page: %s", inline)
		}
	}
	for _, not := range []string{"<style", " style=", " onload=", "http://", "https://"} {
		if strings.Contains(index, not) {
			t.Errorf("the index has %s", not)
		}
	}
}
