package cli

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/store/memory"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/remote"
)

// A store on another machine serves like the local one: import and compact,
// list, undo; and what is active is remembered on this machine.
func TestSharedStores(t *testing.T) {
	t.Run("PostgreSQL", func(t *testing.T) {
		testSharedStore(t, pgtest.Start(t).Database(t))
	})
	t.Run("Server", func(t *testing.T) {
		h := remote.Handler(memory.New())
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer open sesame" || !strings.HasPrefix(r.URL.Path, "/api/store/") {
				http.Error(w, `{"detail":"unknown token"}`, http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		}))
		defer server.Close()
		t.Setenv("TENFOLD_TOKEN", "open sesame")
		testSharedStore(t, server.URL)
		t.Setenv("TENFOLD_TOKEN", "")
		var errs bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(io.Discard), Err: &errs}
		if code := Run(t.Context(), []string{"conversation", "ls"}, term); code != command.ExitFailed || !strings.Contains(errs.String(), "unknown token") || !strings.Contains(errs.String(), "TENFOLD_TOKEN") {
			t.Errorf("without a token the exit code is %d: %s", code, errs.String())
		}
	})
}

func testSharedStore(t *testing.T, url string) {
	t.Setenv("TENFOLD_STORE", url)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for _, step := range []struct{ args, want string }{
		{"compact ../../examples/session.jsonl --strategy micro --cfg conversation.compaction.keep_last=4", "% smaller)"},
		{"config show conversation.compaction.keep_last --origin", "keep_last = 4  # conversation"},
		{"conversation ls", "131fd58e"},
		{"conversation undo", "Undone"},
		{"conversation compact --keep 10k --strategy auto", "% smaller)"},
		{"conversation diff", "total"},
		{"conversation rm 131fd58e --yes", ""},
	} {
		var out, errs bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}
		if code := Run(t.Context(), strings.Fields(step.args), term); code != command.ExitOK {
			t.Fatalf("%s: the exit code is %d: %s", step.args, code, errs.String())
		}
		if !strings.Contains(out.String(), step.want) {
			t.Errorf("%s prints\n%s", step.args, out.String())
		}
	}
}
