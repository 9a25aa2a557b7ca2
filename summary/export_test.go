package summary

import "tenfold"

// What the tests over real sessions go by: what makes two commands the same,
// and whether a call failed.
var Normalise = normalise

// Failed reports whether the result of a command says that it failed.
func Failed(r tenfold.ToolResult) bool { return outcomeOf(r).failed }

// Visible is how a text is quoted.
var Visible = visible
