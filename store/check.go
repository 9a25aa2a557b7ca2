package store

import (
	"context"
	"errors"
)

// A Checker is a Store that can look for damage in what it keeps. It is a
// second, optional interface: not every store can.
type Checker interface {
	// Check looks for damage and repairs nothing. It reads all that is kept,
	// and may be called while others use the store. Damage is in the
	// condition; an error is that it could not look.
	Check(ctx context.Context) (Condition, error)
}

// Condition is what a check found.
type Condition struct {
	// Version is that of the schema.
	Version int
	// Damage says in words what is wrong; nil when nothing is.
	Damage []string
}

// Writable gives an error that says why a store can only be read, nil where it can be
// written as far as is known. Who is to pay for what is then written asks first.
func Writable(s Store) error {
	if s, ok := s.(interface{ Writable() error }); ok {
		return s.Writable()
	}
	return nil
}

// MayPass reports whether what could not be read may be readable later, or by somebody
// else: it is not damaged.
func MayPass(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrClosed) || errors.Is(err, ErrLocked)
}
