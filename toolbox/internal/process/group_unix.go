//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Detach has a program begin a session: a process group to be stopped as one,
// and no terminal to ask a person on.
func Detach(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
}

func signal(cmd *exec.Cmd, hard bool) {
	sig := syscall.SIGTERM
	if hard {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, sig) // no such group: all of it has ended
}
