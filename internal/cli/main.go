// Package cli is Tenfold's command line. It holds no rule of compaction: commands
// read flags, call package session, and write what came out. This package runs a
// command line and has the tree of the commands; they themselves are in the packages
// below it, grouped as people type them.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/containment"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/live"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/problem"
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
		code := command.ExitInterrupted
		if <-signals == syscall.SIGTERM {
			code = command.ExitTerminated
		}
		ended.Store(int32(code))
		// The first signal asks to stop; the second kills.
		signal.Stop(signals)
		cancel()
	}()
	code := Run(ctx, os.Args[1:], terminal.New(os.Stdin, os.Stdout, os.Stderr))
	if by := int(ended.Load()); by != 0 && code == command.ExitFailed {
		return by
	}
	return code
}

// Run runs one command line.
func Run(ctx context.Context, args []string, t *terminal.Terminal) int {
	return Execute(ctx, (&command.App{Terminal: t, Now: time.Now, Clients: live.Clients()}), args)
}

// Execute runs one command line for an app, and gives the exit code.
func Execute(ctx context.Context, a *command.App, args []string) int {
	t := a.Terminal
	root := Root(a)
	root.SetArgs(joinFrom(root, args))
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(io.Discard) // a.fail prints errors, in one form
	err := root.ExecuteContext(ctx)
	if closing := a.Close(); err == nil {
		err = closing
	}
	if flushing := t.Flush(); err == nil {
		err = flushing
	}
	a.Unheld()
	if err == nil && a.Then != nil {
		var code int
		if code, err = a.Then(ctx); err == nil {
			return code
		}
	}
	if err == nil {
		return command.ExitOK
	}
	if errors.Is(err, context.Canceled) {
		err = cancelled(a)
	}
	// If the flags are invalid, --json may not have been read.
	t.JSON = t.JSON || asksJSON(args)
	return a.Fail(err)
}

// cancelled is the error of a command that was interrupted. Stores write
// atomically.
func cancelled(a *command.App) error {
	f := &problem.Error{
		Code: "cancelled", Problem: "cancelled", Hint: "nothing was left half done; run the command again", Err: context.Canceled,
	}
	if a.Stored > 0 {
		f.Problem = "cancelled; " + number.CountOf(a.Stored, "conversation was", "conversations were") + " stored completely"
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

// joinFrom joins "--from" with the bound that follows it, if one does and the command takes
// one: the flag may stand alone, so the flag parser would take "5" for an argument. What is
// made of digits and signs alone, as "3..5", is meant as one, and refused as one.
func joinFrom(root *cobra.Command, args []string) []string {
	line := args
	if len(line) > 0 && strings.HasPrefix(line[0], cobra.ShellCompRequestCmd) {
		line = line[1:] // a shell completes it
	}
	c, _, err := root.Find(line)
	if err != nil {
		return args
	}
	if f := c.Flags().Lookup("from"); f == nil || f.NoOptDefVal == "" {
		return args
	}
	const digits = "0123456789"
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] == "--from" && i+1 < len(args) {
			_, err := tenfold.ParseBound(args[i+1])
			if err == nil || strings.ContainsAny(args[i+1], digits) && strings.Trim(args[i+1], digits+".-+") == "" {
				out = append(out, "--from="+args[i+1])
				i++
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}
