package launch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"tenfold/problem"
)

// Interrupted is added to a signal's number for the exit code of a client that it
// ended, as shells do.
const interrupted = 128

// Look finds the client's command, as a shell would.
func (c Client) Look() (string, error) {
	path, err := exec.LookPath(c.Program)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrDot):
		return "", &problem.Error{Op: "run", Subject: c.Program, Problem: "found in the current directory only, which is not searched", Hint: "add its directory to PATH"}
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return "", &problem.Error{Code: "not_found", Op: "run", Subject: c.Program, Problem: "not installed, or not in PATH", Hint: "install it: " + c.Install}
	}
	return "", &problem.Error{Op: "run", Subject: c.Program, Err: err, Hint: "check that the program can be executed"}
}

// Run runs a program in the foreground of this process's terminal, with its
// standard input and output, until it ends, and gives its exit code. Signals are the
// client's: this process outlives them. The terminal sends its own (Ctrl-C) to both,
// so where there is one those are not sent again. When ctx ends nothing happens: the
// client decides.
func Run(ctx context.Context, program string, s Start, terminal bool) (int, error) {
	// Whoever listened to them would end this process.
	signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, s.Args...) //nolint:gosec // the user names the client, and its arguments
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, s.Environ(os.Environ())
	defer endWithUs(cmd)()
	if err := cmd.Start(); err != nil {
		return 0, &problem.Error{Op: "run", Subject: program, Err: err, Hint: "check that the program can be executed"}
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case sig := <-signals:
				if !terminal || !fromTerminal(sig) {
					_ = cmd.Process.Signal(sig)
				}
			}
		}
	}()
	return wait(cmd)
}
