package codex

import (
	"bytes"

	"tenfold/transcript/internal/walk"
)

// isAgent reports whether a rollout is that of a sub-agent: its first line says
// who started it, as an object or as a word.
func isAgent(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	var source walk.Span
	var thread string
	var s walk.Scanner
	s.Reset(line)
	walk.Shape{"payload", walk.Inner("source", &source, "thread_source", &thread)}.Read(&s)
	return s.Err == nil && (thread == "subagent" || source.Found() && bytes.HasPrefix(source.Of(line), []byte(`{"subagent"`)))
}
