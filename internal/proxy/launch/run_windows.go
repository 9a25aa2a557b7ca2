package launch

import (
	"errors"
	"os"
	"os/exec"
)

// forwarded are the signals that this process outlives; the console sends them to
// the client itself.
var forwarded = []os.Signal{os.Interrupt}

func fromTerminal(os.Signal) bool { return true }

// wait waits until the client ends.
func wait(cmd *exec.Cmd) (int, error) {
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
