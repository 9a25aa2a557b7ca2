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
		// The first signal asks to stop; the second gets its way.
		signal.Stop(signals)
		cancel()
	}()
	code := run(ctx, os.Args[1:], newTerminal(os.Stdin, os.Stdout, os.Stderr))
	if by := int(ended.Load()); by != 0 && code == exitFailed {
		return by
	}
	return code
}

// run runs one command line.
func run(ctx context.Context, args []string, t *terminal) int {
	return (&app{terminal: t, now: time.Now}).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	t := a.terminal
	root := a.rootCommand()
	root.SetArgs(joinFrom(args))
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(io.Discard) // errors are told by t.fail, in one form
	err := root.ExecuteContext(ctx)
	if closing := a.close(); err == nil {
		err = closing
	}
	if flushing := t.flush(); err == nil {
		err = flushing
	}
	a.unheld()
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		err = a.cancelled()
	}
	// Where flags could not be read, --json may not have been either.
	t.json = t.json || asksJSON(args)
	return t.fail(err)
}

// cancelled says what came of a command that was told to stop. Stores write
// all of a thing or nothing.
func (a *app) cancelled() error {
	f := &problem.Error{
		Code: "cancelled", Problem: "cancelled", Hint: "nothing was left half done; run the command again", Err: context.Canceled,
	}
	if a.stored > 0 {
		f.Problem = "cancelled; " + count(a.stored, "conversation is", "conversations are") + " in the store whole"
		f.Hint = "nothing was left half done; run the command again for the rest"
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
