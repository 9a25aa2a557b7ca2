// Package database reads the SQLite databases in which some tools keep their sessions: it
// opens one without touching it (database.go), reads its rows (rows.go, value.go) and
// which sessions belong together (sessions.go), and says what an importer of one can do
// (importer.go).
package database

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // reads the databases of other tools

	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// Magic is how an SQLite database begins.
var Magic = []byte("SQLite format 3\x00")

// The bounds of a database, in bytes: what is copied when a running tool has
// it open, and the largest value that is read.
const (
	copyLimit  = 4 << 30
	ValueLimit = 256 << 20
)

// Is reports whether a head is a database's.
func Is(head []byte) bool { return bytes.HasPrefix(head, Magic) }

// Database is an SQLite database open for reading. Nothing is ever written to
// it or beside it. Its first error sticks: nothing is read after it, and what would
// give rows gives none.
type Database struct {
	Name   string
	Format intake.Format
	// Err is the first error.
	Err    error
	em     *engine.Emitter // of the conversation that is read, which ends with the error
	ctx    context.Context
	sql    *sql.DB
	copied string // directory of the copy that is read instead
	path   string // of a file that is read where it lies, and how it was
	mark   string
	tables map[string][]string
}

// Open opens the database at the source's path. One that no program
// has open is read where it lies, as a file that does not change: SQLite then
// makes no file beside it. One with a journal beside it is copied first.
func Open(ctx context.Context, src intake.Source, format intake.Format) (*Database, error) {
	if src.Path == "" {
		return nil, &intake.Error{
			Name: src.Name, Format: format, Err: errors.New("an SQLite database cannot be read from a stream"),
			Hint: "name the file",
		}
	}
	d := &Database{Name: src.Name, Format: format, ctx: ctx}
	path, err := filepath.Abs(src.Path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // journals lie beside the file itself
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", src.Name, err)
	}
	query := url.Values{"_pragma": {"trusted_schema(0)", "cell_size_check(1)", "temp_store(2)", "query_only(1)"}}
	if busy(path) {
		if path, err = d.copy(ctx, path); err != nil {
			d.Close()
			return nil, err
		}
		query.Set("mode", "rw") // to recover the journal of the copy
	} else {
		query.Set("mode", "ro")
		query.Set("immutable", "1")
		d.path = path
		d.mark, _ = fingerprint(path)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // Windows: file:///C:/…
	}
	address := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	if d.sql, err = sql.Open("sqlite", address.String()); err != nil {
		d.Close()
		return nil, d.Fail(err)
	}
	d.sql.SetMaxOpenConns(1)
	if d.readTables(); d.Err != nil {
		d.Close()
		return nil, d.Err
	}
	return d, nil
}

func (d *Database) Close() {
	if d.sql != nil {
		_ = d.sql.Close()
	}
	if d.copied != "" {
		_ = os.RemoveAll(d.copied)
	}
}

// Unchanged makes sure that nobody wrote to a file read where it lies.
func (d *Database) Unchanged() error {
	if d.path == "" {
		return nil
	}
	if mark, _ := fingerprint(d.path); mark != d.mark || busy(d.path) {
		return &intake.Error{
			Name: d.Name, Format: d.Format, Err: errors.New("the database was written to while it was read"),
			Hint: "try again",
		}
	}
	return nil
}

// filesOf lists a database's own file and those of its journals.
func filesOf(path string) []string { return []string{path, path + "-wal", path + "-journal"} }

// busy reports whether a journal lies beside the database: a program has it
// open, or was killed.
func busy(path string) bool {
	return slices.ContainsFunc([]string{"-wal", "-journal", "-shm"}, func(suffix string) bool {
		_, err := os.Lstat(path + suffix)
		return err == nil
	})
}

// copy copies the database with its journals to a directory of its own, until
// nobody wrote while it was copied.
func (d *Database) copy(ctx context.Context, path string) (string, error) {
	dir, err := os.MkdirTemp("", "tenfold-database-")
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", d.Name, err)
	}
	d.copied = dir
	target := filepath.Join(dir, "copy.db")
	for range 5 {
		before, size := fingerprint(path)
		if size > copyLimit {
			return "", &intake.Error{
				Name: d.Name, Format: d.Format, Err: errors.New("the database is open in another program and too large to copy"),
				Hint: "close that program, then nothing needs to be copied",
			}
		}
		for i, file := range filesOf(path) {
			if err := copyFile(ctx, file, filesOf(target)[i]); err != nil {
				return "", fmt.Errorf("copy %s: %w", d.Name, err)
			}
		}
		if after, _ := fingerprint(path); after == before {
			return target, nil
		}
	}
	return "", &intake.Error{
		Name: d.Name, Format: d.Format, Err: errors.New("the database is being written to all the time"),
		Hint: "try again when the program that uses it is idle",
	}
}

// fingerprint tells whether the files of a database changed.
func fingerprint(path string) (mark string, size int64) {
	for _, file := range filesOf(path) {
		info, err := os.Stat(file)
		if err != nil {
			mark += "none "
			continue
		}
		size += info.Size()
		mark += strconv.FormatInt(info.Size(), 10) + "@" + strconv.FormatInt(info.ModTime().UnixNano(), 10) + " "
	}
	return mark, size
}

// copyFile copies a file; one that is not there gives none.
func copyFile(ctx context.Context, from, to string) error {
	_ = os.Remove(to)
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for left := int64(copyLimit); left > 0; left -= 16 << 20 {
		if err = ctx.Err(); err != nil {
			break
		}
		if _, err = io.CopyN(out, in, 16<<20); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, out.Close())
}

// Fail notes an error, made one of ours, unless there was one.
func (d *Database) Fail(err error) error {
	switch {
	case err == nil || d.Err != nil:
		return d.Err
	case d.ctx.Err() != nil:
		d.Err = d.ctx.Err()
	case errors.As(err, new(*intake.Error)):
		d.Err = err
	default:
		d.Err = &intake.Error{
			Name: d.Name, Format: d.Format, Err: fmt.Errorf("the database cannot be read: %w", err),
			Hint: "it may be damaged: open it in the tool that wrote it, or restore it",
		}
	}
	if d.em != nil {
		d.em.Fail(d.Err)
	}
	return d.Err
}

var errTooLarge = errors.New("a message is larger than 256 MB")
