package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workshop is the scratch repository: a ledger for each part, with a width that
// nobody can guess.
type workshop struct {
	dir    string
	widths []int
}

func partName(i int) string { return fmt.Sprintf("P%03d", i) }
func ledger(i int) string   { return "ledger/" + partName(i) + ".md" }

// newWorkshop makes the repository, the same each time.
func newWorkshop(ctx context.Context, dir string, parts int) (*workshop, error) {
	w := &workshop{dir: dir}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time, and no secret
	words := strings.Fields("oak ash beech pine glue clamp plane saw chisel bench sanded cut joined turned dried stacked marked measured checked left right upper lower inner outer edge face grain knot end")
	for i := range parts {
		w.widths = append(w.widths, 1000+random.IntN(9000))
		lines := []string{"# Ledger of " + partName(i), "", "State: open", ""}
		at := random.IntN(120)
		for n := range 120 {
			if n == at {
				lines = append(lines, fmt.Sprintf("- Width of part %s: %d mm", partName(i), w.widths[i]))
			}
			note := make([]string, 9)
			for j := range note {
				note[j] = words[random.IntN(len(words))]
			}
			lines = append(lines, "- "+strings.Join(note, " "))
		}
		if err := w.write(ledger(i), strings.Join(lines, "\n")+"\n"); err != nil {
			return nil, err
		}
	}
	if err := w.write("archive/old.txt", "Never touch this.\n"); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"config", "user.name", "Clerk"},
		{"config", "user.email", "clerk@example.org"},
		{"add", "."},
		{"commit", "--quiet", "--message", "Begin"},
	} {
		if _, err := w.git(ctx, args...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *workshop) write(name, text string) error {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

func (w *workshop) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", w.dir}, args...)...).CombinedOutput() //nolint:gosec // the arguments are above
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// check lists what is wrong with the work tree: it goes by the files alone.
func (w *workshop) check(ctx context.Context) (wrong []string) {
	for i, width := range w.widths {
		plan, err := os.ReadFile(filepath.Join(w.dir, "plans", partName(i)+".txt"))
		if want := fmt.Sprintf("width: %d mm\n", width); err != nil || string(plan) != want {
			wrong = append(wrong, fmt.Sprintf("the plan of %s says %q, not %q", partName(i), plan, want))
		}
		page, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(ledger(i))))
		if err != nil || !strings.Contains(string(page), "\nState: done\n") || strings.Contains(string(page), "State: open") {
			wrong = append(wrong, "the ledger of "+partName(i)+" is not done")
		}
	}
	if old, err := os.ReadFile(filepath.Join(w.dir, "archive", "old.txt")); err != nil || string(old) != "Never touch this.\n" {
		wrong = append(wrong, "the archive was touched")
	}
	if status, err := w.git(ctx, "status", "--porcelain"); err != nil || status != "" {
		wrong = append(wrong, "not all is committed: "+status)
	}
	if commits, err := w.git(ctx, "rev-list", "--count", "HEAD"); err != nil || commits != "6" {
		wrong = append(wrong, "there are "+commits+" commits, not 6")
	}
	return wrong
}
