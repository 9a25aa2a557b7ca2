package config

import (
	"fmt"
	"strconv"

	"tenfold/problem"
)

// A Kind is a layer, lowest first.
type Kind int

// The layers.
const (
	Default Kind = iota
	User
	Workspace
	Environment
	InConversation
	Flag
)

// Origin is where a value came from.
type Origin struct {
	Kind Kind
	// Name is a file or a variable.
	Name string
	// Line and Column count from 1, in files.
	Line, Column int
}

// String is the origin in words: "config.toml:3", "TENFOLD_…", "flag --cfg".
func (o Origin) String() string {
	switch o.Kind {
	case User, Workspace:
		if o.Line == 0 {
			return o.Name
		}
		return o.Name + ":" + strconv.Itoa(o.Line)
	case Environment:
		return o.Name
	case InConversation:
		return "conversation"
	case Flag:
		return "flag --cfg"
	}
	return "default"
}

// place is String with the column.
func (o Origin) place() string {
	if o.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", o.Name, o.Line, o.Column)
	}
	return o.String()
}

// Layer names the layer in a word.
func (o Origin) Layer() string {
	return [...]string{"default", "user", "workspace", "environment", "conversation", "flag"}[o.Kind]
}

// wrong says what is wrong with a configuration, and where.
func wrong(o Origin, what, hint string) error {
	return &problem.Error{Code: "config", Usage: o.Kind == Flag, Subject: o.place(), Problem: what, Hint: hint}
}
