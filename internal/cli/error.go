package cli

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"tenfold"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// usage is an error of the command line itself.
func usage(message, hint string) error {
	return &problem.Error{Code: "usage", Usage: true, Problem: message, Hint: hint}
}

// hinted adds a code and a hint to an error.
func hinted(err error, code, hint string) error {
	return &problem.Error{Code: code, Hint: hint, Err: err}
}

// errTold says that something failed and was reported already.
var errTold = errors.New("already reported")

// explain is how an error is reported: its whole text, with the code and the hint
// of the [problem.Error] in it, or those that its kind has here.
func explain(err error) *problem.Error {
	f := &problem.Error{Code: "failed", Problem: err.Error(), Err: err}
	var p *problem.Error
	if errors.As(err, &p) {
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
	case lostRace(err):
		f.Code, f.Hint = "conflict", "another process is writing to this conversation; try again"
	case errors.As(err, &path):
		f.Problem = path.Path + ": " + path.Err.Error()
		f.Code, f.Hint = fileTrouble(err, "check the path")
	}
	return f
}

// fileTrouble gives the code and the hint for an error of a file; other is the
// hint where nothing is known.
func fileTrouble(err error, other string) (code, hint string) {
	is := func(these ...error) bool {
		return slices.ContainsFunc(these, func(this error) bool { return errors.Is(err, this) })
	}
	switch {
	case is(fs.ErrNotExist):
		return "not_found", "check the path"
	case is(fs.ErrPermission, syscall.EROFS):
		return "permission", "check the file's permissions"
	case is(syscall.ENOSPC, syscall.EDQUOT) || (runtime.GOOS == "windows" && is(syscall.Errno(112))):
		return "disk_full", "free some disk space and try again"
	case is(syscall.EIO):
		return "file", "check the disk"
	case is(syscall.EMFILE, syscall.ENFILE):
		return "file", "too many open files: end other programs, or raise the limit"
	}
	return "file", other
}

// lostRace tells whether another writer came first.
func lostRace(err error) bool {
	var conflict *store.ConflictError
	return errors.As(err, &conflict)
}

func quote(s string) string { return strconv.Quote(s) }
