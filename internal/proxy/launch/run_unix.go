//go:build !windows

package launch

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// forwarded are the signals that are the client's.
var forwarded = []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP}

// fromTerminal tells whether a terminal sends a signal to all processes in its
// foreground.
func fromTerminal(s os.Signal) bool { return s == os.Interrupt || s == syscall.SIGQUIT }

// wait waits until the client ends. One that stops itself (Ctrl-Z) stops this
// process as well, or the shell would not come back; when the shell wakes this
// process, it wakes the client.
func wait(cmd *exec.Cmd) (int, error) {
	defer func() { _ = cmd.Process.Release() }()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case status.Stopped():
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			_ = syscall.Kill(cmd.Process.Pid, syscall.SIGCONT)
		case status.Signaled():
			return interrupted + int(status.Signal()), nil
		default:
			return status.ExitStatus(), nil
		}
	}
}
