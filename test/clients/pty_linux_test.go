package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A terminal is a pseudo-terminal with a program in it, for what clients do for a
// person alone.
type terminal struct {
	t    *testing.T
	main *os.File
	done chan error

	mu  sync.Mutex
	out strings.Builder
}

// sit starts the client in a terminal.
func (p *Place) sit(t *testing.T, args ...string) *terminal {
	t.Helper()
	main, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	control := func(request, arg uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, main.Fd(), request, arg); errno != 0 {
			t.Fatalf("prepare the pseudo-terminal: %v", errno)
		}
	}
	var number, unlocked int32
	size := [4]uint16{60, 140} // rows and columns
	control(syscall.TIOCGPTN, uintptr(unsafe.Pointer(&number)))
	control(syscall.TIOCSPTLCK, uintptr(unsafe.Pointer(&unlocked)))
	control(syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	side, err := os.OpenFile(filepath.Join("/dev/pts", fmt.Sprint(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), p.Client.path(), args...)
	cmd.Dir, cmd.Env = p.Dir, p.environment()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = side.Close()
	term := &terminal{t: t, main: main, done: make(chan error, 1)}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := main.Read(buf)
			term.mu.Lock()
			term.out.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				term.done <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-term.done
		_ = main.Close()
	})
	return term
}

// shown is all that the program wrote.
func (s *terminal) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// enter types a line.
func (s *terminal) enter(line string) {
	s.t.Helper()
	s.mu.Lock()
	before := s.out.Len()
	s.mu.Unlock()
	words := strings.Fields(line)
	for _, keys := range []string{line, "\r"} { // apart, or it is a paste
		if _, err := s.main.WriteString(keys); err != nil {
			s.t.Fatal(err)
		}
		s.await("what was typed", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return strings.Contains(s.out.String()[before:], words[len(words)-1])
		})
	}
}

// await waits until something holds.
func (s *terminal) await(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(wait); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.mu.Lock()
			defer s.mu.Unlock()
			out := s.out.String()
			s.t.Fatalf("waited for %s; the terminal shows\n%s", what, out[max(0, len(out)-6000):])
		}
	}
}
