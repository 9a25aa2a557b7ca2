package engine

import (
	"path"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/walk"
)

// mostLooked is how many entries are looked at for the directory of a session:
// tools say it in their first records.
const mostLooked = 200

// mostDirectory is the longest path that is one, in bytes.
const mostDirectory = 4096

// seekDirectory looks in the record that an entry came from for the directory in
// which the session ran. The first one counts: a session belongs where it began.
func (in *Intake) seekDirectory(e *tenfold.Entry) {
	if in.directory != "" || len(in.Ran) == 0 || e.Source == "" || in.looked >= mostLooked {
		return
	}
	in.looked++
	in.directory = DirectoryIn(&in.ran, []byte(e.Source), in.Ran)
}

// DirectoryIn gives the directory that a record names in one of the members,
// each given by the names on the way to it; empty where it names none.
func DirectoryIn(s *walk.Scanner, record []byte, members [][]string) string {
	for _, names := range members {
		s.Reset(record)
		if dir := textAt(s, names); s.Err == nil && dir != "" && len(dir) <= mostDirectory {
			return dir
		}
	}
	return ""
}

// textAt reads the next value, and gives the text of a member in it.
func textAt(s *walk.Scanner, names []string) (text string) {
	if len(names) == 0 {
		return s.Text()
	}
	walk.OneMember(s, names[0], func() { text = textAt(s, names[1:]) })
	return text
}

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
		if looked++; looked > mostLooked {
			break
		}
		source := e.Source
		if u, ok := e.Payload.(tenfold.Unknown); ok && source == "" {
			source = u.Data
		}
		if dir := DirectoryIn(&s, []byte(source), places); isAbsolute(dir) {
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
