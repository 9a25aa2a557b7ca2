package toolbox

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"tenfold/toolbox/internal/output"
)

var findTool = &builtin{
	name:  "fs_find_files",
	about: "Find files of the workspace by a pattern: * and ? stand for characters of a name, [a-z] for one of them, ** for any directories. A pattern without a slash is looked for in names only. Files that git ignores are left out.",
	parameters: []parameter{
		{name: "pattern", about: "For example *.go or internal/**/*_test.go.", required: true},
		{name: "path", about: "The directory to look in; the pattern is relative to it. Default: the workspace."},
	},
	intent: onPattern,
	run: func(ctx context.Context, w *workspace, a arguments, _ Call) (Result, error) {
		match, err := glob(a.texts["pattern"])
		if err != nil {
			return Result{}, err
		}
		files, at, err := w.files(ctx, a.path())
		if err != nil {
			return Result{}, err
		}
		var rows []string
		for _, name := range files {
			if match(strings.TrimPrefix(name, at.name+"/")) {
				rows = append(rows, show(name))
			}
		}
		if len(rows) == 0 {
			return answer("no file matches %s among %s", show(a.texts["pattern"]), output.Count(len(files), "file"))
		}
		return answer("%s", bounded(rows, maxRows, w.Limit))
	},
}

// onPattern is the intent of tools that look for a pattern below a path.
func onPattern(a arguments) (Effect, []string, string, string) {
	subject := a.texts["pattern"]
	if name := a.path(); name != "." {
		subject += " in " + name
	}
	return Reads, []string{a.path()}, "", subject
}

// glob gives what matches a pattern of paths.
func glob(pattern string) (func(name string) bool, error) {
	pattern = strings.TrimPrefix(filepath.ToSlash(pattern), "./")
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	parts := strings.Split(pattern, "/")
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil || part == "" || part == ".." {
			return nil, fmt.Errorf("invalid pattern %s; use names with *, ?, [a-z] and ** between slashes", show(pattern))
		}
	}
	if len(parts) > 50 {
		return nil, errors.New("the pattern has too many parts")
	}
	return func(name string) bool { return matchParts(parts, strings.Split(name, "/")) }, nil
}

// matchParts matches the parts of a path. Each ** is tried at the places that the
// one before leaves, from the shortest on, and none is tried anew for a later one:
// the time is at most the product of both lengths.
func matchParts(pattern, name []string) bool {
	retryPattern, retryName := -1, 0
	p, n := 0, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == "**" {
			retryPattern, retryName = p+1, n
			p++
			continue
		}
		if p < len(pattern) {
			if ok, _ := path.Match(pattern[p], name[n]); ok {
				p, n = p+1, n+1
				continue
			}
		}
		if retryPattern < 0 {
			return false
		}
		retryName++
		p, n = retryPattern, retryName
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}
