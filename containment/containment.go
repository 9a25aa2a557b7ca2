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
	"os/exec"
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

// Available says what this machine can do, and in one line for people what holds
// or why nothing does. It starts a process the first time.
func Available() (Level, string) { return available() }

// Check says why a command with this grant cannot be contained here; nil if it
// can. A grant to write to a directory that holds secrets, such as a home
// directory, cannot.
func Check(g Grant) error { return check(g) }

// Command is [exec.CommandContext] for a contained command that starts in dir.
// Its environment and files are the caller's to set. SysProcAttr is taken: the
// command leads a session and a process group of its own (kill -Pid reaches all
// of it). If the command cannot be contained after all it exits with 125
// and says why on standard error.
func Command(ctx context.Context, argv []string, dir string, g Grant) (*exec.Cmd, error) {
	return command(ctx, argv, dir, g)
}

// Enter becomes the contained command if that is what this process was started
// for, and otherwise returns at once.
func Enter() { enter() }

// exitUncontained is the exit code of a command that could not be contained.
const exitUncontained = 125
