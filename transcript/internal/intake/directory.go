package intake

import (
	"tenfold"
	"tenfold/transcript/internal/walk"
)

// MostLooked is how many entries are looked at for the directory of a session:
// tools say it in their first records.
const MostLooked = 200

// mostDirectory is the longest path that is one, in bytes.
const mostDirectory = 4096

// seekDirectory looks in the record that an entry came from for the directory in
// which the session ran. The first one counts: a session belongs where it began.
func (in *Intake) seekDirectory(e *tenfold.Entry) {
	if in.directory != "" || len(in.Ran) == 0 || e.Source == "" || in.looked >= MostLooked {
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
