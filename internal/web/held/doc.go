// Package held keeps conversations in memory for those who ask for them: each for one
// at a time, at its newest version, and so many of all stores together.
package held
