package web

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"tenfold/session"
	"tenfold/store"
)

// writeTries is how often something is written before rivals are given way to.
const writeTries = 20

// writable refuses where nothing is to be written.
func (s *Server) writable() error {
	if !s.backend.Meta().ReadOnly {
		return nil
	}
	return newProblem(http.StatusForbidden, "read_only", "this server only shows", `start "tenfold serve" without --read-only to change conversations`)
}

// write runs f, which writes to a conversation. Where another writer came first it
// reads what is new and runs f again.
func (s *Server) write(ctx context.Context, id string, f func(*session.Session) error) error {
	if err := s.writable(); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := s.with(ctx, id, f)
		var lost *store.ConflictError
		if try == writeTries || !errors.As(err, &lost) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(time.Duration(try) * 2 * time.Millisecond)):
		}
	}
}
