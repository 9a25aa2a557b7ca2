package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold/fleet/tenant"
	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/store/postgres/pgtest"
)

// ran is what a command wrote.
type ran struct {
	code      int
	out, errs string
}

// attempt runs a command that may fail.
func attempt(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	a := &command.App{Now: time.Now, Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}}
	code := cli.Execute(t.Context(), a, args)
	return ran{code, out.String(), errs.String()}
}

// Operators make tenants and tokens on the command line; with a token all commands
// work on the tenant's store behind a server, as far as its scopes and limits go.
func TestTenantsOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	config := []string{"--config", filepath.Join(dir, "c.toml")}
	for name, text := range map[string]string{
		"play.jsonl": "",
		"c.toml":     "[providers.demo]\ntype = \"script\"\nfile = \"play.jsonl\"\n[conversation.compaction]\nsummarizer_model = \"demo/writer\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url := pgtest.Start(t).Database(t)
	t.Setenv("TENFOLD_STORE", url)
	must := func(args ...string) string {
		t.Helper()
		r := attempt(t, args...)
		if r.code != command.ExitOK {
			t.Fatalf("%v: %d %s", args, r.code, r.errs)
		}
		return r.out
	}
	must("tenant", "create", "kitchen", "--max-entries", "60", "--max-bytes", "1G")
	if r := attempt(t, "tenant", "create", "kitchen"); r.code != command.ExitFailed || !strings.Contains(r.errs, "the name is in use") {
		t.Errorf("twice: %+v", r)
	}
	if got := must("tenant", "limits", "kitchen", "--max-jobs", "7", "--max-bytes", "none"); got != "entries 60, jobs 7, jobs at once 4, models none\n" {
		t.Errorf("the limits are %q", got)
	}
	secret := func(args ...string) string {
		t.Helper()
		text := strings.TrimSuffix(must(args...), "\n")
		if _, err := tenant.ParseSecret(text); err != nil {
			t.Fatalf("%v prints %q", args, text)
		}
		return text
	}
	writer := secret("token", "create", "kitchen", "--label", "ci", "--scopes", "append,read", "--expires", "1d")
	must("tenant", "create", "bistro", "--models", "allow")
	if r := attempt(t, "tenant", "limits", "bistro", "--models", "all"); r.code != command.ExitUsage || !strings.Contains(r.errs, "write allow or none") {
		t.Errorf("a value that is none: %+v", r)
	}
	guest := secret("token", "create", "bistro", "--label", "guest", "--scopes", "admin")
	boss := secret("token", "create", "kitchen", "--label", "boss", "--scopes", "admin")
	id := strings.Split(writer, "_")[2]
	if list := must("token", "ls", "kitchen"); !strings.Contains(list, id+"  ci, read,append, valid, never used, ends ") || strings.Contains(list, writer[20:]) {
		t.Errorf("the tokens are\n%s", list)
	}

	ctx, stop := context.WithCancel(t.Context())
	served := &screen{}
	a := &command.App{Now: time.Now, Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(served), Err: served}}
	ended := make(chan int)
	go func() { ended <- cli.Execute(ctx, a, append([]string{"serve", "--no-open"}, config...)) }()
	defer func() {
		stop()
		if code := <-ended; code != command.ExitOK {
			t.Errorf("the server ends with %d: %s", code, served.all.String())
		}
	}()
	address := served.until(t, `http://127\.0\.0\.1:\d+`)
	t.Setenv("TENFOLD_STORE", address)
	as := func(token string, args ...string) ran {
		t.Helper()
		t.Setenv("TENFOLD_TOKEN", token)
		return attempt(t, args...)
	}
	if r := as(writer, "c", "import", "../testdata/bakery.jsonl"); r.code != command.ExitOK {
		t.Fatalf("import: %+v", r)
	}
	for _, c := range []struct {
		token string
		args  string
		says  string // empty: it works
	}{
		{writer, "c show", ""},
		{writer, "c search bread", ""},
		{writer, "c compact --strategy strip-tools", "the token lacks the scope compact\nhint:  use a token with the scope compact; this one has read,append"},
		{writer, "c rm 7d1f --yes", "the token lacks the scope admin"},
		{boss, "c compact --strategy strip-tools", ""},
		{boss, "c undo", ""},
		{boss, "c import ../../../examples/session.jsonl", "limit of 60 entries is reached\nhint:  delete conversations"},
		{"", "c ls", "set TENFOLD_TOKEN"},
		{writer[:len(writer)-1] + "!", "c ls", "malformed token\nhint:  check TENFOLD_TOKEN"},
		{strings.Replace(writer, "tf_2_", "tf_1_", 1), "c ls", "the token is not known here\nhint:  check TENFOLD_TOKEN"},
	} {
		r := as(c.token, strings.Fields(c.args)...)
		if (r.code == command.ExitOK) != (c.says == "") || !strings.Contains(r.errs, c.says) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	if r := as(guest, "c", "import", "../testdata/bakery.jsonl"); r.code != command.ExitOK {
		t.Fatalf("import: %+v", r)
	}
	// A model is the operator's: a tenant's wish for one is refused unless it may, and no
	// model is shown.
	for _, one := range []struct{ token, path, want string }{
		{boss, "POST /api/conversations/7d1f/compactions", `"code":"no_models"`},
		{boss, "GET /api/meta", `"agent":false`},
		{boss, "POST /api/conversations/7d1f/messages", "no token of a tenant allows this"},
		{guest, "POST /api/conversations/7d1f/compactions", "demo/writer gave no summary"},
		{guest, "POST /api/conversations/7d1f/messages", "no token of a tenant allows this"},
	} {
		method, path, _ := strings.Cut(one.path, " ")
		body := `{"strategies":["summarize"],"to":"2"}`
		if method == http.MethodGet {
			body = ""
		}
		r, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+one.token)
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		_, _ = text.ReadFrom(got.Body)
		_ = got.Body.Close()
		if !strings.Contains(text.String(), one.want) || one.token == boss && strings.Contains(text.String(), "demo/writer") {
			t.Errorf("%s %s: %d %s", method, path, got.StatusCode, &text)
		}
	}

	t.Setenv("TENFOLD_STORE", url)
	if r := attempt(t, "c", "ls"); r.code != command.ExitOK || strings.Contains(r.out, "7d1f") {
		t.Errorf("another tenant sees %+v", r)
	}
	if r := attempt(t, "c", "ls", "--store", url+"&tenant=kitchen"); r.code != command.ExitOK || !strings.Contains(r.out, "7d1f") {
		t.Errorf("the tenant's own store has %+v", r)
	}
	next := secret("token", "rotate", "kitchen", id[:6], "--grace", "1h")
	must("token", "revoke", "kitchen", id)
	audit := must("tenant", "audit", "kitchen", "--since", "1h")
	for _, want := range []string{
		"operator: token revoke " + id + ": done", "operator: token rotate " + id + ": replaced by " + strings.Split(next, "_")[2] + "; ends in 1h0m0s",
		id + " (ci): delete 7d1f6a30-bakery: refused", "(boss): undo 7d1f6a30-bakery: done", "(boss): compact 7d1f6a30-bakery: done", "operator: tenant create kitchen: done",
	} {
		if !strings.Contains(audit, want) {
			t.Errorf("no %q in\n%s", want, audit)
		}
	}
	if lines := strings.Split(strings.TrimSpace(must("tenant", "ls", "--json")), "\n"); len(lines) != 3 || !strings.Contains(lines[2], `"name":"kitchen"`) || !strings.Contains(lines[2], `"conversations":1`) || !strings.Contains(lines[0], `"models":true`) {
		t.Errorf("the tenants are %s", lines)
	}
	if _, err := os.Stat(filepath.Join(dir, "tenfold", "tenfold.db")); err == nil {
		t.Error("a store was made beside")
	}
}
