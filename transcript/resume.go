package transcript

import (
	"slices"

	"tenfold/transcript/internal/engine"
)

// Resume gives the shell commands with which a client goes on with a session
// that was exported to a file, an absolute path: none where no client can. The
// data is the file's. The clients' own releases say which they take: Claude Code
// 2.1, Codex 0.171, opencode 1.18, pi 1.6, Gemini CLI 0.61.
func Resume(format Format, file string, data []byte) []string {
	if c := client(format); c != nil {
		return c.Resume(file, data)
	}
	return nil
}

// client is the one that goes on with sessions in a format, or nil.
func client(format Format) *engine.Client {
	h, _ := find(format)
	return h.Client
}

// Resumable lists the formats of the clients that go on with a session which
// Tenfold puts among theirs.
func Resumable() []Format {
	return slices.DeleteFunc(Keepers(), func(f Format) bool { return client(f) == nil })
}

// Keep says in which file a client looks for an exported session that was made
// from one in another file of its. The path is empty where the client looks in no
// file but takes sessions in by a command: any file does.
func Keep(format Format, original string, data []byte) (path string) {
	if c := client(format); c != nil && c.Keep != nil {
		return c.Keep(original, data)
	}
	return ""
}

// Continue gives the commands, each word by word, with which a client goes on
// with the session that lies in a file: where [Keep] says, or anywhere where that
// says nothing. The last one is the client with the session open. They are to run
// in the session's directory.
func Continue(format Format, file string, data []byte) [][]string {
	if c := client(format); c != nil {
		return c.Continue(file, data)
	}
	return nil
}

// ShellCommand writes a command as a shell takes it.
func ShellCommand(words []string) string { return engine.ShellCommand(words) }

// Program is the command of a client that goes on with sessions; empty if none
// does.
func Program(format Format) string {
	if c := client(format); c != nil {
		return c.Program
	}
	return ""
}
