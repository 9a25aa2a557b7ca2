package intake

import (
	"io"
	"io/fs"
	"time"

	"tenfold"
)

// A Source is a transcript to read, once.
type Source struct {
	// Name is the path, for messages and for ids that the content lacks.
	Name string
	// Reader gives the bytes. The package reads it from one goroutine and
	// does not close it.
	Reader io.Reader
	// Size is the number of bytes if known, else 0.
	Size int64
	// Siblings holds the directory of the file, for formats that spread over
	// several; nil when there is none. It must not lead out of the directory:
	// [transcript.Open] gives one that cannot.
	Siblings fs.FS
	// Path is where the file lies on this machine, for formats that are no
	// streams, such as databases; empty when it lies nowhere.
	Path string
	// Only names the one session of a database that is to be read, as its tool
	// calls it; empty reads all.
	Only string
	// Progress is called now and then with the number of bytes read; may be
	// nil.
	Progress func(readBytes int64)
	// Strict ends the import at the first damaged record. Without it such
	// records are left out, and the warnings tell how many and which came
	// first.
	Strict bool

	Intake *Intake
}

// A Conversation describes what is imported or exported.
type Conversation struct {
	// ID is made of letters, digits, ".", "_" and "-", does not start with a
	// "." and is never empty.
	ID string
	// Named says that the tool gave the ID, so that no other conversation has
	// it, wherever it is read. Else it is made of the source's name and what
	// the conversation begins with, as others may be: only where a source lies
	// and all that it says tell which conversation it is.
	Named  bool
	Title  string
	Format Format
	// Created is the time of the earliest line that has one, or zero.
	Created time.Time
	// Directory is where the tool ran, as the transcript says; empty where it
	// says nothing. It is a stranger's word: to show and to compare, not to use.
	Directory string
}

// A Sink takes what an importer finds. For each conversation the importer
// calls Begin, then Entry for each entry in order, then End; conversations do
// not overlap. All calls come from the goroutine that called [transcript.Import].
//
// When Import returns an error before End, the conversation begun last is
// incomplete and the sink is to drop it; conversations that were ended are
// whole. An error from a sink stops the import and is returned as it is.
type Sink interface {
	// Begin opens a conversation. ID and Format are set; title and time are
	// what is known so far.
	Begin(c Conversation) error
	// Entry takes the next entry. The sink owns it. Seq and Tokens are zero
	// unless the format carries them.
	Entry(e tenfold.Entry) error
	// End closes the conversation, now fully described, with what the user
	// should know: each warning is one sentence with its count.
	End(c Conversation, warnings []string) error
}

// Confidence says how sure an importer is of a source.
type Confidence int

// The confidences. The highest one wins; a tie is not an answer.
const (
	// No: this is something else.
	No Confidence = iota
	// Maybe: nothing contradicts it, and the name fits.
	Maybe
	// Likely: the content fits.
	Likely
	// Certain: the content names the format.
	Certain
)
