package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"tenfold/internal/web/page"
)

// What is served was built of the sources that stand here. That it is byte for byte
// what they make, "go run ./build -check" proves in .ci/run.
func TestDistIsBuiltOfTheSources(t *testing.T) {
	t.Parallel()
	want, err := page.Digest(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(page.Files(), "built.json")
	if err != nil {
		t.Fatal(err)
	}
	var built struct{ Sources string }
	if err := json.Unmarshal(text, &built); err != nil {
		t.Fatal(err)
	}
	if built.Sources != want {
		t.Errorf("dist was built of other sources: run go generate ./internal/web/page")
	}
}

// All script of the page together, packed, is what a reader's browser has to load.
func TestScriptIsSmall(t *testing.T) {
	t.Parallel()
	const most = 120 << 10
	names, err := fs.Glob(page.Files(), "assets/*.js")
	if err != nil || len(names) < 2 {
		t.Fatalf("scripts %v, error %v", names, err)
	}
	var packed bytes.Buffer
	for _, name := range names {
		text, err := fs.ReadFile(page.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d bytes in %d scripts", packed.Len(), len(names))
	if packed.Len() > most {
		t.Errorf("scripts are %d bytes packed, more than %d", packed.Len(), most)
	}
}

// The policy of the server forbids inline script and style, and other addresses.
func TestIndexNamesOnlyWhatIsServed(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(page.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(string(text), -1)
	if len(names) < 4 {
		t.Fatalf("index.html names %v", names)
	}
	for _, n := range names {
		if n[1] == "data:," { // the icon: none is asked for
			continue
		}
		if _, err := fs.Stat(page.Files(), strings.TrimPrefix(n[1], "/")); err != nil {
			t.Errorf("%s: %v", n[1], err)
		}
	}
	if regexp.MustCompile(`<script>|<style|style=|onload=`).Match(text) {
		t.Errorf("index.html has script or style in it:\n%s", text)
	}
}

func TestLicencesOfAllLibraries(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(page.Files(), "licences.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"preact ", "@preact/signals ", "@preact/signals-core ", "@tanstack/virtual-core ", "uplot "} {
		if !strings.Contains(string(text), "\n"+name) && !strings.HasPrefix(string(text), name) {
			t.Errorf("licences.txt does not have %s", name)
		}
	}
	if n := strings.Count(string(text), "Permission is hereby granted"); n != 5 {
		t.Errorf("%d licences, expected 5", n)
	}
}
