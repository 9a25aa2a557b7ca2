package database

import (
	"context"
	"time"

	"tenfold/transcript/internal/engine"
)

// An Importer is a format's importer that can read a database. A head says only
// that it is one; its tables say whose.
type Importer interface {
	engine.Importer
	// Owns reports whether the tables are the tool's.
	Owns(d *Database) bool
	// ImportDatabase hands on the one session that is named, or all.
	ImportDatabase(ctx context.Context, d *Database, only string, sink engine.Sink) error
}

// A SessionLister is a database importer that lists the sessions in a database
// without reading them.
type SessionLister interface {
	Importer
	ListSessions(ctx context.Context, d *Database, each func(Session)) error
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
