package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"tenfold/containment"
	"tenfold/store/memory"
)

func TestMain(m *testing.M) {
	containment.Enter()
	os.Exit(m.Run())
}

// The demonstration, whole: what it claims is so.
func TestA2TheDemonstrationHolds(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	r, err := play(t.Context(), memory.New(), filepath.Join(t.TempDir(), "workshop"), 96, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if r.steps != 400 || len(r.compactions) < 5 || r.over != 0 || r.largest > window || r.largest < window/2 {
		t.Errorf("%d steps, %d compactions, %d requests over, the largest of %d tokens", r.steps, len(r.compactions), r.over, r.largest)
	}
	sum := 0
	for _, count := range r.fates {
		sum += count.Entries
	}
	if sum != r.entries || r.raw < 4*window {
		t.Errorf("the fates of %d entries are known, the log has %d of %d tokens", sum, r.entries, r.raw)
	}
	if r.found != 96 || r.lost != 0 || len(r.wrong) > 0 {
		t.Errorf("%d facts were recalled, %d not: %v", r.found, r.lost, r.wrong)
	}
}

// The check of the work tree finds what is wrong.
func TestTheCheckOfTheWorkTreeFinds(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	w, err := newWorkshop(t.Context(), t.TempDir(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.write("archive/old.txt", "touched"); err != nil {
		t.Fatal(err)
	}
	wrong := w.check(t.Context())
	for _, want := range []string{`the plan of P003 says "", not`, "the ledger of P000 is not done", "the archive was touched", "not all is committed", "there are 1 commits"} {
		if !slices.ContainsFunc(wrong, func(s string) bool { return len(s) >= len(want) && s[:len(want)] == want }) {
			t.Errorf("not found: %s in %q", want, wrong)
		}
	}
}
