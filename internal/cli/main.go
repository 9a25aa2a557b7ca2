// Package cli is Tenfold's command line: one file for each command. It holds
// no rule of compaction; it reads flags, calls package session, and writes
// what came out.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"tenfold/containment"
	"tenfold/internal/cli/terminal"
	"tenfold/problem"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	// A command that a signal ended gives what shells give for it.
	exitInterrupted = 128 + int(syscall.SIGINT)
	exitTerminated  = 128 + int(syscall.SIGTERM)
)

// Main runs the command line of this process and gives its exit code.
func Main() int {
	containment.Enter()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var ended atomic.Int32
	go func() {
		code := exitInterrupted
		if <-signals == syscall.SIGTERM {
			code = exitTerminated
		}
		ended.Store(int32(code))
		// The first signal asks to stop; the second kills.
		signal.Stop(signals)
		cancel()
	}()
	code := run(ctx, os.Args[1:], terminal.New(os.Stdin, os.Stdout, os.Stderr))
	if by := int(ended.Load()); by != 0 && code == exitFailed {
		return by
	}
	return code
}

// run runs one command line.
func run(ctx context.Context, args []string, t *terminal.Terminal) int {
	return (&app{Terminal: t, now: time.Now, clients: clients()}).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	t := a.Terminal
	root := a.rootCommand()
	root.SetArgs(joinFrom(args))
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(io.Discard) // a.fail prints errors, in one form
	err := root.ExecuteContext(ctx)
	if closing := a.close(); err == nil {
		err = closing
	}
	if flushing := t.Flush(); err == nil {
		err = flushing
	}
	a.unheld()
	if err == nil && a.then != nil {
		var code int
		if code, err = a.then(ctx); err == nil {
			return code
		}
	}
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		err = a.cancelled()
	}
	// If the flags are invalid, --json may not have been read.
	t.JSON = t.JSON || asksJSON(args)
	return a.fail(err)
}

// cancelled is the error of a command that was interrupted. Stores write
// atomically.
func (a *app) cancelled() error {
	f := &problem.Error{
		Code: "cancelled", Problem: "cancelled", Hint: "nothing was left half done; run the command again", Err: context.Canceled,
	}
	if a.stored > 0 {
		f.Problem = "cancelled; " + count(a.stored, "conversation was", "conversations were") + " stored completely"
		f.Hint += " for the rest"
	}
	return f
}

func asksJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// fail prints an error and returns the exit code.
func (a *app) fail(err error) int {
	if errors.Is(err, errTold) {
		return exitFailed
	}
	f := explain(err)
	if f.Code == terminal.CodeOutput && f.Hint == "" {
		_, f.Hint = fileTrouble(err, "check the output path")
	}
	if a.JSON {
		a.failJSON(f)
	} else {
		a.Note(a.PaintErr(terminal.Red, "error:")+" ", terminal.VisibleLine(f.Error()))
		if f.Hint != "" {
			a.Note(a.PaintErr(terminal.Faint, "hint:")+"  ", terminal.VisibleLine(f.Hint))
		}
	}
	if f.Usage {
		return exitUsage
	}
	return exitFailed
}

func (a *app) failJSON(f *problem.Error) {
	type errorJSON struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	line, err := terminal.MarshalLine(map[string]errorJSON{"error": {f.Code, f.Error(), f.Hint}})
	if err != nil {
		line = []byte(`{"error":{"code":"failed","message":"","hint":""}}`)
	}
	a.Say(string(terminal.VisibleJSON(line)) + "\n")
}
