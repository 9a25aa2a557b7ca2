package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driverpkg "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/row"
)

// errGone says that what is written would be seen by nobody.
var errGone = errors.New("the file was removed or replaced while it was open")

// hint says what to try.
func hint(err error) string {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, store.ErrClosed):
		return ""
	case errors.Is(err, errLogAlone):
		return "copy both files to a directory that you may write, and open the store there"
	case errors.Is(err, errGone):
		return "put it back, or end this program and start it again; nothing of this was written"
	case errors.Is(err, fs.ErrPermission):
		return "check the permissions of the file and its directory"
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return "check the path"
	case errors.Is(err, syscall.ENOSPC):
		return full
	case errors.Is(err, syscall.EROFS):
		return "copy the file to a disk that can be written"
	case errors.Is(err, row.ErrDamaged), errors.Is(err, engine.ErrGap): // which SQLite finds nothing wrong with
		return `the file is damaged: restore a backup, or save what comes before it with "tenfold conversation export ID --to tenfold"`
	}
	return hintOf(extended(err))
}

// hintOf says what to try against an extended result code of SQLite.
func hintOf(extended int) string {
	if extended == sqlite3.SQLITE_IOERR_SHMSIZE { // as a full disk leaves no room for the index of the log
		return full
	}
	switch extended & 0xff {
	case sqlite3.SQLITE_FULL:
		return full
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return "check the permissions of the file and its directory"
	case sqlite3.SQLITE_NOTADB:
		return "the file is not a store: use another path, or move the file away"
	case sqlite3.SQLITE_CORRUPT:
		return `the file is damaged: restore a backup, or save what is left with "sqlite3 FILE .recover"`
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Sprintf("another process held the write lock for %v: wait for it or end it, then try again", busyTimeout)
	case sqlite3.SQLITE_IOERR:
		return "check the disk; a network share does not work"
	}
	return ""
}

const full = engine.NoRoom + " and try again; nothing of this was written"

// code is SQLite's primary result code, 0 for errors of others.
func code(err error) int { return extended(err) & 0xff }

// extended is SQLite's extended result code, 0 for errors of others.
func extended(err error) int {
	if e, ok := errors.AsType[*driverpkg.Error](err); ok {
		return e.Code()
	}
	return 0
}
