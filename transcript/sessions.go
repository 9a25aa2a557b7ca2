package transcript

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
)

// A Session is one that a tool keeps on this machine. [Sessions] looks at names
// and times alone, and [Session.Describe] reads a little of the file for the rest.
// All texts are a stranger's.
type Session struct {
	Format Format
	// ID is what the tool calls it; known once it is described.
	ID string
	// Path is its file, or the database that holds it among others.
	Path string
	// Only is the ID of a session in a database, for [Source.Only]; else empty.
	Only string
	// Changed is when it was last written to.
	Changed time.Time
	// Size is the size of its file in bytes; 0 in a database.
	Size int64

	// Directory is where it began, Title its first request in one line, Began and
	// Ended the times of its first and its last record. Each is empty where the
	// file does not say.
	Directory    string
	Title        string
	Began, Ended time.Time
	// Tokens is the context of its newest response, as the provider counted it; 0
	// where the file does not say.
	Tokens int
	// Agent is set for a session that another one started.
	Agent bool

	described bool
}

// Keepers lists the formats of the tools whose sessions [Sessions] finds.
func Keepers() []Format {
	var list []Format
	for _, h := range handlers() {
		if len(h.Sessions) > 0 {
			list = append(list, h.Format)
		}
	}
	return list
}

// Sessions lists the sessions that a tool keeps in its homes, the last written
// first. A home that does not exist holds none. If a part cannot be read, the
// error comes with the sessions of the rest.
func Sessions(ctx context.Context, format Format, home string, getenv func(string) string) ([]Session, error) {
	dirs, err := Homes(format, home, getenv)
	if err != nil {
		return nil, err
	}
	h, _ := find(format)
	var list []Session
	var failed error
	for _, dir := range dirs {
		found, err := sessionsIn(ctx, h, dir)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list, failed = append(list, found...), errors.Join(failed, err)
	}
	slices.SortStableFunc(list, Session.newer)
	return list, failed
}

// newer orders sessions, the last written first.
func (s Session) newer(other Session) int {
	return cmp.Or(other.Changed.Compare(s.Changed), cmp.Compare(s.Path, other.Path), cmp.Compare(s.ID, other.ID))
}

// sessionsIn lists the sessions below one home. Links that lead out of it are not
// followed.
func sessionsIn(ctx context.Context, h engine.Handler, dir string) (list []Session, failed error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	for _, pattern := range h.Sessions {
		files, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return nil, err // a pattern of ours
		}
		for _, name := range files {
			info, err := root.Stat(filepath.FromSlash(name))
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err != nil || !info.Mode().IsRegular() || h.Part != nil && h.Part(file) {
				continue // gone meanwhile, or none
			}
			s := Session{Format: h.Format, Path: file, Changed: info.ModTime(), Size: info.Size()}
			if path.Ext(name) != ".db" {
				list = append(list, s)
				continue
			}
			inside, err := databaseSessions(ctx, s)
			list, failed = append(list, inside...), errors.Join(failed, err)
		}
	}
	return list, failed
}

// databaseSessions lists the sessions in a database.
func databaseSessions(ctx context.Context, in Session) ([]Session, error) {
	d, err := database.Open(ctx, Source{Name: in.Path, Path: in.Path}, in.Format)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	importer, err := owner(d, in.Format)
	if err != nil || importer.List == nil {
		return nil, err
	}
	var list []Session
	importer.List(d, func(c database.Session) {
		list = append(list, Session{
			Format: in.Format, ID: c.ID, Only: c.ID, Path: in.Path, Changed: c.Updated, Directory: c.Directory,
			Title: c.Title, Began: c.Created, Ended: c.Updated, Tokens: c.Tokens, Agent: c.Agent, described: true,
		})
	})
	return list, d.Err
}

// named reports whether a session may have an id that begins so: tools put it, or
// its beginning, into the name of the file or of its directory.
func (s *Session) named(prefix string) bool {
	if s.Only != "" {
		return strings.HasPrefix(s.Only, prefix)
	}
	const short = 8 // what Gemini CLI puts there
	part := prefix[:min(len(prefix), short)]
	return strings.Contains(filepath.Base(s.Path), part) || strings.Contains(filepath.Base(filepath.Dir(s.Path)), part)
}

// Named reports whether the session's id is or begins with a prefix. It reads the
// file if its name allows that.
func (s *Session) Named(ctx context.Context, prefix string) bool {
	return prefix != "" && s.named(prefix) && s.Describe(ctx) == nil && strings.HasPrefix(s.ID, prefix)
}
