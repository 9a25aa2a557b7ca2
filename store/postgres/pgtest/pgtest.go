//go:build unix

// Package pgtest runs a PostgreSQL server for tests: of the system's
// binaries, in a temporary directory, on a unix socket that nobody else uses.
package pgtest

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// RequireEnv, set to 1, has tests fail that would be skipped for want of a
// server.
const RequireEnv = "TENFOLD_REQUIRE_POSTGRES"

const (
	role     = "tenfold"
	password = "secret/of the&tests"
	patience = 5 * time.Minute
)

// A Server is a server of its own. Its methods are for one goroutine, but for
// Database.
type Server struct {
	dir, bin  string
	settings  []string
	attr      *syscall.SysProcAttr
	cmd       *exec.Cmd
	ended     chan struct{} // when the process has
	stdin     io.Closer
	databases atomic.Int64
}

// Start starts a server that ends with the test, with settings such as
// "shared_buffers=512MB". Without PostgreSQL's binaries the test is skipped, or
// fails where RequireEnv is 1.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		if os.Getenv(RequireEnv) == "1" {
			t.Fatalf("%v, and %s=1", err, RequireEnv)
		}
		t.Skip(err)
	}
	// Not t.TempDir, whose name may be longer than a socket's can be.
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := &Server{dir: dir, bin: bin}
	// A process that is killed, which is all that tests do to a server, loses nothing that
	// it wrote; what an append costs is asked by benchmarks.
	if _, measures := t.(*testing.B); !measures {
		settings = append([]string{"fsync=off", "full_page_writes=off"}, settings...)
	}
	for _, setting := range settings {
		s.settings = append(s.settings, "-c", setting)
	}
	if s.attr, err = unprivileged(dir); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "password")
	if err := os.WriteFile(secret, []byte(password), 0o644); err != nil { //nolint:gosec // no secret, and the server's user reads it
		t.Fatal(err)
	}
	initdb := exec.CommandContext(t.Context(), filepath.Join(bin, "initdb"), "-D", s.data(), "-U", role, "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--locale=C", "-N") //nolint:gosec // the system's own program
	initdb.Dir, initdb.SysProcAttr = dir, s.attr
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	t.Cleanup(s.stop)
	s.Restart(t)
	s.hurry(t)
	return s
}

// hurry has the server keep the password as one round makes it, not 4,096: under the race
// detector they took a quarter of the processor time of tests that connect often, and
// nobody guesses this password.
func (s *Server) hurry(t testing.TB) {
	t.Helper()
	salt := []byte("no secret either")
	key, err := pbkdf2.Key(sha256.New, password, salt, 1, sha256.Size)
	if err != nil {
		t.Fatal(err)
	}
	keyed := func(what string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(what))
		return mac.Sum(nil)
	}
	stored, encode := sha256.Sum256(keyed("Client Key")), base64.StdEncoding.EncodeToString
	s.exec(t, fmt.Sprintf("ALTER ROLE %s PASSWORD 'SCRAM-SHA-256$1:%s$%s:%s'", role, encode(salt), encode(stored[:]), encode(keyed("Server Key"))))
}

// binaries gives the directory of the newest server.
func binaries() (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(dirs, func(a, b string) int { return major(b) - major(a) })
	for _, dir := range append(dirs, filepath.SplitList(os.Getenv("PATH"))...) {
		if isFile(filepath.Join(dir, "initdb")) && isFile(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errors.New("there is no initdb and postgres in /usr/lib/postgresql/*/bin or in PATH: install PostgreSQL's server")
}

// major is the version in /usr/lib/postgresql/15/bin.
func major(dir string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return n
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// script runs a server that ends with its standard input: with the test,
// however that ends. One that has just begun may not hear it.
const script = `
exec 3<&0
"$@" & server=$!
(read -r _ <&3; while kill -INT $server; do sleep 1; done) 2>/dev/null & reader=$!
wait $server
kill $reader 2>/dev/null`

// Restart starts the server, which must not run, and waits until it answers.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if s.cmd == nil {
			//nolint:gosec // as above; it outlives the call, and ends with its standard input
			cmd := exec.CommandContext(context.Background(), "/bin/sh", append([]string{
				"-c", script, "sh", filepath.Join(s.bin, "postgres"), "-D", s.data(),
				"-c", "listen_addresses=", "-c", "unix_socket_directories=" + s.dir, "-c", "max_connections=200",
			}, s.settings...)...)
			cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = s.dir, s.attr, log, log
			if s.stdin, err = cmd.StdinPipe(); err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = cmd.Wait() // it tells how the server ended, which is known
			}()
			s.cmd, s.ended = cmd, ended
		}
		err := s.ping()
		if err == nil {
			return
		}
		if time.Since(start) > patience {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the server does not answer: %v\n%s", err, text)
		}
		// After a kill, it refuses to start until the last of the old
		// processes has noticed.
		select {
		case <-s.ended:
			s.stop()
		default:
		}
	}
}

func (s *Server) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err == nil {
		err = conn.Close(ctx)
	}
	return err
}

// pid is the running server's, or 0.
func (s *Server) pid() int {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

// Kill ends the server with SIGKILL, as a crash would.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	pid := s.pid()
	if pid == 0 {
		t.Fatal("the server does not run")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.stop()
}

// Stop ends the server as "pg_ctl stop -m fast" does: it ends its connections and
// writes what is to be written.
func (s *Server) Stop(testing.TB) { s.stop() }

func (s *Server) stop() {
	if s.cmd != nil {
		_ = s.stdin.Close()
		<-s.ended
		s.cmd = nil
	}
}

// Database makes a new, empty database and gives its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	s.exec(t, "CREATE DATABASE "+name)
	return s.url(name)
}

func (s *Server) exec(t testing.TB, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Path: "/" + database, RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}
