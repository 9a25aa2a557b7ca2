//go:build unix

package process

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Detach has a program begin a session: a process group to be stopped as one,
// and no terminal to ask a person on.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = cmp.Or(cmd.SysProcAttr, &syscall.SysProcAttr{})
	cmd.SysProcAttr.Setsid = true
}

func signal(cmd *exec.Cmd, hard bool) {
	sig := syscall.SIGTERM
	if hard {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, sig) // no such group: all of it has ended
}

// guard has a shell beside kill the process group of a program if this process ends before
// it calls off: where it is killed itself, nothing of it is left to do so. The shell is
// there before the program, and is told of it once that has begun.
func guard(cmd *exec.Cmd) (begun, callOff func()) {
	r, w, err := os.Pipe() // which the end of this process closes
	if err != nil {
		return func() {}, func() {}
	}
	watcher := exec.CommandContext(context.Background(), "/bin/sh", "-c", "read group && { read line || kill -9 -$group; }")
	watcher.Stdin, watcher.Dir, watcher.Env = r, "/", []string{}
	Detach(watcher)
	err = watcher.Start()
	_ = r.Close()
	return func() { _, _ = w.WriteString(strconv.Itoa(cmd.Process.Pid) + "\n") }, func() {
		if cmd.Process != nil {
			_, _ = w.WriteString("\n")
		}
		if _ = w.Close(); err == nil {
			_ = watcher.Wait()
		}
	}
}
