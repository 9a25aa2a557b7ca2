package cli

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold/internal/cli/command"
)

// opencode keeps its sessions in a database: the copy goes to a file beside the
// store, and the client's own import takes it in before it goes on.
func TestResumeOpenCode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the client is a shell script")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here, data := filepath.Join(home, "work"), filepath.Join(home, "data")
	for _, dir := range []string{here, filepath.Join(data, "opencode"), filepath.Join(home, "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("../../transcript/testdata/opencode/database.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "opencode", "opencode.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(string(script) + "; UPDATE session SET directory = '" + here + "' WHERE id = 'ses_root'")
	if closing := db.Close(); err != nil || closing != nil {
		t.Fatal(err, closing)
	}
	client := "#!/bin/sh\necho \"opencode $*\"\n[ \"$1\" != import ] || grep -c ses_ \"$2\"\n[ \"$1\" = import ] || exit 5\n"
	if err := os.WriteFile(filepath.Join(home, "bin", "opencode"), []byte(client), 0o700); err != nil {
		t.Fatal(err)
	}
	tenfold := func(args ...string) (out, errs string, code int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Dir = here
		cmd.Env = []string{
			childEnv + "=1", "HOME=" + home, "XDG_DATA_HOME=" + data, "XDG_CONFIG_HOME=" + home,
			"PATH=" + filepath.Join(home, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		}
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}

	out, errs, code := tenfold("resume", "opencode", "--json")
	var report struct {
		Conversation, Path string
		Resume             []string
	}
	if err := json.Unmarshal([]byte(out), &report, json.MatchCaseInsensitiveNames(true)); code != command.ExitOK || err != nil {
		t.Fatalf("%d, %v: %s%s", code, err, out, errs)
	}
	if report.Conversation != "ses_root" || filepath.Dir(report.Path) != filepath.Join(data, "tenfold", "resume") {
		t.Errorf("it is %s in %s", report.Conversation, report.Path)
	}
	if len(report.Resume) != 2 || report.Resume[0] != "opencode import '"+report.Path+"'" && report.Resume[0] != "opencode import "+report.Path ||
		!strings.HasPrefix(report.Resume[1], "opencode --session ses_") || strings.Contains(report.Resume[1], "ses_root") {
		t.Errorf("the commands are %q", report.Resume)
	}

	out, errs, code = tenfold("resume", "opencode", "--exec", "-q")
	if code != 5 || !strings.Contains(errs, "opencode import "+report.Path+"\n1\n") || !strings.HasSuffix(out, report.Resume[1]+"\n") {
		t.Errorf("%d: %s\n%s", code, out, errs)
	}
	// A sub-agent's session is not one to go on with, and others are of another
	// directory.
	if _, errs, code = tenfold("resume", "opencode", "ses_child", "--dry-run"); code != command.ExitFailed || !strings.Contains(errs, "no such session") {
		t.Errorf("%d: %s", code, errs)
	}
	if out, errs, code = tenfold("resume", "opencode", "--last", "--dry-run"); code != command.ExitOK || !strings.Contains(errs, "session ses_orphan") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}
