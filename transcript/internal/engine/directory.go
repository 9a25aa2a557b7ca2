package engine

import (
	"path"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// places are the members in which tools' records name the directory of their session.
var places = [][]string{
	{"cwd"}, {"payload", "cwd"}, {"directory"}, {"info", "directory"}, {"path", "cwd"}, {"info", "path", "cwd"}, {"data", "context", "cwd"},
}

// RanIn is the directory that the first records of the conversation name, whatever tool
// they are of; empty where none does.
func (v View) RanIn() string {
	var s walk.Scanner
	looked := 0
	for e := range v.Projection.Log().Entries() {
		if looked++; looked > intake.MostLooked {
			break
		}
		source := e.Source
		if u, ok := e.Payload.(tenfold.Unknown); ok && source == "" {
			source = u.Data
		}
		if dir := intake.DirectoryIn(&s, []byte(source), places); isAbsolute(dir) {
			return dir
		}
	}
	return ""
}

// isAbsolute reports whether a path is one of Unix from the root, or one of
// Windows from a drive.
func isAbsolute(dir string) bool {
	return path.IsAbs(dir) || (len(dir) > 2 && dir[1] == ':' && strings.ContainsRune(`\/`, rune(dir[2])))
}
