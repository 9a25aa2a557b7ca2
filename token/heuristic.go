package token

import "unicode/utf8"

// Heuristic counts a token for every four characters, rounded up: the estimate
// of systems that have no vocabulary (semantics T3). Characters are code
// points; a byte that is not part of valid UTF-8 is one.
type Heuristic struct{}

// Name returns "chars/4".
func (Heuristic) Name() string { return "chars/4" }

// Count returns the number of characters of text divided by four, rounded up.
func (Heuristic) Count(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// CountBytes is Count for bytes.
func (Heuristic) CountBytes(text []byte) int { return (utf8.RuneCountInString(textOf(text)) + 3) / 4 }
