package command

import (
	"testing"

	"tenfold/problem"
)

func TestNearest(t *testing.T) {
	names := []string{"strategy", "profile", "from", "keep", "keep-last", "dry-run", "no-activate", "to"}
	for word, want := range map[string]string{
		"stategy": "strategy", "profil": "profile", "form": "from", "dryrun": "dry-run", "Profile": "profile",
		"no-actviate": "no-activate", "kepe": "keep", "stra": "strategy", "keeplast": "keep-last", "wide": "", "x": "", "t": "",
	} {
		if got := problem.Nearest(word, names); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}
