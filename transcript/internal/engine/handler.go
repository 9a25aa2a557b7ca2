package engine

import (
	"context"
	"io"

	"tenfold/transcript/internal/intake"
)

// A Handler is what the package can do with one format.
type Handler struct {
	Format intake.Format
	About  string
	// Recognise says how sure it is that the source has its format. The name
	// may only break a tie between readings of the same content.
	Recognise func(h intake.Head) intake.Confidence
	// Import reads the source in one pass; nil when the format cannot be read.
	// Errors in the content are [*intake.Error]; those of the reader, the sink and the
	// context come back as they are, wrapped. It keeps no reference to src or sink
	// afterwards.
	Import func(ctx context.Context, src intake.Source, sink intake.Sink) error
	// Export writes the view to w and changes nothing in it; nil when the format
	// cannot be written. It says, one sentence each with its count, what the format
	// has no place for. Errors of w come back as they are, wrapped; w then holds a
	// part.
	Export func(w io.Writer, v View) (warnings []string, err error)
	// Client goes on with what is exported; nil when none does.
	Client *Client
	// Homes are the directories in which the tool keeps its sessions, below
	// the user's home directory, with "/" between the parts.
	Homes []string
	// HomeEnv names the environment variable that, when set, stands for the
	// first part of each home, or for homeBase where that is more.
	HomeEnv, HomeBase string
	// Sessions are the patterns of the tool's session files below its homes, as
	// of [path.Match]. A file that is part of another (Part) is none.
	Sessions []string
	// Ran are the members of a record that hold the directory in which a session
	// ran, each the names on the way to it.
	Ran [][]string
	// RanIn reads that directory off what lies beside a session's file; may be
	// nil.
	RanIn func(path string) string
	// Agent reports whether a session was started by another one, from the
	// beginning of its file; may be nil.
	Agent func(head []byte) bool
	// Mains are files that stand for the whole directory they lie in.
	Mains []string
	// Part reports whether a file is read with another one, and is no
	// transcript of its own when a directory is searched; may be nil.
	Part func(path string) bool
}

// A Client goes on with sessions that are written for it.
type Client struct {
	Program string // its command
	// Resume gives the shell commands for a person to type.
	Resume func(file string, data []byte) []string
	// Keep says where the client looks for the session in data: a file of its own,
	// given the one that the session was made from. It is empty where the data says
	// no id, and nil for a client that takes sessions in by a command.
	Keep func(original string, data []byte) string
	// Continue gives the commands, word by word, with which the client goes on with
	// a session that it keeps in a file, or that it takes in from there.
	Continue func(file string, data []byte) [][]string
}
