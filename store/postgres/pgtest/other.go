//go:build !unix

package pgtest

import (
	"os"
	"testing"
)

// RequireEnv, set to 1, has tests fail that would be skipped for want of a
// server.
const RequireEnv = "TENFOLD_REQUIRE_POSTGRES"

// A Server is a server of its own.
type Server struct{}

// Start skips the test: servers are run on unix only.
func Start(t testing.TB, _ ...string) *Server {
	t.Helper()
	if os.Getenv(RequireEnv) == "1" {
		t.Fatalf("servers are run on unix only, and %s=1", RequireEnv)
	}
	t.Skip("servers are run on unix only")
	return nil
}

// Restart starts the server again.
func (s *Server) Restart(testing.TB) {}

// Stop ends the server.
func (s *Server) Stop(testing.TB) {}

// Kill ends the server.
func (s *Server) Kill(testing.TB) {}

// Database makes a new, empty database and gives its URL.
func (s *Server) Database(testing.TB) string { return "" }

// Data is the server's data directory.
func (s *Server) Data() string { return "" }

// Directory is one that the server's user may write in.
func (s *Server) Directory(testing.TB) string { return "" }

// Tool runs a program that comes with PostgreSQL.
func (s *Server) Tool(testing.TB, string, ...string) []byte { return nil }

// Copy starts a server on the data directory that fill makes.
func (s *Server) Copy(testing.TB, func(data string)) *Server { return nil }

// URL names a database of the server.
func (s *Server) URL(string) string { return "" }
