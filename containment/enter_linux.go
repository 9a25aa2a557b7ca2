//go:build amd64 || arm64

package containment

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// exitUncontained is the exit code of a command that could not be contained.
const exitUncontained = 125

// Enter becomes the contained command if that is what this process was started
// for, and otherwise returns at once.
func Enter() {
	entered = true
	if len(os.Args) < 2 || os.Args[0] != marker {
		return
	}
	// The restrictions of a thread become those of the command that it becomes.
	runtime.LockOSThread()
	fmt.Fprintln(os.Stderr, "tenfold: the command was not run, because it could not be contained:", become(os.Args[1], os.Args[2:]))
	os.Exit(exitUncontained)
}

// become restricts this process and turns it into the command. It returns only if
// that failed.
func become(text string, argv []string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	if o.Outside != "" {
		if err := isolate(o); err != nil {
			return err
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := restrict(o); err != nil {
		return err
	}
	// In a network namespace of its own IP leads nowhere but to itself.
	if err := filterCalls(o.Network || o.Outside != ""); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	if o.Path == "" {
		os.Exit(0)
	}
	// A program that cannot write to the user's cache often fails. A directory of
	// another user's is not ours to trust.
	if err := os.Mkdir(o.Cache, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	var stat unix.Stat_t
	if err := unix.Lstat(o.Cache, &stat); err == nil && stat.Mode&(unix.S_IFMT|0o022) == unix.S_IFDIR && int(stat.Uid) == os.Getuid() {
		for _, name := range []string{"XDG_CACHE_HOME", "npm_config_cache"} {
			if err := os.Setenv(name, o.Cache); err != nil {
				return err
			}
		}
	}
	return syscall.Exec(o.Path, argv, os.Environ()) //nolint:gosec // running a command is what this is for
}

// isolate makes everything outside read-only, and the loopback interface usable.
// It needs the capabilities that the process has in its namespaces.
func isolate(o order) error {
	now, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return err
	}
	if now == o.Outside {
		return errors.New("SysProcAttr of the command was changed")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	// Copies from before: a mount in them that is read-only by itself stays so, and to make
	// it writable would be refused.
	writable := make([]int, len(o.Write))
	for i, path := range o.Write {
		if writable[i], err = unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE); err != nil {
			return fmt.Errorf("open_tree %s: %w", path, err)
		}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("mount_setattr: %w", err)
	}
	for i, path := range o.Write {
		if err := unix.MoveMount(writable[i], "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("move_mount %s: %w", path, err)
		}
	}
	if !o.Network {
		if err := raiseLoopback(); err != nil {
			return fmt.Errorf("loopback: %w", err)
		}
	}
	return os.Chdir(dir) // where it was is still the mount below
}

// dropCapabilities keeps from the command what the superuser may do beside what
// concerns files: CAP_PERFMON, for one, reads the environment of any process.
func dropCapabilities() error {
	// What can be inherited, as what the process has in its namespaces, the superuser would
	// have again in the command, whatever is taken from the bounding set. With it goes what is
	// ambient.
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	sets[0].Inheritable, sets[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil // a program that it becomes has none
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		switch c {
		case unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID:
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL {
			return err
		}
	}
	return nil
}

// restrict applies Landlock. Of what a rule names, what is missing by then is
// ignored: it grants nothing.
func restrict(o order) error {
	abi, err := ll.LandlockGetABIVersion()
	if err == nil && abi < minABI {
		err = fmt.Errorf("ABI %d is too old", abi)
	}
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	rules := []landlock.Rule{
		landlock.PathAccess(ll.AccessFSReadDir, "/"),
		landlock.RWFiles("/dev/null", "/dev/zero", "/dev/full").IgnoreIfMissing(),
	}
	for _, path := range around("/", o.Hidden) {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			rules = append(rules, landlock.RODirs(path).IgnoreIfMissing())
		} else if err == nil {
			rules = append(rules, landlock.ROFiles(path).IgnoreIfMissing())
		}
	}
	for _, path := range o.Write {
		rules = append(rules, landlock.RWDirs(path).WithRefer())
	}
	// The best of this kernel, which was looked at: V3 is what has to be there. The
	// network is the filter's, which holds for every protocol.
	config := landlock.V7
	config.HandledAccessNet = 0
	if err := config.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// raiseLoopback brings up the loopback interface of a new network namespace.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}
