//go:build !unix

package process

import "os/exec"

// Detach does nothing here: there are no sessions.
func Detach(*exec.Cmd) {}

// signal stops the program itself. What it has started is not found here.
func signal(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() }

// guard does nothing here: who is killed leaves behind what it ran.
func guard(*exec.Cmd) (begun, callOff func()) { return func() {}, func() {} }
