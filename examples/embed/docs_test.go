package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The programs of docs/embedding.md compile as a stranger's module, from the
// page alone, and print what the page says.
func TestThePageCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "embedding.md"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// As "go mod tidy" would: with all that Tenfold requires, nothing else is looked for.
	requires, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, required, _ := strings.Cut(string(requires), "\n")
	programs := strings.Split(string(page), "```go\n")[1:]
	if len(programs) != 2 {
		t.Fatalf("the page has %d programs", len(programs))
	}
	for _, rest := range programs {
		program, rest, _ := strings.Cut(rest, "```\n")
		_, rest, _ = strings.Cut(rest, "$ go run .\n")
		want, _, found := strings.Cut(rest, "```\n")
		if !found {
			t.Fatal("a program without its output")
		}
		dir := t.TempDir()
		for name, text := range map[string]string{
			"main.go": program, "go.sum": string(sums),
			"go.mod": "module example.com/agent\n" + required + "\nrequire tenfold v0.0.0\n\nreplace tenfold => " + root + "\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		build := exec.CommandContext(t.Context(), "go", "build", "-o", "agent", ".")
		build.Dir = dir
		build.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		agent := exec.CommandContext(t.Context(), filepath.Join(dir, "agent"))
		agent.Dir = dir
		if out, err := agent.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("it prints %q, %v; the page says %q", out, err, want)
		}
	}
}
