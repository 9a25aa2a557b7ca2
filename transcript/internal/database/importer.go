package database

import (
	"time"

	"tenfold/transcript/internal/intake"
)

// An Importer reads the database of a format. A head says only that it is one; its
// tables say whose.
type Importer struct {
	Format intake.Format
	// Owns reports whether the tables are the tool's.
	Owns func(d *Database) bool
	// Import hands on the one session that is named, or all.
	Import func(d *Database, only string, sink intake.Sink) error
	// List lists the sessions in a database without reading them; may be nil. What went
	// wrong is the database's error.
	List func(d *Database, each func(Session))
}

// A Session is a session in a database, as a listing shows it.
type Session struct {
	ID, Directory, Title string
	Created, Updated     time.Time
	// Tokens is the context of its newest response, 0 if unknown.
	Tokens int
	// Agent is set for a session that another one started.
	Agent bool
}
