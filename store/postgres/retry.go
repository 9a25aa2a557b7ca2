package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tenfold/store"
	"tenfold/store/internal/engine"
)

// A trouble is how an attempt failed, the more certain the lower.
type trouble int

const (
	// starting: the server says that it will take connections soon, or is a standby that
	// will be the primary.
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
	codeReference   = "23503" // of which there is one: a conversation's tenant
	codePartition   = "23514" // a check failed, of which partitions have the only ones
	codeSerialize   = "40001"
	codeDeadlock    = "40P01"
	codeForbidden   = "42501"
	codeNoTable     = "42P01"
	codeNoRole      = "22023" // a parameter's value is invalid, and role is the only one that we set to a name
	codeReadOnly    = "25006"
	codeOld         = "TF001" // see 00005_tenants.sql
	codeSealed      = "TF003" // see 00006_life.sql
	codeConnections = "53300"
	codeLocked      = "55P03"
	codeTimeout     = "57014"
	codeShutdown    = "57P01"
	codeCrash       = "57P02"
	codeStarting    = "57P03"
)

// Code is the server's code for an error, or empty.
func Code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// An uncommitted error ended a transaction of which no commit was sent.
type uncommitted struct{ error }

// Unwrap is for [errors.As].
func (e uncommitted) Unwrap() error { return e.error }

// troubleOf says what may be tried again.
func troubleOf(err error) trouble {
	t := kindOf(err)
	if t == lost && errors.As(err, new(uncommitted)) {
		return undone
	}
	return t
}

func kindOf(err error) trouble {
	switch c := Code(err); c {
	case "":
	case codeStarting, codeConnections, codeReadOnly:
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

// A caller runs attempts, until it is closed.
type caller struct {
	timeout, retry time.Duration
	quit           chan struct{} // closed when close begins
	ending         sync.Once
	gate           engine.Gate
	log            *slog.Logger // nil is silent
}

func newCaller(o options) caller {
	return caller{timeout: o.timeout, retry: o.retry, quit: make(chan struct{}), log: o.log}
}

// close waits for attempts under way, none of which waits any more for the
// server to come back. It reports whether it is the first to do so.
func (c *caller) close() bool {
	c.ending.Do(func() { close(c.quit) })
	return c.gate.Close()
}

// Unavailable marks errors of a server that cannot be reached, after all attempts: they
// are [store.ErrUnavailable] too.
func Unavailable(err error) error {
	if t := kindOf(err); errors.Is(err, errSlow) || Code(err) == codeTimeout || t == starting || t == lost || t == undone && Code(err) == "" {
		return unavailableError{err}
	}
	return err
}

// An unavailableError is a [store.ErrUnavailable] in the words of its cause.
type unavailableError struct{ error }

// Unwrap is for [errors.As].
func (e unavailableError) Unwrap() error { return e.error }

// Is is for [errors.Is].
func (e unavailableError) Is(target error) bool { return target == store.ErrUnavailable }

// try runs f, again while it fails with troubles up to worst, for as long as
// retry says.
func (c *caller) try(ctx context.Context, worst trouble, f func(ctx context.Context) error) error {
	if err := c.gate.Enter(); err != nil {
		return err
	}
	defer c.gate.Leave()
	start, pause := time.Now(), firstPause
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := c.attempt(ctx, f)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if troubleOf(err) > worst || time.Since(start)+pause > c.retry {
			return Unavailable(err)
		}
		c.retrying(ctx, err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-c.quit:
			return Unavailable(err)
		}
		pause = min(2*pause, maxPause)
	}
}

// attempt runs f with a limit: a server that vanished without a word does not
// keep its own timeout.
func (c *caller) attempt(ctx context.Context, f func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, c.timeout+grace)
	defer cancel()
	err := f(limited)
	switch {
	case err == nil, errors.Is(err, ctx.Err()):
		return err
	case ctx.Err() != nil: // the server says that it was asked to stop
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case limited.Err() != nil:
		return fmt.Errorf("%w: %w", errSlow, err)
	}
	return err
}

var errSlow = errors.New("the server did not answer in time")
