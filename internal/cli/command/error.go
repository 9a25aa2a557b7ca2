package command

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// Usage is an error of the command line itself.
func Usage(message, hint string) error {
	return &problem.Error{Code: "usage", Usage: true, Problem: message, Hint: hint}
}

// Hinted adds a code and a hint to an error.
func Hinted(err error, code, hint string) error {
	return &problem.Error{Code: code, Hint: hint, Err: err}
}

// ErrTold says that something failed and was reported already.
var ErrTold = errors.New("already reported")

// Explain is how an error is reported: its whole text, with the code and the hint
// of the [problem.Error] in it, or those that its kind has here.
func Explain(err error) *problem.Error {
	f := explain(err)
	failed, ok := errors.AsType[*store.FailedError](err)
	if !ok || f.Hint != "" {
		return f
	}
	if failed.Full {
		f.Code = "disk_full"
	}
	if failed.Hint != "" { // its text has it at the end
		f.Hint, f.Problem = failed.Hint, strings.Replace(f.Problem, ": "+failed.Hint, "", 1)
	}
	return f
}

func explain(err error) *problem.Error {
	f := &problem.Error{Code: "failed", Problem: err.Error(), Err: err}
	if p, ok := errors.AsType[*problem.Error](err); ok {
		f.Hint, f.Usage = p.Hint, p.Usage
		switch {
		case p.Code != "":
			f.Code = p.Code
		case errors.Is(err, strategy.ErrUnknown):
			f.Code, f.Usage = "usage", true
		}
		return f
	}
	var path *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		f.Code, f.Problem = "cancelled", "cancelled"
		f.Hint = "nothing was left half done; run the command again"
	case errors.Is(err, tenfold.ErrLastAsTo):
		f.Code, f.Usage, f.Problem = "usage", true, `"last" is where a range begins, not where it ends`
		f.Hint = "use it with --from"
	case errors.Is(err, store.ErrNotFound):
		f.Code, f.Hint = "not_found", `"tenfold conversation ls" lists them`
	case errors.Is(err, session.ErrNothingToUndo):
		f.Code, f.Hint = "nothing_to_undo", `"tenfold conversation compact" adds a compaction`
	case errors.Is(err, session.ErrNothingToRedo):
		f.Code, f.Hint = "nothing_to_redo", "only what was undone can be redone"
	case errors.As(err, new(*store.ConflictError)):
		f.Code, f.Hint = "conflict", "another process is writing to this conversation; try again"
	case errors.As(err, new(*store.UnreadError)):
		f.Code, f.Hint = "damaged", "all else was searched; restore what is damaged from a backup"
	case errors.As(err, &path):
		f.Problem = cmp.Or(path.Path, `""`) + ": " + path.Err.Error()
		f.Code, f.Hint = FileTrouble(err, "check the path")
	case errors.As(err, new(*store.FailedError)):
		f.Code = "store"
	}
	return f
}

// Quote quotes what a person typed, for an error.
func Quote(s string) string { return strconv.Quote(s) }

// The exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
	// A command that a signal ended gives what shells give for it.
	ExitInterrupted = 128 + int(syscall.SIGINT)
	ExitTerminated  = 128 + int(syscall.SIGTERM)
)

// Fail prints an error and returns the exit code.
func (a *App) Fail(err error) int {
	if errors.Is(err, ErrTold) {
		return ExitFailed
	}
	f := Explain(err)
	if f.Code == terminal.CodeOutput && f.Hint == "" {
		_, f.Hint = FileTrouble(err, "check the output path")
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
		return ExitUsage
	}
	return ExitFailed
}

func (a *App) failJSON(f *problem.Error) {
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
