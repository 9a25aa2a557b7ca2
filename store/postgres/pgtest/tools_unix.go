//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Data is the server's data directory.
func (s *Server) Data() string { return s.data() }

// Directory is one that the server's user may write in; it goes with the server.
func (s *Server) Directory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(s.dir, "tools")
	if err != nil {
		t.Fatal(err)
	}
	if s.attr != nil {
		if err := os.Chown(dir, int(s.attr.Credential.Uid), int(s.attr.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Copy starts a server of the same kind on the data directory that fill makes, such as
// one of a base backup.
func (s *Server) Copy(t testing.TB, fill func(data string)) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if s.attr != nil {
		if err := os.Chown(dir, int(s.attr.Credential.Uid), int(s.attr.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	c := &Server{dir: dir, bin: s.bin, attr: s.attr}
	fill(c.data())
	t.Cleanup(c.stop)
	c.Restart(t)
	return c
}

// URL names a database of the server.
func (s *Server) URL(database string) string { return s.url(database) }

// Tool runs a program that comes with PostgreSQL, as the server's user, and gives what
// it prints.
func (s *Server) Tool(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(s.bin, program), args...) //nolint:gosec // the system's own program
	cmd.Dir, cmd.SysProcAttr = s.dir, s.attr
	cmd.Stderr = new(lastWords)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, cmd.Stderr)
	}
	return out
}

// lastWords keeps what a program says.
type lastWords []byte

// Write implements [io.Writer].
func (w *lastWords) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

// String implements [fmt.Stringer].
func (w *lastWords) String() string { return string(*w) }
