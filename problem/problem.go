// Package problem is the error that a person reads: what was being done, to
// what, what is wrong, and what to try.
//
// Any error can be one. A package whose callers act on more than the text, such
// as a kind or a position, keeps a type of its own and gives it an As method that
// fills in a *[Error]; errors.As then finds the hint of either.
package problem

import (
	"errors"
	"slices"
	"strings"
)

// Error is an error for a person. All fields are optional, except that Problem
// or Err must be set.
type Error struct {
	// Op is what was being done ("config trust"), Subject what it was done to: a
	// file and a line, a flag, a model.
	Op, Subject string
	// Problem says what is wrong; empty for the text of Err.
	Problem string
	// Hint says what to try, in the imperative. It is not part of the text.
	Hint string
	// Code names the kind of problem for programs, such as "not_found".
	Code string
	// Usage is set when the command line itself is wrong.
	Usage bool
	// Err is the cause.
	Err error
}

// Error is "operation subject: problem", without the hint.
func (e *Error) Error() string {
	text := e.Problem
	if text == "" && e.Err != nil {
		text = e.Err.Error()
	}
	where := strings.TrimSpace(e.Op + " " + e.Subject)
	if where == "" {
		return text
	}
	return where + ": " + text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ForModel is an error as a model reads it: on one line with its hint.
func ForModel(err error) string {
	if p, ok := errors.AsType[*Error](err); ok && p.Hint != "" {
		return err.Error() + " (" + p.Hint + ")"
	}
	return err.Error()
}

// DidYouMean is a hint that names what a misspelt word most likely stands for;
// empty when no candidate is close.
func DidYouMean(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// Nearest is the candidate that a word is most likely a misspelling of: the first
// that begins with it, else the one with the fewest edits, at most one for every
// three letters. It is empty when none is close.
func Nearest(word string, candidates []string) string {
	if len(word) > 100 {
		return "" // not a misspelling, and slow to compare
	}
	best, least := "", len(word)/3+1
	for _, c := range candidates {
		if len(word) > 2 && strings.HasPrefix(c, word) {
			return c
		}
		if n := edits(word, c); n < least {
			best, least = c, n
		}
	}
	return best
}

// edits counts the letters to insert, delete or replace to turn one word into the
// other, ignoring case; two swapped neighbours count once.
func edits(from, to string) int {
	a, b := []rune(strings.ToLower(from)), []rune(strings.ToLower(to))
	beforeLast, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		next := slices.Repeat([]int{i + 1}, len(b)+1)
		for j := range b {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, beforeLast[j-1]+1)
			}
			next[j+1] = d
		}
		beforeLast, last = last, next
	}
	return last[len(b)]
}
