package launch

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithUs has the client asked to end where this process is killed: nothing that it asks its
// model would arrive any more. Linux goes by the thread that starts a program, which must last
// until it ended.
func endWithUs(cmd *exec.Cmd) (ended func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return runtime.UnlockOSThread
}
