package transcript

import "tenfold/transcript/internal/claudecode"

// Replaced words the message that stands before a view of n messages with which
// Tenfold replaces a running conversation of Claude Code (live.md §3): a line for
// the person, then how far the view goes. The importer knows by it that the n
// messages show what the file holds before them.
func Replaced(line string, n int) string { return claudecode.Replaced(line, n) }
