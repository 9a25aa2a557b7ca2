package cli

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/transcript"
)

// failure is an error as it is told: what happened and what to try.
type failure struct {
	code    string
	message string
	hint    string
	usage   bool
	err     error
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.err }

// usage is an error of the command line itself.
func usage(message, hint string) error {
	return &failure{code: "usage", message: message, hint: hint, usage: true}
}

// hinted says of an error that is told as it is what to try.
func hinted(err error, code, hint string) error {
	return &failure{code: code, message: err.Error(), hint: hint, err: err}
}

// errTold says that something failed and was told already.
var errTold = errors.New("told already")

// explain finds the words, the code and the hint for an error.
func explain(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	f = &failure{code: "failed", message: err.Error(), err: err}
	var te *transcript.Error
	var path *fs.PathError
	var setting *config.Error
	switch {
	case explainProvider(f, err):
	case errors.As(err, &setting):
		f.code, f.hint = "config", setting.Hint
		f.usage = setting.Origin.Kind == config.Flag
		f.message = setting.Error()
	case errors.Is(err, context.Canceled):
		f.code, f.message = "cancelled", "cancelled"
		f.hint = "nothing was left half done; run the command again"
	case errors.As(err, &te):
		bare := *te
		bare.Hint = ""
		f.code, f.hint = "transcript", te.Hint
		f.message = strings.Replace(f.message, te.Error(), bare.Error(), 1)
	case errors.Is(err, tenfold.ErrLastAsTo):
		f.code, f.usage, f.message = "usage", true, `"last" is where a range begins, not where it ends`
		f.hint = "use it with --from"
	case errors.Is(err, strategy.ErrUnknown):
		f.code, f.usage = "usage", true
		f.message, f.hint, _ = strings.Cut(f.message, ": ")
	case errors.Is(err, session.ErrAmbiguous):
		f.code, f.hint = "ambiguous", "write more of the id"
		f.message = strings.TrimSuffix(f.message, ": write more of the id")
	case errors.Is(err, store.ErrNotFound):
		f.code, f.hint = "not_found", `"tenfold conversation ls" lists them`
	case errors.Is(err, session.ErrNothingToUndo):
		f.code, f.hint = "nothing_to_undo", `"tenfold conversation compact" makes a compaction`
	case errors.Is(err, session.ErrNothingToRedo):
		f.code, f.hint = "nothing_to_redo", "only what was undone can be redone"
	case lostRace(err):
		f.code, f.hint = "conflict", "somebody else is writing to this conversation: try again"
	case errors.As(err, &path):
		f.message = path.Path + ": " + path.Err.Error()
		f.code, f.hint = fileTrouble(err, "check the path")
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
		return "file", "too many files are open: end other programs, or raise the limit"
	}
	return "file", other
}

// lostRace tells whether another writer came first.
func lostRace(err error) bool {
	var conflict *store.ConflictError
	return errors.As(err, &conflict)
}

func quote(s string) string { return strconv.Quote(s) }
