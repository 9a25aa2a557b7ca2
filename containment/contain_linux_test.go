//go:build amd64 || arm64

package containment

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Enter()
	if len(os.Args) == 4 && os.Args[1] == "dial" {
		if err := dial(os.Args[2], os.Args[3]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// dial makes connections, as a contained command.
func dial(kind, to string) error {
	const mptcp = 262
	port, _ := strconv.Atoi(to)
	address := &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	socket := func(kind, protocol int) (int, error) { return unix.Socket(unix.AF_INET, kind, protocol) }
	switch kind {
	case "uring":
		if _, _, e := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0); e != unix.EFAULT {
			return e
		}
		return nil
	case "keys": // of the user
		if _, _, e := unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(3), 0); e != 0 {
			return e
		}
		return nil
	case "shared": // memory, with a key
		if _, _, e := unix.Syscall(unix.SYS_SHMGET, uintptr(port), 1, 0); e != 0 {
			return e
		}
		return nil
	case "x32": // getpid, called the other way
		if _, _, e := unix.Syscall(0x40000000|unix.SYS_GETPID, 0, 0, 0); e != unix.ENOSYS {
			return e
		}
		return nil
	case "pair":
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	case "unix":
		_, err := net.Dial("unix", to)
		return err
	case "udp":
		fd, err := socket(unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), 0, address)
	case "own":
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, err = net.Dial("tcp4", l.Addr().String())
		return err
	case "mptcp":
		fd, err := socket(unix.SOCK_STREAM, mptcp)
		if err != nil {
			return err
		}
		return unix.Connect(fd, address)
	default:
		fd, err := socket(unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Connect(fd, address)
	}
}

// scene is a work tree, a place outside of it, and a temporary directory.
type scene struct {
	t                    *testing.T
	tree, outside, files string
	grant                Grant
}

func newScene(t *testing.T) *scene {
	t.Helper()
	if l, why := Available(); !l.Contains {
		t.Skip("no containment on this machine: " + why)
	}
	dir := t.TempDir()
	s := &scene{t: t, tree: filepath.Join(dir, "tree"), outside: filepath.Join(dir, "outside")}
	for _, d := range []string{s.tree, s.outside, filepath.Join(dir, "tmp"), filepath.Join(dir, "home/.ssh")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	t.Setenv("HOME", filepath.Join(dir, "home"))
	s.write(filepath.Join(s.outside, "file"), "outside")
	s.write(filepath.Join(dir, "home/.ssh/id"), "secret")
	s.write(filepath.Join(dir, "home/notes"), "notes")
	s.grant = Grant{Write: []string{s.tree}}
	return s
}

func (s *scene) write(path, text string) {
	s.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// run runs a script in the work tree, in each of the ways this machine has.
func (s *scene) run(script string) (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	cmd, err := Command(ctx, []string{"sh", "-c", script}, s.tree, s.grant)
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == exitUncontained {
		s.t.Fatalf("could not be contained: %s", out)
	}
	return string(out), err
}

// each runs a test with namespaces, if there are any, and without.
func each(t *testing.T, test func(t *testing.T, s *scene, l Level)) {
	was := available
	t.Cleanup(func() { available = was })
	l, why := was()
	for _, namespaces := range []bool{true, false} {
		t.Run("namespaces="+strconv.FormatBool(namespaces), func(t *testing.T) {
			if namespaces && !l.Namespaces {
				t.Skip("no namespaces: " + why)
			}
			l := l
			l.Namespaces = namespaces
			available = func() (Level, string) { return l, l.String() }
			test(t, newScene(t), l)
		})
	}
}

func (s *scene) must(script, want string) {
	s.t.Helper()
	out, err := s.run(script)
	if err != nil || strings.TrimSpace(out) != want {
		s.t.Errorf("%s: %q, %v; want %q", script, out, err, want)
	}
}

func (s *scene) mustNot(script string) {
	s.t.Helper()
	if out, err := s.run(script); err == nil {
		s.t.Errorf("%s: did not fail: %q", script, out)
	}
}

func TestContainedCommandsWriteOnlyWhereTheyMay(t *testing.T) {
	each(t, func(t *testing.T, s *scene, l Level) {
		s.must(`echo a >f && mkdir d && mv f d/g && ln -s g d/l && ln d/g h && cat d/l && rm d/l && chmod 600 d/g && echo x >/dev/null`, "a")
		s.must(`echo b >"$TMPDIR/t" && mv "$TMPDIR/t" . && cat t`, "b")
		s.must(`echo c >"$XDG_CACHE_HOME/c" && cat "$XDG_CACHE_HOME/c"`, "c")
		s.must(`pwd; echo "$0"; exit 0`, s.tree+"\nsh")
		for _, script := range []string{
			`echo x >../outside/new`, `echo x >../outside/file`, `: >../outside/file`, `echo x >>../outside/file`, `rm ../outside/file`,
			`mv ../outside/file .`, `ln ../outside/file .`, `mkdir ../outside/d`, `ln -s x ../outside/l`, `mkfifo ../outside/p`,
			`truncate -s 0 ../outside/file`, `ln -s ../outside/file l && echo x >l`, `touch "$HOME/x"`, `mount -t tmpfs x .`, `echo x >/proc/self/oom_score_adj/x`,
			`(cd ../outside && echo x >file)`,
		} {
			s.mustNot(script)
		}
		if l.Namespaces {
			s.mustNot(`chmod 600 ../outside/file`)
			s.mustNot(`touch -d 2001-01-01 ../outside/file`)
		}
		if text, err := os.ReadFile(filepath.Join(s.outside, "file")); err != nil || string(text) != "outside" {
			t.Errorf("outside/file: %q, %v", text, err)
		}
		if entries, _ := os.ReadDir(s.outside); len(entries) != 1 {
			t.Errorf("outside: %v", entries)
		}
	})
}

// Containers have such mounts, which nobody in them may make writable.
func TestAReadOnlyMountBelowStaysSo(t *testing.T) {
	if l, why := Available(); !l.Namespaces {
		t.Skip("no namespaces: " + why)
	}
	const inside = "TENFOLD_TEST_READ_ONLY_MOUNT"
	if os.Getenv(inside) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), inside+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s%v", out, err)
		}
		return
	}
	s := newScene(t)
	for _, dir := range []string{filepath.Join(s.tree, "ro"), filepath.Join(os.Getenv("TMPDIR"), "ro")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("none", dir, "tmpfs", unix.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(dir, 0) })
	}
	s.must(`echo a >f && cat f && echo b >"$TMPDIR/t" && cat "$TMPDIR/t"`, "a\nb")
	s.mustNot(`echo x >ro/f`)
	s.mustNot(`echo x >../outside/file`)
}

func TestContainedCommandsCannotReadSecrets(t *testing.T) {
	each(t, func(t *testing.T, s *scene, _ Level) {
		s.must(`cat "$HOME/notes" ../outside/file`, "notesoutside")
		s.mustNot(`cat "$HOME/.ssh/id"`)
		s.mustNot(`ln "$HOME/.ssh/id" key && cat key`)
		s.mustNot(`ln -s "$HOME/.ssh/id" l; cat l`)
		s.mustNot(`HOME=/ cat "$HOME/.ssh/id"`)
		s.mustNot(`tr '\0' '\n' </proc/` + strconv.Itoa(os.Getpid()) + `/environ`)
		s.grant.Hide = []string{s.outside, filepath.Join(s.tree, "kept")}
		s.mustNot(`cat ../outside/file`)
	})
}

// The cache of a work tree is its own, and nothing that another user put there.
func TestTheCacheIsTheWorkTrees(t *testing.T) {
	each(t, func(t *testing.T, s *scene, _ Level) {
		one, err := s.run(`echo "$XDG_CACHE_HOME"`)
		if err != nil || !strings.HasPrefix(one, os.TempDir()) {
			t.Fatalf("%q, %v", one, err)
		}
		cache := strings.TrimSpace(one)
		for _, change := range []func() error{
			func() error { return os.Chmod(cache, 0o777) },
			func() error { return errors.Join(os.Remove(cache), os.Symlink(s.outside, cache)) },
		} {
			if err := change(); err != nil {
				t.Fatal(err)
			}
			s.must(`echo "$XDG_CACHE_HOME"`, os.Getenv("XDG_CACHE_HOME"))
		}
		s.grant.Write = append(s.grant.Write, t.TempDir())
		if other, err := s.run(`echo "$XDG_CACHE_HOME"`); err != nil || other == one {
			t.Errorf("%q, %v", other, err)
		}
	})
}

// A link to a secret beside others leads to it, so rules for links must not be made.
func TestLinksDoNotOpenSecrets(t *testing.T) {
	each(t, func(t *testing.T, s *scene, _ Level) {
		home := os.Getenv("HOME")
		if err := os.Symlink(".ssh", filepath.Join(home, "keys")); err != nil {
			t.Fatal(err)
		}
		s.mustNot(`cat "$HOME/keys/id"`)
		// And where the secret is itself a link, what it leads to is one.
		if err := os.Symlink(s.outside, filepath.Join(home, ".aws")); err != nil {
			t.Fatal(err)
		}
		s.mustNot(`cat ../outside/file`)
	})
}

// What lets one act as the user is hidden where the environment says it is kept, unless that is
// the home directory or the work's.
func TestMovedSecretsCannotBeRead(t *testing.T) {
	each(t, func(t *testing.T, s *scene, _ Level) {
		for _, name := range []string{"CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"} {
			t.Setenv(name, "")
		}
		s.write(filepath.Join(s.outside, "auth.json"), "secret")
		s.write(filepath.Join(s.tree, "kube"), "work")
		s.must(`cat ../outside/auth.json`, "secret")
		t.Setenv("CODEX_HOME", s.outside)
		t.Setenv("KUBECONFIG", filepath.Join(s.tree, "kube")+":"+filepath.Join(s.outside, "file"))
		t.Setenv("DOCKER_CONFIG", os.Getenv("HOME"))
		s.mustNot(`cat ../outside/auth.json`)
		s.mustNot(`cat ../outside/file`)
		s.must(`cat kube "$HOME/notes"`, "worknotes")
	})
}

// Keys that the kernel keeps, and memory that other programs share, are the user's too.
func TestContainedCommandsSeeNoKeysAndNoSharedMemory(t *testing.T) {
	each(t, func(t *testing.T, s *scene, l Level) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		key := 0x7e4f0000 + os.Getpid()%0x10000 // of this run's own
		id, _, e := unix.Syscall(unix.SYS_SHMGET, uintptr(key), 1, unix.IPC_CREAT|0o600)
		if e != 0 {
			t.Skip("no shared memory:", e)
		}
		defer func() { _, _, _ = unix.Syscall(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0) }()
		if err := dial("shared", strconv.Itoa(key)); err != nil {
			t.Fatal(err)
		}
		s.mustNot("'" + self + "' dial keys -")
		if l.Namespaces {
			s.mustNot("'" + self + "' dial shared " + strconv.Itoa(key))
		}
	})
}

// The environment of the command cannot move what is protected.
func TestTheEnvironmentOfTheCommandChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *scene, _ Level) {
		cmd, err := Command(t.Context(), []string{"sh", "-c", `cat "$SECRET"; echo x >"$TMPDIR/file"`}, s.tree, s.grant)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = []string{"HOME=/nowhere", "TMPDIR=" + s.outside, "PATH=" + os.Getenv("PATH"), "SECRET=" + os.Getenv("HOME") + "/.ssh/id"}
		if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "secret") {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestContainedCommandsHaveNoNetwork(t *testing.T) {
	each(t, func(t *testing.T, s *scene, l Level) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		dial := "'" + self + "' dial "
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		sock, err := net.Listen("unix", filepath.Join(s.outside, "s"))
		if err != nil {
			t.Fatal(err)
		}
		defer sock.Close()
		packets, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer packets.Close()
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		_, udp, _ := net.SplitHostPort(packets.LocalAddr().String())
		s.must(dial+"pair -", "")
		s.mustNot(dial + "unix ../outside/s")
		s.mustNot(dial + "uring -")
		if runtime.GOARCH == "amd64" {
			s.mustNot(dial + "x32 -")
		}
		s.mustNot(dial + "tcp " + port)
		s.mustNot(dial + "mptcp " + port)
		_, _ = s.run(dial + "udp " + udp) // with a loopback of its own it can be sent, to nobody
		if err := packets.SetReadDeadline(time.Now()); err != nil {
			t.Fatal(err)
		}
		if n, _, err := packets.ReadFrom(make([]byte, 9)); err == nil {
			t.Errorf("a packet of %d bytes came out", n)
		}
		if l.Namespaces {
			s.must(dial+"own -", "") // tests that start servers work
		} else {
			s.mustNot(dial + "own -")
		}
		s.grant.Network = true
		s.must(dial+"tcp "+port, "")
		s.mustNot(dial + "unix ../outside/s")
	})
}

func TestContainedCommandsReachNoProcessOutside(t *testing.T) {
	each(t, func(t *testing.T, s *scene, l Level) {
		if l.ABI < 6 {
			t.Skip("Landlock before ABI 6 does not scope signals")
		}
		s.mustNot("kill -0 " + strconv.Itoa(os.Getpid()))
		s.must(`sleep 60 & kill $! && echo ok`, "ok")
		s.mustNot(`echo x >/dev/tty`)
	})
}

// Ending the group ends everything the command started.
func TestTheCommandLeadsAGroup(t *testing.T) {
	s := newScene(t)
	cmd, err := Command(t.Context(), []string{"sh", "-c", `sleep 60 & echo on; wait`}, s.tree, s.grant)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // would wait for the pipe that sleep holds
}

// A caller that replaces SysProcAttr gets no command, not one less contained.
func TestChangedAttributesAreRefused(t *testing.T) {
	s := newScene(t)
	if l, why := Available(); !l.Namespaces {
		t.Skip("no namespaces: " + why)
	}
	cmd, err := Command(t.Context(), []string{"echo", "ran"}, s.tree, s.grant)
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = nil
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != exitUncontained || strings.Contains(string(out), "\nran") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestHomeDirectoriesAreNoWorkTrees(t *testing.T) {
	s := newScene(t)
	for _, dir := range []string{os.Getenv("HOME"), "/", filepath.Join(os.Getenv("HOME"), ".ssh"), "relative", filepath.Join(s.tree, "missing")} {
		if err := Check(Grant{Write: []string{dir}}); err == nil {
			t.Errorf("%s: a command may be contained there", dir)
		}
		if cmd, err := Command(t.Context(), []string{"true"}, s.tree, Grant{Write: []string{dir}}); err == nil {
			t.Errorf("%s: a command: %v", dir, cmd)
		}
	}
	if err := Check(s.grant); err != nil {
		t.Error(err)
	}
	beside := filepath.Join(os.Getenv("HOME"), ".ss")
	if err := os.Mkdir(beside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Check(Grant{Write: []string{beside}}); err != nil {
		t.Error(err)
	}
	t.Setenv("TMPDIR", filepath.Dir(os.Getenv("HOME")))
	if err := Check(s.grant); err == nil {
		t.Error("the temporary directory may hold secrets")
	}
	if _, err := Command(t.Context(), []string{"no-such-program"}, s.tree, s.grant); err == nil {
		t.Error("a program that does not exist")
	}
}

func TestWithoutEnterNothingStarts(t *testing.T) {
	entered = false
	defer func() { entered = true }()
	if l, why := look(); l.Contains {
		t.Errorf("contains without Enter: %s", why)
	}
}

// Who cannot work contained in a directory learns which file is in the way.
func TestCheckNamesTheCredentials(t *testing.T) {
	if l, why := Available(); !l.Contains {
		t.Skip(why)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", t.TempDir())
	key := filepath.Join(home, ".netrc")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Check(Grant{Write: []string{home}}); err == nil || !strings.Contains(err.Error(), key) {
		t.Errorf("%v", err)
	}
}
