package config

// An Error says what is wrong with a configuration.
type Error struct {
	// Origin is where it stands, Key the key in question, if it is about one.
	Origin Origin
	Key    string
	// Problem says what is wrong, Hint what to try.
	Problem, Hint string
}

// Error implements error.
func (e *Error) Error() string { return e.Origin.place() + ": " + e.Problem }

func wrong(n *node, path []string, problem, hint string) *Error {
	return &Error{Origin: n.origin, Key: shown(path), Problem: problem, Hint: hint}
}
