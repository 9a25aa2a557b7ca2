package geminicli

import (
	"os"
	"path/filepath"
	"strings"
)

// projectRoot gives the directory of the project that a chat belongs to: the
// client notes it in the directory above that of its chats.
func projectRoot(chat string) string {
	const limit = 4096 // the longest path
	file := filepath.Join(filepath.Dir(filepath.Dir(chat)), ".project_root")
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
