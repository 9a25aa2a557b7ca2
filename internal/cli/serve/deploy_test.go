package serve_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/observe"
	"tenfold/internal/cli/terminal"
)

// fleetFiles are what an operator is given to copy.
var fleetFiles = []string{"docs/fleet.md", "deploy/compose.yaml", "deploy/systemd/tenfold-serve.service", "deploy/systemd/tenfold-proxy.service"}

// repoFile reads a file by its path in the repository.
func repoFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commandLines gives the command lines of ours in a file: in blocks of shell, in
// ExecStart, and the list of a compose file's command.
func commandLines(text string) (all [][]string) {
	for _, m := range regexp.MustCompile(`(?m)^(?:ExecStart=/usr/local/bin/)?tenfold ([^\n]*)$`).FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Fields(m[1]))
	}
	for _, m := range regexp.MustCompile("`tenfold ([^`…]*)`").FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Fields(m[1]))
	}
	for _, m := range regexp.MustCompile(`(?m)^  command:\n((?:    - .*\n)+)`).FindAllStringSubmatch(text, -1) {
		var args []string
		for line := range strings.Lines(m[1]) {
			args = append(args, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- ")))
		}
		all = append(all, args)
	}
	return all
}

// Every command line that an operator is told exists, with all its flags and as many
// arguments as it takes.
func TestCommandsOfTheFleetExist(t *testing.T) {
	for _, name := range fleetFiles {
		lines := commandLines(repoFile(t, name))
		if len(lines) == 0 {
			t.Errorf("%s: found no command", name)
		}
		for _, args := range lines {
			a := &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(io.Discard), Err: io.Discard}}
			c, rest, err := cli.Root(a).Find(args)
			if err == nil {
				err = c.ParseFlags(rest)
			}
			if err == nil && c.Args != nil {
				err = c.ValidateArgs(c.Flags().Args())
			}
			if err != nil || !c.Runnable() || !c.HasParent() {
				t.Errorf("%s: tenfold %s: %v", name, strings.Join(args, " "), err)
			}
			checkValues(t, name, c)
		}
	}
}

// checkValues looks at values that flags do not look at by themselves.
func checkValues(t *testing.T, name string, c *cobra.Command) {
	t.Helper()
	value := func(flag string) string {
		if f := c.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	o := &observe.Server{App: &command.App{Terminal: &terminal.Terminal{Err: io.Discard}}, Format: value("log"), Level: value("log-level")}
	if _, err := o.Logger(0); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// Every variable of ours that an operator is told is read by the program, or is one
// of the compose file's own.
func TestVariablesOfTheFleetExist(t *testing.T) {
	read := map[string]bool{}
	variable := regexp.MustCompile(`\bTENFOLD_[A-Z_]+\b`)
	for _, dir := range []string{"internal/cli/command", "internal/cli/serve", "store/vault", "store/postgres", "internal/config", "test/fleet"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") && dir != "test/fleet" { // which is all tests
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range variable.FindAllString(string(text), -1) {
				read[name] = true
			}
		}
	}
	compose := repoFile(t, "deploy/compose.yaml")
	for _, name := range append(fleetFiles, "deploy/Caddyfile", "deploy/Dockerfile") {
		for _, v := range variable.FindAllString(repoFile(t, name), -1) {
			if !read[v] && !strings.Contains(compose, "${"+v+":?") {
				t.Errorf("%s: nobody reads %s", name, v)
			}
		}
	}
}

// What docs/fleet.md links to is there.
func TestLinksOfTheFleetExist(t *testing.T) {
	for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(repoFile(t, "docs/fleet.md"), -1) {
		if _, err := os.Stat(filepath.Join("..", "..", "..", "docs", filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("docs/fleet.md: %v", err)
		}
	}
}

// The units hold nothing that the systemd of this machine does not know.
func TestUnitsAreVerified(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tenfold-serve.service", "tenfold-proxy.service"} {
		unit := filepath.Join(t.TempDir(), name)
		text := strings.ReplaceAll(repoFile(t, "deploy/systemd/"+name), "/usr/local/bin/tenfold", program)
		if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput(); err != nil || strings.Contains(string(out), name) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// Units are started again for as long as the database is away.
func TestUnitsAreNotGivenUp(t *testing.T) {
	for _, name := range []string{"tenfold-serve.service", "tenfold-proxy.service"} {
		head, service, _ := strings.Cut(repoFile(t, "deploy/systemd/"+name), "\n[Service]\n")
		if !strings.Contains(head, "\nStartLimitIntervalSec=0\n") || !strings.Contains(service, "\nRestart=on-failure\n") {
			t.Errorf("%s is given up", name)
		}
	}
}
