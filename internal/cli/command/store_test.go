package command

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestStorePath(t *testing.T) {
	for _, tt := range []struct {
		url, path       string
		inMemory, fails bool
	}{
		{"sqlite:///abs/path.db", filepath.FromSlash("/abs/path.db"), false, false},
		{"sqlite://rel.db", "rel.db", false, false},
		{"sqlite://a b/rel.db", filepath.FromSlash("a b/rel.db"), false, false},
		{"memory:", "", true, false},
		{"sqlite:", "", false, true},
		{"sqlite:x.db", "", false, true},
		{"postgres://x", "", false, true},
		{"./x.db", "", false, true},
	} {
		path, inMemory, err := StorePath(tt.url, "--store")
		if path != tt.path || inMemory != tt.inMemory || (err != nil) != tt.fails {
			t.Errorf("%s is %q, %v, %v", tt.url, path, inMemory, err)
		}
		if err != nil && !Explain(err).Usage {
			t.Errorf("%s: %v is not an error of usage", tt.url, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if path, _, err := StorePath("", ""); err != nil || !strings.HasSuffix(filepath.ToSlash(path), "/tenfold/tenfold.db") {
		t.Errorf("the default is %q, %v", path, err)
	}
}
