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
func Start(t testing.TB) *Server {
	t.Helper()
	if os.Getenv(RequireEnv) == "1" {
		t.Fatalf("servers are run on unix only, and %s=1", RequireEnv)
	}
	t.Skip("servers are run on unix only")
	return nil
}

// Restart starts the server again.
func (s *Server) Restart(testing.TB) {}

// Kill ends the server.
func (s *Server) Kill(testing.TB) {}

// Database makes a new, empty database and gives its URL.
func (s *Server) Database(testing.TB) string { return "" }
