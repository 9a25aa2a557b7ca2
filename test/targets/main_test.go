package main

import (
	"os"
	"strings"
	"testing"
)

func TestCheckFindsWhatDoesNotCompile(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.26\n",
		"a.go":         "package m\n\nvar big int = limit\n",
		"b_linux.go":   "package m\n\nconst limit = 1 << 40\n",
		"b_windows.go": "package m\n\nimport \"syscall\"\n\nconst limit = 1\n\nvar _ syscall.Handle\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]string{
		"linux/amd64": "", "windows/amd64": "",
		"linux/386": "1 errors", "darwin/arm64": "1 errors", "plan9/none": "unsupported GOOS/GOARCH", "linux": "want a system",
	} {
		err := check(target, "./...")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
	}
}
