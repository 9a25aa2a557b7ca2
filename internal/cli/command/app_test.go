package command

import (
	"testing"

	"tenfold/problem"
	"tenfold/store"
)

// A race that is lost is run again, but not for ever.
func TestRetried(t *testing.T) {
	for _, tt := range []struct{ conflicts, calls int }{{0, 1}, {3, 4}, {100, RaceTries}} {
		calls := 0
		err := Retried(t.Context(), func() error {
			if calls++; calls <= tt.conflicts {
				return &store.ConflictError{}
			}
			return nil
		})
		if calls != tt.calls || (err != nil) != (tt.conflicts > RaceTries) {
			t.Errorf("%d conflicts: %d calls, %v", tt.conflicts, calls, err)
		}
	}
}

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
