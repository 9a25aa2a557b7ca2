// Package engine makes entries of the records that package intake reads, and the files of
// exporters of views: it counts turns and steps as a log does, finds the members of records
// and puts them back, and counts what a format has no place for.
package engine
