package tool

import (
	"path"
	"strings"
)

// Access is what a call reads of a file.
type Access struct {
	// Path is the file, cleaned; no file system was asked.
	Path string
	// From and To are lines from 1, inclusive. 0 is the file's start or end.
	From, To int
	// Part is set where it reads some lines and nobody knows which.
	Part bool
}

// Contains reports whether a reads at least what b reads (H3).
func (a Access) Contains(b Access) bool {
	switch {
	case a.Path != b.Path || a.Part:
		return false
	case b.Part:
		return a.Whole()
	}
	return max(a.From, 1) <= max(b.From, 1) && (a.To == 0 || (b.To != 0 && b.To <= a.To))
}

// Whole reports whether all of the file is read.
func (a Access) Whole() bool { return !a.Part && a.From <= 1 && a.To == 0 }

// CleanPath is the form of a path that is compared: cleaned lexically, with
// slashes. It asks no file system, so that links and case stay as written.
func CleanPath(p string) string {
	p = strings.TrimPrefix(strings.TrimSpace(p), "file://")
	if p == "" {
		return ""
	}
	if isDrive(p) || (strings.Contains(p, `\`) && !strings.Contains(p, "/")) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if isDrive(p) {
		p = strings.ToLower(p[:1]) + p[1:]
	}
	return path.Clean(p)
}

// IsAbs reports whether a cleaned path says by itself where it stands.
func IsAbs(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

func isDrive(p string) bool {
	return len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') &&
		(p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// joinPath puts a relative path into the directory it is meant from.
func joinPath(dir, p string) string {
	if dir == "" || p == "" || IsAbs(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return CleanPath(dir + "/" + p)
}
