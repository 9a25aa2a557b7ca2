// Package cli is Tenfold's command line: one file for each command. It holds
// no rule of compaction; it reads flags, calls package session, and writes
// what came out.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Main runs the command line of this process and gives its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks to stop; the second gets its way.
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args[1:], newTerminal(os.Stdin, os.Stdout, os.Stderr))
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
	if err == nil {
		return exitOK
	}
	// Where flags could not be read, --json may not have been either.
	t.json = t.json || asksJSON(args)
	return t.fail(err)
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
