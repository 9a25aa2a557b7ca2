package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"

	"tenfold/store"
	"tenfold/store/internal/schema"
)

// errReadOnly says that the file was opened for reading alone.
var errReadOnly = errors.New("the store can only be read")

// errLogAlone says that a file was copied with its log but not with the index of that,
// which cannot be made where nothing may be written.
var errLogAlone = errors.New("it was copied while it was in use: its -wal file holds what was written last, and can only be read in a directory that can be written")

// bars gives why a file that could not be opened for writing may yet be read, nil where
// it may not.
func bars(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // who writes names the file
	}
	switch extended(err) & 0xff {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	switch {
	case hint(err) == full:
		return fmt.Errorf("%w: %w", errReadOnly, syscall.ENOSPC)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return nil
}

// Writable gives an error that says why the store can only be read, nil where it can be
// written as far as is known.
func (s *Store) Writable() error { return s.errors.Explain("write", s.bar()) }

// Ready reports whether the store can be read and, if it is for writing, written: what
// could only be read is tried again.
func (s *Store) Ready(ctx context.Context, writing bool) error {
	if _, err := s.Conversation(ctx, "readyz"); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if !writing {
		return nil
	}
	return s.errors.Explain("write", cmp.Or(s.there(), s.lift(ctx)))
}

func (s *Store) bar() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.barred
}

// lift tries again to open for writing what could only be read: a disk may have room by
// now. It gives why that fails. Who reads does not wait for it.
func (s *Store) lift(ctx context.Context) error {
	if s.bar() == nil {
		return nil
	}
	select {
	case s.lifting <- struct{}{}:
		defer func() { <-s.lifting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.bar() == nil { // another did
		return nil
	}
	if err := s.there(); err != nil {
		return err
	}
	c, err := dialWriter(ctx, s.path, s.options)
	if err != nil {
		return cmp.Or(bars(err), err)
	}
	s.mu.Lock()
	s.barred = nil
	s.mu.Unlock()
	go (&writer{s: s, c: c}).run()
	return nil
}

// cannotWrite reports whether an error is the file's, and not that a caller gave up or
// that the store was closed.
func cannotWrite(err error) bool { return code(err) != 0 || errors.Is(err, errReadOnly) }

// readable reports whether a file that cannot be written can be read.
func readable(ctx context.Context, path string, barred error) error {
	c, err := dialReadOnly(ctx, path)
	if log, none := os.Stat(path + "-wal"); err != nil && none == nil && log.Size() > 0 {
		if _, err := os.Stat(path + "-shm"); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", errLogAlone, barred)
		}
	}
	if err != nil {
		return barred
	}
	version, err := check(ctx, c)
	if newest := schema.Newest(migrations); err == nil && version != newest {
		err = barred
		if version > 0 {
			err = fmt.Errorf("it has schema %d and this program reads %d: %w", version, newest, barred)
		}
	}
	return errors.Join(err, c.close())
}

// dialReader opens a connection for reading.
func (s *Store) dialReader(ctx context.Context) (*conn, error) {
	if s.bar() != nil {
		return dialReadOnly(ctx, s.path)
	}
	return dial(ctx, s.path, "query_only(1)")
}

// dialReadOnly opens a connection that makes no file beside the store's: whoever may
// write the store could not use one of another's.
func dialReadOnly(ctx context.Context, path string) (*conn, error) {
	how := "immutable=1" // without the write-ahead log
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		how = "mode=ro&readonly_shm=1"
	}
	c, err := dialAs(ctx, path, how, "query_only(1)")
	if c != nil {
		c.once = true
	}
	return c, err
}
