package command

import (
	"errors"
	"fmt"
	"testing"

	"tenfold/problem"
	"tenfold/store"
)

// What to try against what a store could not do stands in its line, once.
func TestAStoreHints(t *testing.T) {
	t.Parallel()
	failed := store.FailedError{Op: "append to conversation c", Place: "s", Err: errors.New("it is full"), Hint: "free some disk space", Full: true}
	away := failed
	away.Full = false
	said := failed
	said.Err = &problem.Error{Code: "limit", Err: errors.New("it is full")}
	for _, c := range []struct {
		err  error
		code string
	}{{&failed, "disk_full"}, {&away, "store"}, {&said, "disk_full"}} {
		f := Explain(fmt.Errorf("import a: %w", c.err))
		if f.Code != c.code || f.Hint != "free some disk space" || f.Problem != "import a: append to conversation c: store s: it is full" {
			t.Errorf("%+v", f)
		}
	}
	if f := Explain(Hinted(&failed, "mine", "do this")); f.Code != "mine" || f.Hint != "do this" {
		t.Errorf("%+v", f)
	}
}
