package toolbox

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"tenfold/internal/number"
	"tenfold/toolbox/internal/output"
)

const (
	// searchTime is how long a search may take.
	searchTime = 20 * time.Second
	// maxMatches is how many lines a search shows.
	maxMatches = 100
)

var grepTool = &builtin{
	name:  "fs_grep_files",
	about: "Search the lines of the workspace's text files for a regular expression (RE2 syntax; (?i) at its beginning ignores case). Files that git ignores are left out.",
	parameters: []parameter{
		{name: "pattern", about: "The regular expression.", required: true},
		{name: "path", about: "The directory or file to search. Default: the workspace."},
		{name: "files", about: "Search only files that match this pattern, for example *.go."},
	},
	intent: onPattern,
	run: func(ctx context.Context, w *workspace, a arguments, c Call) (Result, error) {
		pattern, err := regexp.Compile(a.texts["pattern"])
		if err != nil {
			return Result{}, fmt.Errorf("invalid pattern: %w", err)
		}
		match, err := glob(cmp.Or(a.texts["files"], "**"))
		if err != nil {
			return Result{}, err
		}
		l, err := w.files(ctx, a.path())
		if err != nil {
			return Result{}, err
		}
		within, cancel := context.WithTimeout(ctx, searchTime)
		defer cancel()
		s := search{limit: w.Limit - 500, isHidden: c.Hidden}
		for _, name := range l.files {
			if within.Err() != nil {
				break
			}
			if match.MatchString(strings.TrimPrefix(name, l.at.name+"/")) {
				s.file(w, name, pattern, len(l.files) == 1)
			}
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		return answer("%s%s", s.report(within.Err() != nil), l.unreadable())
	},
}

// A search is what a grep has found so far.
type search struct {
	rows                  strings.Builder
	limit                 int
	shown, found          int
	searched, hits, other int // files: searched, with matches, and left out
	hidden                int // files that may not be shown
	isHidden              func(path string) bool
}

func (s *search) file(w *workspace, name string, pattern *regexp.Regexp, alone bool) {
	if info, err := w.root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 && !alone {
		return // where it leads to is searched as itself
	}
	if s.isHidden != nil && s.isHidden(name) { // nor read: that could take all the time of the search
		s.hidden++
		return
	}
	f, err := w.load(name)
	switch {
	case s.isHidden != nil && f.real != name && s.isHidden(f.real):
		s.hidden++
		return
	case err != nil || f.kind() != "":
		s.other++
		return
	}
	s.searched++
	lines, _ := f.lines()
	before := s.found
	for i, line := range lines {
		at := pattern.FindStringIndex(line)
		if at == nil {
			continue
		}
		s.found++
		row := fmt.Sprintf("%s:%d:%s\n", show(name), i+1, around(line, at[0]))
		if s.shown < maxMatches && s.rows.Len()+len(row) <= s.limit {
			s.rows.WriteString(row)
			s.shown++
		}
	}
	if s.found > before {
		s.hits++
	}
}

func (s *search) report(late bool) string {
	text := s.rows.String()
	if s.found == 0 {
		text = fmt.Sprintf("no match in %s\n", number.Count(s.searched, "file"))
	} else if s.shown < s.found {
		text += fmt.Sprintf("[%d of %s in %s; narrow the pattern or the path]\n", s.shown, number.Count(s.found, "matching line"), number.Count(s.hits, "file"))
	}
	if s.other > 0 {
		text += fmt.Sprintf("[%s not searched: binary, too large or not readable]\n", number.Count(s.other, "file"))
	}
	if s.hidden > 0 {
		text += fmt.Sprintf("[%s not searched: denied by a rule]\n", number.Count(s.hidden, "file"))
	}
	if late {
		text += fmt.Sprintf("[stopped after %s; narrow the path]\n", searchTime)
	}
	return text
}

// around gives the part of a line that has the match at that place.
func around(line string, at int) string {
	const before, most = 80, 240
	if len(line) <= most {
		return line
	}
	start := max(at-before, 0)
	piece := output.Head(output.Tail(line, len(line)-start), most)
	if start > 0 {
		piece = "…" + piece
	}
	if start+most < len(line) {
		piece += "…"
	}
	return piece
}
