// Package atom finds the words of a text that later work is likely to name
// again: paths, identifiers, ids and numbers (the atoms of the strategy fit).
//
// An atom is a piece of a line, and two atoms are the same when their texts
// are. [Scan] gives the atoms of one line; terminal escapes and the line
// numbers that file reads print before each line are not part of it.
//
// Only ASCII words make atoms: prose in other scripts has none, and ends one.
package atom
