// Package process runs programs so that nothing of them is left: in a session of
// their own, without a terminal, within a time limit.
package process

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// grace is how long processes have to end after they were asked to, and how long
// output is waited for once they have.
const grace = 500 * time.Millisecond

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
// stops whatever of its process group still runs. Who made cmd must not have
// given it a context that ends. The error says that it could not be started.
func Run(ctx context.Context, cmd *exec.Cmd, limit time.Duration, s Streams) (End, error) {
	if err := ctx.Err(); err != nil {
		return End{}, err
	}
	var open pipes
	defer open.closeAll()
	out, err := open.writer(s.Out)
	if err != nil {
		return End{}, err
	}
	cmd.Stdout, cmd.Stderr = out, out
	if s.Err != nil {
		if cmd.Stderr, err = open.writer(s.Err); err != nil {
			return End{}, err
		}
	}
	if len(s.In) > 0 {
		if cmd.Stdin, err = open.reader(s.In); err != nil {
			return End{}, err
		}
	}
	Detach(cmd)
	if err := cmd.Start(); err != nil {
		return End{}, err
	}
	open.closeTheirs()

	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // what it says is in cmd.ProcessState
		close(ended)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var end End
	select {
	case <-ended:
	case <-ctx.Done():
		end.Interrupted = true
	case <-timer.C:
		end.TimedOut = true
	}
	stop(cmd, ended)
	open.drain()
	end.Code = cmd.ProcessState.ExitCode()
	return end, nil
}

// stop asks the program's process group to end, makes it end, and returns when
// the program is gone, which ended tells. What has left the group is not found.
func stop(cmd *exec.Cmd, ended <-chan struct{}) {
	select {
	case <-ended:
	default:
		signal(cmd, false)
		select {
		case <-ended:
		case <-time.After(grace):
		}
	}
	signal(cmd, true)
	<-ended
}

// Kill ends what is left of the process group of a program; nil is none.
func Kill(cmd *exec.Cmd) {
	if cmd != nil && cmd.Process != nil {
		signal(cmd, true)
	}
}

// pipes are the ends of the pipes to a program.
type pipes struct {
	ours, theirs []*os.File
	done         []chan struct{} // closed when an output was read to its end
}

func (p *pipes) pipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, errors.New("no pipe to the program: " + err.Error())
	}
	return r, w, nil
}

// writer gives the end that a program writes to, for what goes to w.
func (p *pipes) writer(to io.Writer) (*os.File, error) {
	r, w, err := p.pipe()
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	p.ours, p.theirs, p.done = append(p.ours, r), append(p.theirs, w), append(p.done, done)
	go func() {
		defer close(done)
		_, _ = io.Copy(to, r)
	}()
	return w, nil
}

// reader gives the end that a program reads the bytes from.
func (p *pipes) reader(from []byte) (*os.File, error) {
	r, w, err := p.pipe()
	if err != nil {
		return nil, err
	}
	p.ours, p.theirs = append(p.ours, w), append(p.theirs, r)
	go func() {
		_, _ = w.Write(from) // a program need not read all
		_ = w.Close()
	}()
	return r, nil
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close()
	}
}

// drain waits until the outputs are read, for a while: a process that has left
// the group may hold them open.
func (p *pipes) drain() {
	late := time.After(grace)
	for _, done := range p.done {
		select {
		case <-done:
		case <-late:
			p.closeAll()
			<-done
		}
	}
}

func (p *pipes) closeAll() {
	for _, f := range slices.Concat(p.ours, p.theirs) {
		_ = f.Close() // closed before, where all went well
	}
}

// Environ is the environment of programs that a model may have started: that of
// this one without keys, and such that nothing waits for a person.
func Environ(secrets []string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return secret(name, secrets) || name == "BASH_ENV" || name == "ENV" // files that a shell would run first
	})
	return append(env, "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0")
}

// secret reports whether a variable holds a key of a provider.
func secret(name string, more []string) bool {
	upper := strings.ToUpper(name)
	return strings.HasSuffix(upper, "_API_KEY") || strings.HasSuffix(upper, "_AUTH_TOKEN") || slices.Contains(more, name)
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
