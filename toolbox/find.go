package toolbox

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"tenfold/internal/number"
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
		l, err := w.files(ctx, a.path())
		if err != nil {
			return Result{}, err
		}
		var rows []string
		for _, name := range l.files {
			if match.MatchString(strings.TrimPrefix(name, l.at.name+"/")) {
				rows = append(rows, show(name))
			}
		}
		if len(rows) == 0 {
			return answer("no file matches %s among %s\n%s", show(a.texts["pattern"]), number.Count(len(l.files), "file"), l.unreadable())
		}
		return answer("%s%s", bounded(rows, maxRows, w.Limit), l.unreadable())
	},
}

// onPattern is the intent of tools that look for a pattern below a path.
func onPattern(a arguments) Intent {
	in := Intent{Effect: Reads, Paths: []string{a.path()}, Subject: a.texts["pattern"]}
	if name := a.path(); name != "." {
		in.Subject += " in " + name
	}
	return in
}

// glob gives a pattern of paths as a regular expression.
func glob(pattern string) (*regexp.Regexp, error) {
	rest := strings.TrimPrefix(filepath.ToSlash(pattern), "./")
	if !strings.Contains(rest, "/") {
		rest = "**/" + rest
	}
	var b strings.Builder
	for rest != "" {
		taken, meaning := 1, regexp.QuoteMeta(rest[:1])
		switch end := strings.IndexByte(rest, ']'); {
		case strings.HasPrefix(rest, "**/"):
			taken, meaning = 3, "(?:[^/]+/)*"
		case strings.HasPrefix(rest, "**"):
			taken, meaning = 2, ".*"
		case rest[0] == '*':
			meaning = "[^/]*"
		case rest[0] == '?':
			meaning = "[^/]"
		case rest[0] == '\\' && len(rest) > 1:
			taken, meaning = 2, regexp.QuoteMeta(rest[1:2])
		case rest[0] == '[' && end > 1:
			class := strings.ReplaceAll(rest[1:end], "[", `\[`)
			if len(class) > 1 && (class[0] == '!' || class[0] == '^') {
				if class = class[1:]; class[0] == '-' {
					class = `\` + class // the slash begins no range
				}
				class = "^/" + class // of a name, all the same
			}
			taken, meaning = end+1, "["+class+"]"
		}
		b.WriteString(meaning)
		rest = rest[taken:]
	}
	match, err := regexp.Compile("^(?s:" + b.String() + ")$")
	if err != nil || pattern == "" || len(pattern) > 1000 {
		return nil, fmt.Errorf("invalid pattern %s; use names with *, ?, [a-z] and ** between slashes", show(pattern))
	}
	return match, nil
}
