package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tenfold/store/storetest"
)

// manyLogs is how many logs the rivals have, and manyAppends how often each of
// the eight writers of a process appends.
const (
	manyLogs    = 200
	manyAppends = 60
)

func rivals(ctx context.Context, s *Store, name string) error {
	var ids []string
	for c, err := range s.Conversations(ctx) {
		if err != nil {
			return err
		}
		ids = append(ids, c.ID)
	}
	wins, err := storetest.Contend(ctx, s, name, 8, ids, func(done int) bool { return done < manyAppends })
	out := bufio.NewWriter(os.Stdout)
	for _, w := range wins {
		fmt.Fprintln(out, w.Conversation, w.Version, w.ID)
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// Sixteen writers in two processes, on one log and on many: every version has
// one winner, and nothing is lost (L8, D2).
func TestTwoProcessesManyLogs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, manyLogs} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ids := storetest.Conversations(t, s, n)
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var children []*exec.Cmd
			var outs []*bytes.Buffer
			for _, name := range []string{"x", "y"} {
				cmd, out := exec.Command(exe, path, name), &bytes.Buffer{}
				cmd.Env = append(os.Environ(), childEnv+"=rivals")
				cmd.Stdout, cmd.Stderr = out, os.Stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				children, outs = append(children, cmd), append(outs, out)
			}
			var wins []storetest.Win
			for i, cmd := range children {
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
				for lines := bufio.NewScanner(outs[i]); lines.Scan(); {
					var w storetest.Win
					if _, err := fmt.Sscan(lines.Text(), &w.Conversation, &w.Version, &w.ID); err != nil {
						t.Fatal(err)
					}
					wins = append(wins, w)
				}
			}
			if len(wins) != 2*8*manyAppends {
				t.Errorf("%d of %d appends came through", len(wins), 2*8*manyAppends)
			}
			storetest.CheckWins(t, s, ids, wins)
		})
	}
}
