package cli

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/live"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
)

// toy is a client with one file and one edit.
type toy struct{ echo }

func (toy) About() hook.About {
	return hook.About{Name: "agent", Title: "Agent", Commands: []string{"agent"}, Since: "1.0", Tested: "1.2", Adapter: 1}
}

func (toy) Files(p hook.Place) ([]hook.File, error) {
	root := p.Home
	if p.Scope == hook.Project {
		root = p.Dir
	}
	return []hook.File{
		{Path: filepath.Join(root, ".agent", "tenfold.js"), Content: []byte("// " + p.Binary)},
		{Path: filepath.Join(root, ".agent.json"), Edits: []hook.Edit{{At: []string{"plugins"}, Value: `"tenfold"`, Append: true}}},
	}, nil
}

// machine is a home and a project with an agent of a version on the PATH.
func machine(t *testing.T, version string) (home, project string) {
	t.Helper()
	home, project = t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("TENFOLD_STORE", "")
	t.Setenv("TZ", "UTC")
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Chdir(project)
	if version != "" {
		if err := os.WriteFile(filepath.Join(bin, "agent"), []byte("#!/bin/sh\necho "+version+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return home, project
}

// unwrapped is a text without its line breaks and columns.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// runLine runs a command line, and gives what it printed and its exit code.
func runLine(t *testing.T, line string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &command.App{
		Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&stdout), Err: &stderr},
		Now:      func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, Clients: []hook.Client{toy{}},
	}
	code = Execute(t.Context(), a, strings.Fields(line))
	return stdout.String(), stderr.String(), code
}

func TestInstallAndUninstall(t *testing.T) {
	home, project := machine(t, "1.1")
	out, errs, code := runLine(t, "install agent --dry-run")
	if want := "create     " + home + "/.agent/tenfold.js\ncreate     " + home + "/.agent.json\n"; out != want || errs != "dry run: nothing was written\n" || code != command.ExitOK {
		t.Errorf("the dry run is %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(home, ".agent")); err == nil {
		t.Error("the dry run wrote")
	}
	if _, errs, code = runLine(t, "install agent"); errs != "installed for Agent, user scope\nrestart Agent to load the plug-in\n" || code != command.ExitOK {
		t.Errorf("it is %d: %s", code, errs)
	}
	if _, errs, _ = runLine(t, "install agent"); errs != "nothing to do: already installed for Agent, user scope\n" {
		t.Errorf("again: %s", errs)
	}
	if _, errs, code = runLine(t, "install agent --scope project"); errs != "installed for Agent, in "+project+"\nrestart Agent to load the plug-in\n" || code != command.ExitOK {
		t.Errorf("it is %d: %s", code, errs)
	}
	out, _, _ = runLine(t, "install --list")
	if want := "agent         Agent 1.1\n              installed, user scope: current\n              installed, project " + project + ": current\n"; out != want {
		t.Errorf("the list is\n%s", out)
	}
	if err := os.Remove(filepath.Join(project, ".agent", "tenfold.js")); err != nil {
		t.Fatal(err)
	}
	out, _, _ = runLine(t, "install --list --json")
	if want := `,"version":"1.1","support":"supported","since":"1.0","tested":"1.2","installed":[{"scope":"user","state":"current"},{"scope":"project","dir":"` + project + `","state":"missing"}]}` + "\n"; !strings.HasSuffix(out, want) {
		t.Errorf("the list is %s", out)
	}
	if out, _, _ = runLine(t, "doctor"); !strings.Contains(out, "\nwarn  agent ") || !strings.Contains(unwrapped(out), `hint: run "tenfold install agent --scope project" in `+project) {
		t.Errorf("doctor says\n%s", out)
	}
	if _, errs, code = runLine(t, "uninstall agent --scope user"); errs != "removed from Agent, user scope\n" || code != command.ExitOK {
		t.Errorf("it is %d: %s", code, errs)
	}
	out, errs, code = runLine(t, "uninstall agent --json")
	if !strings.Contains(out, `"action":"unchanged","note":"it is gone already"`) || code != command.ExitOK {
		t.Errorf("it is %d: %s%s", code, out, errs)
	}
	for _, left := range []string{home + "/.agent", home + "/.agent.json", project + "/.agent", project + "/.agent.json"} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is left", left)
		}
	}
	if _, errs, code = runLine(t, "uninstall agent"); !strings.Contains(errs, "it is not installed") || code != command.ExitFailed {
		t.Errorf("it is %d: %s", code, errs)
	}
}

func TestInstallSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		version, line, errs string
		code                int
	}{
		{"0.9", "install agent", "install agent: version 0.9 is too old, 1.0 or newer is required", command.ExitFailed},
		{"1.3", "install agent", "tested with Agent up to 1.2, not with 1.3", command.ExitOK},
		{"", "install agent", "Agent was not found on the PATH", command.ExitOK},
		{"1.1", "install agnt", "did you mean agent?", command.ExitUsage},
		{"1.1", "install", "requires a client", command.ExitUsage},
		{"1.1", "install agent --scope all", `invalid --scope value "all"`, command.ExitUsage},
		{"1.1", "install --list agent", "--list takes no client", command.ExitUsage},
		{"1.1", "uninstall", "requires a client", command.ExitUsage},
	} {
		t.Run(c.version+" "+c.line, func(t *testing.T) {
			machine(t, c.version)
			if _, errs, code := runLine(t, c.line); !strings.Contains(errs, c.errs) || code != c.code {
				t.Errorf("it is %d: %s", code, errs)
			}
		})
	}
}

// Doctor shows the events that were not answered, the newest first (V7).
func TestV7DoctorShowsFailures(t *testing.T) {
	machine(t, "2.0")
	a := &command.App{Terminal: &terminal.Terminal{}, Now: time.Now}
	for i, why := range []string{"long ago", "first", "second\x1b[31m"} {
		day := []int{-8, 2, 2}[i]
		live.Host(a).Fail(hook.Failure{Time: time.Date(2026, 1, day, 3, 4, 5, 0, time.UTC), Client: "agent", Event: "compact", Version: "2.0", Why: why})
	}
	out, _, code := runLine(t, "doctor")
	if !strings.Contains(out, "\nok    agent") || !strings.Contains(out, "newer than tested (1.2)") || code != command.ExitOK {
		t.Errorf("it is %d\n%s", code, out)
	}
	second, first := strings.Index(unwrapped(out), `agent 2.0, compact: second\x1b[31m`), strings.Index(unwrapped(out), ", agent 2.0, compact: first")
	if second < 0 || first < second || strings.Contains(out, "long ago") {
		t.Errorf("the failures are\n%s", out)
	}
	out, _, _ = runLine(t, "doctor --json")
	if !strings.Contains(out, `"failure":{"time":"2026-01-02T03:04:05Z","client":"agent","event":"compact","version":"2.0",`) {
		t.Errorf("the failures are\n%s", out)
	}
}

// What doctor asks a person to do does not meet a refusal, and keeps what they chose.
func TestDoctorKnowsHowAPlugInIsRenewed(t *testing.T) {
	home, project := machine(t, "1.1")
	runLine(t, "install agent --no-recall")
	changed := filepath.Join(home, ".agent", "tenfold.js")
	text, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, []byte("// mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	hint := func() string {
		out, _, _ := runLine(t, "doctor")
		return unwrapped(out)
	}
	if out := hint(); !strings.Contains(out, `hint: run "tenfold uninstall agent", then "tenfold install agent --no-recall"`) {
		t.Errorf("of a changed one doctor says\n%s", out)
	}
	// Each place that needs something is named.
	runLine(t, "install agent --scope project")
	if err := os.Remove(filepath.Join(project, ".agent", "tenfold.js")); err != nil {
		t.Fatal(err)
	}
	if out := hint(); !strings.Contains(out, `hint: run "tenfold uninstall agent", then "tenfold install agent --no-recall"; run "tenfold install agent --scope project" in `+project) {
		t.Errorf("of two doctor says\n%s", out)
	}
	runLine(t, "uninstall agent --scope project")
	// Another build's names another program.
	record := filepath.Join(home, "data", "tenfold", "installed.json")
	data, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	other := append(text, " of before"...)
	for path, content := range map[string][]byte{
		changed: other, record: bytes.ReplaceAll(data, fmt.Appendf(nil, "%x", sha256.Sum256(text)), fmt.Appendf(nil, "%x", sha256.Sum256(other))),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := hint(); !strings.Contains(out, "user scope: differs from what this build of Tenfold installs, install it again") || !strings.Contains(out, `hint: run "tenfold install agent --no-recall"`) {
		t.Errorf("of another build's doctor says\n%s", out)
	}
}
