package transcript

import (
	"tenfold/transcript/internal/engine"
)

// Resume gives the shell commands with which a client goes on with a session
// that was exported to a file, an absolute path: none where no client can. The
// data is the file's. The clients' own releases say which they take: Claude Code
// 2.1, Codex 0.169, opencode 1.18, pi 0.87, Gemini CLI 0.61.
func Resume(format Format, file string, data []byte) []string {
	if h, ok := find(format); ok {
		if r, ok := h.Exporter.(engine.Resumer); ok {
			return r.Resume(file, data)
		}
	}
	return nil
}
