package transcript

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// pipePatience is how long a pipe is given for somebody to begin to write.
const pipePatience = 3 * time.Second

// openPipe opens a named pipe without waiting for whoever is at the other end.
func openPipe(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return &File{Source: Source{Name: path, Reader: &pipe{File: f, wait: pipePatience}}, file: f}, nil
}

// pipe reads a named pipe. Until somebody writes to it, it looks as if it were
// at its end.
type pipe struct {
	*os.File
	wait  time.Duration
	begun bool
}

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	const pause = 10 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		n, err := p.File.Read(b)
		p.begun = p.begun || n > 0
		if p.begun || !errors.Is(err, io.EOF) {
			return n, err
		}
		if waited >= p.wait {
			return 0, &Error{
				Name: p.Name(), Err: errors.New("nothing came through the pipe for " + p.wait.String()),
				Hint: "begin to write to it first, or name a file",
			}
		}
		time.Sleep(pause)
	}
}
