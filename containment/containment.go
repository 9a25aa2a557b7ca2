// Package containment starts commands that cannot write outside the directories
// they are given, and cannot reach the network unless they may. It needs Linux;
// elsewhere [Available] says why not, and [Command] fails rather than start
// anything uncontained.
//
// The program's own binary is started again: that process restricts itself and
// then becomes the command, so nothing else is restricted. Hence main, and
// TestMain of tests, must call [Enter] before anything else.
//
// What holds on every kernel that is accepted (Landlock ABI 3, Linux 6.2):
//
//   - Files are created, written, truncated, renamed and removed only below
//     [Grant].Write, the temporary directory and /dev/shm.
//   - Directories in which programs keep credentials ([Secrets], and where the
//     environment says that such are kept elsewhere) and those in Grant.Hide cannot be
//     read, nor keys that the kernel keeps.
//   - No socket is made but by socketpair; with Grant.Network, those for IP. So
//     no daemon that listens on a Unix socket (containers, desktop, ssh-agent) can
//     be asked to do what the command may not.
//   - The memory and environment of processes outside cannot be read, and no
//     program gains privileges (sudo).
//   - There is no controlling terminal.
//
// With Landlock ABI 6 no process outside can be sent a signal. Where the system
// lets users make namespaces, everything outside is mounted read-only as well, so
// that modes, owners and times cannot be changed either, memory that other programs
// share is not seen, and without
// Grant.Network a loopback interface is there, for tests that start servers.
//
// What does not hold: files inside Grant.Write are the command's, those included
// that other programs run later (.git/hooks, build scripts); everything else that
// the user may read can be read; processor, memory and disk space are not limited.
package containment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tenfold/problem"
)

// A Level is how much a machine can do.
type Level struct {
	// Contains tells that commands can be contained at all.
	Contains bool
	// ABI is the version of Landlock.
	ABI int
	// Namespaces tells that users may make namespaces.
	Namespaces bool
}

// A Grant is what a command may do.
type Grant struct {
	// Write are directories, absolute, that it may change.
	Write []string
	// Hide are files and directories, absolute, that it may not read, beside
	// those of [Secrets]. What does not exist is ignored, and so is what lies in a
	// directory that it may change.
	Hide []string
	// Network lets it use IP.
	Network bool
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

// Available says what this machine can do, and in one line for people what holds
// or why nothing does. It starts a process the first time.
func Available() (Level, string) { return available() }

var available = sync.OnceValues(look)

// Check says why a command with this grant cannot be contained here; nil if it
// can. A grant to write to a directory that holds secrets, such as a home
// directory, cannot.
func Check(g Grant) error {
	l, why := available()
	if !l.Contains {
		return &problem.Error{Op: "contain", Problem: why}
	}
	secrets := resolved(Secrets())
	for _, dir := range append([]string{os.TempDir()}, g.Write...) {
		path, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return &problem.Error{Op: "contain", Err: err}
		}
		if !filepath.IsAbs(path) {
			return &problem.Error{Op: "contain", Subject: dir, Problem: "not an absolute path"}
		}
		if i := slices.IndexFunc(secrets, func(s string) bool { return within(s, path) }); i >= 0 {
			return &problem.Error{
				Op: "contain", Subject: dir, Problem: "commands that may write here could read credentials, in " + secrets[i],
				Hint: "work in a directory of its own, not in the home directory",
			}
		}
	}
	return nil
}

// An order is what a process that is to be contained does to itself.
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

// Command is [exec.CommandContext] for a contained command that starts in dir.
// Its environment and files are the caller's to set. SysProcAttr is taken: the
// command leads a session and a process group of its own (kill -Pid reaches all
// of it). If the command cannot be contained after all it exits with 125
// and says why on standard error.
func Command(ctx context.Context, argv []string, dir string, g Grant) (*exec.Cmd, error) {
	if err := Check(g); err != nil {
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
	return build(ctx, argv, dir, order{
		Write: resolved(append(slices.Clone(g.Write), os.TempDir(), "/dev/shm")), Hidden: resolved(slices.Concat(Secrets(), moved(), g.Hide)),
		Network: g.Network, Path: path, Cache: filepath.Join(os.TempDir(), fmt.Sprintf("tenfold-cache-%d-%x", os.Getuid(), sha256.Sum256([]byte(strings.Join(g.Write, "\x00"))))[:40]),
	}, level), nil
}
