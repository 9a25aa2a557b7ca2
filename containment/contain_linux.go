//go:build amd64 || arm64

package containment

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"tenfold/problem"
)

// marker is the name by which a process knows that it was started to contain
// itself. Its arguments are an order, as JSON, and the command.
const marker = "tenfold-contained"

// An order is what the process is to do to itself.
type order struct {
	// Write and Hidden are directories and files with links followed: what the
	// environment of the command says counts for nothing.
	Write   []string `json:"write"`
	Hidden  []string `json:"hidden"`
	Network bool     `json:"network"`
	// Outside is the parent's mount namespace, which the process must have left; empty without namespaces.
	Outside string `json:"outside"`
	// Path is the command's file; empty only tries the restrictions. Cache is a
	// directory for what it keeps from run to run: one for each work tree, or one
	// could leave something there for the builds of another.
	Path  string `json:"path"`
	Cache string `json:"cache"`
}

// entered tells that this program calls Enter: without it the program would start
// itself, not the command.
var entered bool

// minABI is the first version of Landlock that keeps files outside from being
// truncated.
const minABI = 3

var available = sync.OnceValues(look)

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

// String says what holds.
func (l Level) String() string {
	if !l.Contains {
		return "not contained"
	}
	how, not := "", ""
	if l.Namespaces {
		how = ", namespaces"
	} else {
		not = "; this system lets users make no namespaces, so there is no loopback, and modes and owners of files elsewhere can be changed"
	}
	if l.ABI < 6 {
		not += "; processes outside can be sent signals"
	}
	return fmt.Sprintf("contained (Landlock ABI %d%s): they write only to the work tree and temporary files, and have no network%s", l.ABI, how, not)
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

func check(g Grant) error {
	l, why := available()
	if !l.Contains {
		return &problem.Error{Op: "contain", Problem: why}
	}
	secrets := resolved(Secrets())
	for _, dir := range append([]string{os.TempDir()}, g.Write...) {
		path, err := filepath.EvalSymlinks(dir)
		switch {
		case err != nil:
			return &problem.Error{Op: "contain", Err: err}
		case !filepath.IsAbs(path):
			return &problem.Error{Op: "contain", Subject: dir, Problem: "not an absolute path"}
		case holds(path, secrets):
			secret := secrets[slices.IndexFunc(secrets, func(s string) bool { return within(s, path) })]
			return &problem.Error{
				Op: "contain", Subject: dir, Problem: "commands that may write here could read credentials, in " + secret,
				Hint: "work in a directory of its own, not in the home directory",
			}
		}
	}
	return nil
}

func command(ctx context.Context, argv []string, dir string, g Grant) (*exec.Cmd, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	path, err := exec.LookPath(argv[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, &problem.Error{Op: "contain", Err: err}
	}
	level, _ := available()
	o := order{
		Write: resolved(append(slices.Clone(g.Write), os.TempDir(), "/dev/shm")), Hidden: resolved(slices.Concat(Secrets(), moved(), g.Hide)),
		Network: g.Network, Path: path, Cache: filepath.Join(os.TempDir(), fmt.Sprintf("tenfold-cache-%d-%x", os.Getuid(), sha256.Sum256([]byte(strings.Join(g.Write, "\x00"))))[:40]),
	}
	return build(ctx, argv, dir, o, level), nil
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
