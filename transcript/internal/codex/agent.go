package codex

import (
	"bytes"

	"tenfold/transcript/internal/engine"
)

// isAgent reports whether a rollout is that of a sub-agent: its first line says
// who started it, as an object or as a word.
func isAgent(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	var source engine.Span
	var thread string
	var s engine.Scanner
	s.Reset(line)
	engine.Shape{"payload", engine.Inner("source", &source, "thread_source", &thread)}.Read(&s)
	return s.Err == nil && (thread == "subagent" || source.Found() && bytes.HasPrefix(source.Of(line), []byte(`{"subagent"`)))
}
