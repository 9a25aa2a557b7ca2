// Package sqlite keeps logs in one SQLite file: the embedded default store.
//
// The file may be used by many processes at once; SQLite's locks keep them
// apart. Inside a process one goroutine writes. Appends that wait while it
// commits go into its next transaction together, so that many writers share
// one fsync; each of them is still checked, applied and answered on its own.
// An append is answered after its transaction is on disk (D2).
//
// The full-text index follows behind: words are indexed in the background
// while nobody appends, and a search first indexes what is missing. An append
// never waits for more than one small step of that.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/watch"
)

// Store is a store in one SQLite file.
type Store struct {
	reader
	options
	path string
	file os.FileInfo // what stood there when it was opened

	mu      sync.Mutex    // guards barred
	barred  error         // why nothing can be written, and no writer runs; nil where it can
	lifting chan struct{} // has room for the one who tries to write again

	jobs chan *job
	quit chan struct{}
	done chan error // how the writer ended

	readers chan *conn    // open ones that nobody reads with
	unused  chan struct{} // of those that may yet be opened, one each

	hub    watch.Hub[int64]
	others watch.Companion // looks for what other processes write

	gate   engine.Gate
	errors engine.Errors
}

type reader = engine.Reader[int64]

var _ store.Store = (*Store)(nil)

// An Option changes how a store is opened.
type Option func(*options)

type options struct {
	noIndex  bool
	maxPages int64
	upgraded func(from, to int)
	asItIs   bool
}

// WithoutIndex opens a store that neither keeps up nor uses the full-text
// index: it takes less disk, and Search reads every log. A file may be opened
// with and without by turns.
func WithoutIndex() Option { return func(o *options) { o.noIndex = true } }

// WithUpgraded has f told when opening a file brought it from an older schema to the
// newest, which programs of earlier releases cannot open.
func WithUpgraded(f func(from, to int)) Option { return func(o *options) { o.upgraded = f } }

// WithoutUpgrade leaves a file as it is whose schema is older: that is a
// [store.ErrOlder], and a file that is not there an [fs.ErrNotExist].
func WithoutUpgrade() Option { return func(o *options) { o.asItIs = true } }

// withMaxPages bounds the file's size; a test's full disk.
func withMaxPages(n int64) Option { return func(o *options) { o.maxPages = n } }

// Open opens the store in the file at path. A file that is not there is
// created, readable by its owner alone, with its directories. One that cannot be
// written, as its disk is full or read-only or belongs to others, is opened for
// reading: [Store.Writable] says why, and so does what would write.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, engine.Errors{Place: path, Hint: hint}.Explain("open", err)
	}
	return s, nil
}

func open(ctx context.Context, path string, o options) (*Store, error) {
	if path == "" {
		return nil, errors.New("the path is empty: use the path of a file")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	c, err := dialWriter(ctx, path, o)
	barred := bars(err)
	if barred != nil {
		err = readable(ctx, path, err)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(path)
	if err != nil {
		if c != nil {
			err = errors.Join(err, c.close())
		}
		return nil, err
	}
	readers := max(2, runtime.GOMAXPROCS(0))
	s := &Store{
		options: o,
		path:    path,
		file:    file,
		barred:  barred,
		lifting: make(chan struct{}, 1),
		jobs:    make(chan *job, maxGroup),
		quit:    make(chan struct{}),
		done:    make(chan error, 1),
		readers: make(chan *conn, readers),
		unused:  make(chan struct{}, readers),
		errors:  engine.Errors{Place: path, Hint: hint},
	}
	s.reader = engine.NewReader(engine.Backend[int64]{
		List: s.list, Find: s.find, Chunk: s.chunk, LookUp: s.lookUp, Errors: s.errors,
		Hub: &s.hub, Companion: func() (leave func()) { return s.others.Join(s.poll) },
	})
	for range readers {
		s.unused <- struct{}{}
	}
	if c != nil {
		go (&writer{s: s, c: c}).run()
	}
	return s, nil
}

// dialWriter makes the file, opens the connection that writes, and brings it to the
// newest schema.
func dialWriter(ctx context.Context, path string, o options) (*conn, error) {
	if err := create(path, o.asItIs); err != nil {
		return nil, err
	}
	c, err := dial(
		ctx, path,
		// Four times the default: pages that many appends touch are then
		// copied from the write-ahead log once instead of four times (T8).
		"wal_autocheckpoint(4000)",
		"journal_size_limit(67108864)",
		"cache_size(-16000)",
	)
	if err != nil {
		return nil, err
	}
	if err = prepare(ctx, c, path, o); err == nil && o.maxPages > 0 {
		err = c.script(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", o.maxPages))
	}
	if err == nil {
		err = c.script(ctx, "PRAGMA "+dontWaitForLocks)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// create makes the file and its directories before SQLite does, so that they
// are their owner's alone, unless it is to be there. SQLite gives its side files the
// same mode.
func create(path string, there bool) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return errors.New("not a regular file: use the path of a file")
	}
	if there {
		return writable(path)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return writable(path)
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// The name must survive a crash too (D2). Not all systems can do this.
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// writable gives why a file that is there cannot be written.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = f.Close()
	}
	return err
}

// there tells whether the file still stands where it was opened. SQLite goes on writing
// into one that was removed, and all of that is lost as it is closed.
func (s *Store) there() error {
	now, err := os.Stat(s.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(now, s.file) {
		return errGone
	}
	return nil
}

// Close implements [store.Store].
func (s *Store) Close() error {
	if !s.gate.Close() {
		return nil
	}
	s.others.Close()
	s.hub.WakeAll()
	// Nobody uses the file now, and nobody will. The writer's connection is
	// closed last: the last one copies the write-ahead log into the file.
	var errs []error
	for range cap(s.readers) {
		select {
		case c := <-s.readers:
			errs = append(errs, c.close())
		case <-s.unused:
		}
	}
	close(s.quit)
	if s.barred != nil {
		s.done <- nil
	}
	return s.errors.Explain("close", errors.Join(append(errs, <-s.done)...))
}

// read runs f with a connection for reading.
func (s *Store) read(ctx context.Context, f func(c *conn) error) error {
	if err := s.gate.Enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := s.connection(ctx)
	if err != nil {
		return err
	}
	defer s.release(c)
	return f(c)
}

// release gives back a connection.
func (s *Store) release(c *conn) {
	if !c.once {
		s.readers <- c
		return
	}
	_ = c.close()
	s.unused <- struct{}{}
}

// connection gives one that is open, or else opens one, unless there are as many as may be.
func (s *Store) connection(ctx context.Context) (*conn, error) {
	select {
	case c := <-s.readers:
		return c, nil
	default:
	}
	select {
	case c := <-s.readers:
		return c, nil
	case <-s.unused:
		c, err := s.dialReader(ctx)
		if err != nil {
			s.unused <- struct{}{}
		}
		return c, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// idleTime is how long nobody must have written before words are indexed in
// the background.
const idleTime = 100 * time.Millisecond
