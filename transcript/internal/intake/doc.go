// Package intake is how a transcript comes in: a [Source], what detection sees of it
// (a [Head]), its records, one at a time and of any length, with those that are damaged
// left out and told, the bounds of what an import may take, and what is true of the
// records of all formats: ids, turns, outcomes. Package engine makes entries of them.
package intake
