package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Page sends the results of f through a pager, like git: if standard output is a
// terminal, and unless the pager is "" or "cat". By default less passes colours
// through (-R), quits if the text fits on the screen (-F) and leaves it there
// (-X).
func (t *Terminal) Page(ctx context.Context, f func() error) error {
	command := pagerCommand(os.LookupEnv)
	if !t.OutTTY || !t.ErrTTY || t.JSON || t.plain || command == "" {
		return f()
	}
	// The pager is the user's own command line. It ends when they close it: an
	// interrupt only ends what is written to it.
	c := exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", command) //nolint:gosec // see above
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "LESSCHARSET=utf-8")
	if os.Getenv("LESS") == "" {
		c.Env = append(c.Env, "LESS=FRX")
	}
	in, err := c.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the pager: %w", err)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return f() // no shell
	}
	direct := t.Out
	t.Out = bufio.NewWriterSize(&paged{w: in}, 64<<10)
	err = f()
	if flushed := t.Out.Flush(); err == nil {
		err = flushed
	}
	t.Out = direct
	_ = in.Close()
	_ = c.Wait()
	if errors.Is(err, errPagerGone) {
		return nil
	}
	return err
}

// pagerCommand is the command line of the pager, or "" for none.
func pagerCommand(lookup func(string) (string, bool)) string {
	for _, name := range [...]string{"TENFOLD_PAGER", "PAGER"} {
		if command, set := lookup(name); set {
			if command = strings.TrimSpace(command); command == "cat" {
				return ""
			}
			return command
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

var errPagerGone = errors.New("the pager was closed")

// paged writes to a pager that may exit early.
type paged struct{ w io.Writer }

// Write implements io.Writer.
func (p *paged) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		err = errPagerGone
	}
	return n, err
}
