package transcript

import (
	"tenfold/transcript/internal/engine"
)

// Resume gives the shell commands with which a client goes on with a session
// that was exported to a file, an absolute path: none where no client can. The
// data is the file's. The clients' own releases say which they take: Claude Code
// 2.1, Codex 0.169, opencode 1.18, pi 0.87, Gemini CLI 0.61.
func Resume(format Format, file string, data []byte) []string {
	if r, ok := exporter[engine.Resumer](format); ok {
		return r.Resume(file, data)
	}
	return nil
}

// exporter is the exporter of a format, if it has an ability.
func exporter[Able any](format Format) (able Able, ok bool) {
	h, _ := find(format)
	able, ok = h.Exporter.(Able)
	return able, ok
}

// Resumable lists the formats of the clients that go on with a session which
// Tenfold puts among theirs.
func Resumable() []Format {
	var list []Format
	for _, format := range Keepers() {
		_, keeps := exporter[engine.Keeper](format)
		if _, adopts := exporter[engine.Adopter](format); keeps || adopts {
			list = append(list, format)
		}
	}
	return list
}

// Keep says in which file a client looks for an exported session that was made
// from one in another file of its. The path is empty where the client looks in no
// file but takes sessions in by a command: any file does.
func Keep(format Format, original string, data []byte) (path string) {
	if k, ok := exporter[engine.Keeper](format); ok {
		return k.Keep(original, data)
	}
	return ""
}

// Continue gives the commands, each word by word, with which a client goes on
// with the session that lies in a file: where [Keep] says, or anywhere where that
// says nothing. The last one is the client with the session open. They are to run
// in the session's directory.
func Continue(format Format, file string, data []byte) [][]string {
	if k, ok := exporter[engine.Keeper](format); ok {
		return [][]string{k.Continue(file, data)}
	}
	if a, ok := exporter[engine.Adopter](format); ok {
		return a.Adopt(file, data)
	}
	return nil
}

// ShellCommand writes a command as a shell takes it.
func ShellCommand(words []string) string { return engine.ShellCommand(words) }

// Program is the command of a client that goes on with sessions; empty if none
// does.
func Program(format Format) string {
	if r, ok := exporter[engine.Resumer](format); ok {
		return r.Program()
	}
	return ""
}
