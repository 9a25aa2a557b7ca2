package web

import (
	"context"
	"net/http"

	"tenfold/internal/web/shape"
	"tenfold/session"
)

// writable refuses where nothing is to be written.
func (s *Server) writable() error {
	if !s.backend.Meta().ReadOnly {
		return nil
	}
	return shape.NewProblem(http.StatusForbidden, "read_only", "this server only shows", `start "tenfold serve" without --read-only to change conversations`)
}

// write runs f, which writes to a conversation. Where another writer came first it
// reads what is new and runs f again.
func (s *Server) write(ctx context.Context, id string, f func(*session.Session) error) error {
	if err := s.writable(); err != nil {
		return err
	}
	return session.Retried(ctx, func() error { return s.with(ctx, id, f) })
}
