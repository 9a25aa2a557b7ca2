// Package process runs programs so that nothing of them is left: in a session of
// their own, without a terminal, within a time limit.
package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// grace is how long processes have to end after they were asked to.
	grace = 500 * time.Millisecond
	// late is how long output is waited for once all have ended but who has left the
	// group: on a busy machine what a program said is read after its end.
	late = 5 * time.Second
)

// An End is how a program ended.
type End struct {
	// Code is its exit code, -1 where a signal ended it.
	Code int
	// TimedOut and Interrupted tell that it was stopped: by the limit, or because
	// the context had ended.
	TimedOut, Interrupted bool
}

// Streams are what a program reads and writes. In may be empty: it reads nothing
// then. Err nil means that both outputs go to Out, in the order they come.
type Streams struct {
	In       []byte
	Out, Err io.Writer
}

// Run runs a program to its end, or to that of ctx or of the limit, and then
// stops whatever of its process group still runs, also where this process is killed on
// Unix; what has left the group is not found. Who made cmd must not have given it a context that ends. The error says
// that it could not be started.
func Run(ctx context.Context, cmd *exec.Cmd, limit time.Duration, s Streams) (End, error) {
	if err := ctx.Err(); err != nil {
		return End{}, err
	}
	if len(s.In) > 0 {
		cmd.Stdin = bytes.NewReader(s.In)
	}
	cmd.WaitDelay = grace // who is left behind may hold the input open
	Detach(cmd)
	begun, callOff := guard(cmd)
	defer callOff()
	read, leave, err := start(cmd, s)
	if err != nil {
		return End{}, err
	}
	begun()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // what it says is in cmd.ProcessState
		close(ended)
	}()
	var end End
	select {
	case <-ended:
		within(grace, read) // of what the program has left behind, too
	case <-ctx.Done():
		end.Interrupted = runs(cmd)
	case <-time.After(limit):
		end.TimedOut = runs(cmd)
	}
	if end.Interrupted || end.TimedOut {
		signal(cmd, false)
		within(grace, ended)
	}
	signal(cmd, true)
	<-ended
	if !within(late, read) {
		leave()
		<-read
	}
	end.Code = cmd.ProcessState.ExitCode()
	return end, nil
}

// within reports whether something ended in time.
func within(limit time.Duration, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// start starts a program. Read ends when all of the output was read, or leave was
// called: who has left the group may hold it open.
func start(cmd *exec.Cmd, s Streams) (read <-chan struct{}, leave func(), err error) {
	var reading sync.WaitGroup
	var ours, theirs []*os.File
	pipe := func(to io.Writer) *os.File {
		r, w, failed := os.Pipe()
		if failed != nil {
			err = failed
			return nil
		}
		ours, theirs = append(ours, r), append(theirs, w)
		reading.Go(func() {
			_, _ = io.Copy(to, r)
			_ = r.Close() // where it is not taken, who writes more hears of it
		})
		return w
	}
	out := pipe(s.Out)
	if cmd.Stdout, cmd.Stderr = out, out; s.Err != nil {
		cmd.Stderr = pipe(s.Err)
	}
	if err == nil {
		err = cmd.Start()
	}
	for _, w := range theirs {
		_ = w.Close()
	}
	done := make(chan struct{})
	go func() {
		reading.Wait()
		close(done)
	}()
	leave = func() {
		for _, r := range ours {
			_ = r.Close()
		}
	}
	if err != nil {
		<-done
	}
	return done, leave, err
}

// runs reports whether the program itself runs; what it has left behind may hold up
// its end.
func runs(cmd *exec.Cmd) bool {
	return !errors.Is(cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Kill ends what is left of the process group of a program; nil is none.
func Kill(cmd *exec.Cmd) {
	if cmd != nil && cmd.Process != nil {
		signal(cmd, true)
	}
}

// Environ is the environment of programs that a model may have started: that of
// this one without keys, and such that nothing waits for a person.
func Environ(secrets []string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		upper := strings.ToUpper(name)
		return strings.HasSuffix(upper, "_API_KEY") || strings.HasSuffix(upper, "_AUTH_TOKEN") || slices.Contains(secrets, name) ||
			name == "BASH_ENV" || name == "ENV" // files that a shell would run first
	})
	return append(env, "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0")
}

// Find gives the path of the program of a command that a person's configuration
// names. What such a name means does not depend on the directory that is worked in:
// a repository could bring a file of that name.
func Find(command []string) (string, error) {
	if len(command) == 0 || command[0] == "" {
		return "", errors.New("no command is given")
	}
	name := command[0]
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		name = filepath.Join(home, rest)
	}
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		return "", errors.New(name + ": a relative path means another file in each directory")
	}
	return exec.LookPath(name)
}
