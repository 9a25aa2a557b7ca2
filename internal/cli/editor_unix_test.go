//go:build !windows

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// An editor that needs a terminal gets the one that there is, though standard input is
// a pipe.
func TestAnEditorGetsTheTerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = master.Close(); _ = tty.Close() }()
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	c := exec.CommandContext(t.Context(), os.Args[0], "config", "edit")
	c.Env = append(os.Environ(), childEnv+"=1", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "EDITOR=", "VISUAL=tty > "+seen+"; true")
	c.Stdin = strings.NewReader("y\n")
	c.Stdout, c.Stderr = tty, tty
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := c.Run(); err != nil {
		t.Error(err)
	}
	if name, err := os.ReadFile(seen); err != nil || !strings.HasPrefix(string(name), "/dev/") {
		t.Errorf("the editor's terminal is %q, %v", name, err)
	}
}
