//go:build amd64 || arm64

package containment

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// marker is the name by which a process knows that it was started to contain
// itself. Its arguments are an order, as JSON, and the command.
const marker = "tenfold-contained"

// entered tells that this program calls Enter: without it the program would start
// itself, not the command.
var entered bool

// minABI is the first version of Landlock that keeps files outside from being
// truncated.
const minABI = 3

// look says what this machine can do.
func look() (Level, string) {
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case !entered:
		return Level{}, "this program does not support it (containment.Enter is not called)"
	case err != nil:
		return Level{}, "the kernel has no Landlock, or it is not enabled (" + err.Error() + ")"
	case abi < minABI:
		return Level{ABI: abi}, fmt.Sprintf("the kernel's Landlock (ABI %d) cannot protect files from being truncated; Linux 6.2 or later can", abi)
	}
	l := Level{Contains: true, ABI: abi, Namespaces: true}
	if try(l) != nil {
		l.Namespaces = false
		if err := try(l); err != nil {
			return Level{ABI: abi}, "a try failed: " + err.Error()
		}
	}
	return l, l.String()
}

// try has a process restrict itself, and end.
func try(l Level) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := build(ctx, nil, "/", order{Write: resolved([]string{os.TempDir(), "/dev/shm"})}, l).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// build makes the command that starts this program's binary.
func build(ctx context.Context, argv []string, dir string, o order, l Level) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if l.Namespaces {
		a := cmd.SysProcAttr
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}
		o.Outside, _ = os.Readlink("/proc/self/ns/mnt")
		if !o.Network {
			a.Cloneflags |= syscall.CLONE_NEWNET
		}
	}
	text, err := json.Marshal(o)
	if err != nil {
		cmd.Err = err
	}
	cmd.Args = append([]string{marker, string(text)}, argv...)
	return cmd
}
