// Package recall gives a model back what its view does not show (semantics A9,
// live §5): as tools of the Model Context Protocol, and as the text that tells it
// when to use them. What is found and read, and how much of it at once, package
// session says; `tenfold recall` is the same for a model that has a shell.
package recall

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/session"
	"tenfold/tool"
)

// Bounds of the search for the conversation of a directory.
const (
	mostLooked  = 32 // conversations, the newest first
	mostEntries = 64 // of each: hosts say where they run when they begin
)

// Here gives the id of the conversation that was last appended to of those that a
// client holds in the directory dir; empty for none. Where the store does not know the
// directory, it is read off what the client wrote at the beginning.
func Here(ctx context.Context, s *session.Service, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	newest, err := s.Page(ctx, nil, mostLooked)
	if err != nil {
		return "", err
	}
	for _, c := range newest {
		if c.Origin.Directory != "" {
			if tool.CleanPath(c.Origin.Directory) == tool.CleanPath(dir) {
				return c.ID, nil
			}
			continue
		}
		n := 0
		for e, err := range s.Entries(ctx, c.ID, 0) {
			if err != nil {
				break // it was removed meanwhile, or cannot be read: another may do
			}
			if runsIn(e.Source, dir) {
				return c.ID, nil
			}
			if n++; n > mostEntries {
				break
			}
		}
	}
	return "", nil
}

// runsIn reports whether what a host wrote says that it runs in a directory.
func runsIn(source, dir string) bool {
	quoted, err := jsontext.AppendQuote(nil, tool.CleanPath(dir))
	if err != nil {
		return false
	}
	for _, name := range [...]string{`"cwd":`, `"directory":`} {
		for rest := source; ; {
			at := strings.Index(rest, name)
			if at < 0 {
				break
			}
			rest = strings.TrimLeft(rest[at+len(name):], " ")
			if strings.HasPrefix(rest, string(quoted)) {
				return true
			}
		}
	}
	return false
}
