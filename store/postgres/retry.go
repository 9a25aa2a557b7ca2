package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A trouble is how an attempt failed, the more certain the lower.
type trouble int

const (
	// starting: the server says that it will take connections soon.
	starting trouble = iota
	// undone: nothing was done, for certain. Anything may be tried again.
	undone
	// lost: the connection broke, and what was asked for may have been done.
	// Only what does no more when done twice may be tried again.
	lost
	// final: trying again does not help.
	final
)

// The codes of PostgreSQL that the store acts on.
const (
	codeUnique      = "23505"
	codeSerialize   = "40001"
	codeDeadlock    = "40P01"
	codeNoTable     = "42P01"
	codeConnections = "53300"
	codeShutdown    = "57P01"
	codeCrash       = "57P02"
	codeStarting    = "57P03"
)

// code is the server's code for an error, or empty.
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// troubleOf says what may be tried again.
func troubleOf(err error) trouble {
	switch c := code(err); c {
	case "":
	case codeStarting, codeConnections:
		return starting
	case codeSerialize, codeDeadlock:
		return undone
	case codeShutdown, codeCrash:
		return lost
	default:
		if len(c) == 5 && c[:2] == "08" { // the connection's own errors
			return lost
		}
		return final
	}
	var connect *pgconn.ConnectError
	var network *net.OpError
	switch {
	case errors.As(err, &connect), pgconn.SafeToRetry(err):
		return undone
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, pgconn.ErrConnClosed):
		return lost
	}
	return final
}

const (
	firstPause = 10 * time.Millisecond
	maxPause   = 500 * time.Millisecond
	// grace is what an attempt may take beyond the server's own limit.
	grace = 5 * time.Second
)

// try runs f, again while it fails with troubles up to worst, for as long as
// the store's retry says.
func (s *Store) try(ctx context.Context, worst trouble, f func(ctx context.Context) error) error {
	if err := s.gate.Enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	start, pause := time.Now(), firstPause
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.once(ctx, f)
		if err == nil || ctx.Err() != nil || troubleOf(err) > worst || time.Since(start)+pause > s.retry {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-s.quit:
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// once runs f with a limit: a server that vanished without a word does not
// keep its own timeout.
func (s *Store) once(ctx context.Context, f func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, s.timeout+grace)
	defer cancel()
	err := f(limited)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the server says that it was asked to stop
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case limited.Err() != nil:
		return fmt.Errorf("%w: %w", errSlow, err)
	}
	return err
}

var errSlow = errors.New("the server did not answer in time")
