package store

import "errors"

// ErrFull says that there is no room to write; nothing was written.
var ErrFull = errors.New("no space left")

// A FailedError is what a store could not do.
type FailedError struct {
	Op    string // what it was doing, and to which conversation
	Place string // where the store is: of a server, on its operator's machines
	Err   error
	Hint  string // what to try; empty where nothing is known
	Full  bool   // it is [ErrFull] as well
}

// Error is the text with the place, and at its end what to try.
func (e *FailedError) Error() string {
	text := e.Op + ": store " + e.Place + ": " + e.Err.Error()
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Outside is the text for who may not know where the store is, without what to try.
func (e *FailedError) Outside() string { return e.Op + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *FailedError) Unwrap() error { return e.Err }

// Is is for [errors.Is].
func (e *FailedError) Is(target error) bool { return e.Full && target == ErrFull }
