package digest

import (
	"slices"
	"strings"

	"tenfold/tool"
)

// tree is the state of a working tree, as commands of git last showed it.
type tree struct {
	branch string
	// commit is the line in which the last commit told its branch, id and
	// title.
	commit string
	// dirty are the uncommitted files of the last status, as it wrote them;
	// seen is set where there was one, and clean where it said so.
	dirty       []string
	seen, clean bool
	// since is the entry of the last status or commit: what was changed later
	// is in neither.
	since int
	// committed is the entry of the last commit.
	committed int
}

// readOutput takes in what a command that succeeded says of the tree.
func (t *tree) readOutput(line, output string, entry int) {
	if !strings.Contains(line, "git") {
		return
	}
	status := strings.Contains(line, "git status") || strings.Contains(line, " status ") && strings.Contains(line, "git -C")
	if name := branchSwitchedTo(line); name != "" {
		t.branch = name
	}
	if strings.Contains(line, "branch --show-current") || strings.Contains(line, "rev-parse --abbrev-ref HEAD") {
		if name, _, _ := strings.Cut(strings.TrimSpace(output), "\n"); name != "" && !strings.ContainsAny(name, " :") {
			t.branch = name
		}
	}
	if !status && !strings.Contains(line, "git commit") && !strings.Contains(line, " commit ") {
		return
	}
	if len(output) > maxStatus {
		output = output[:maxStatus]
	}
	var dirty []string
	clean, told, section := false, false, ""
	for raw := range strings.SplitSeq(output, "\n") {
		text := strings.TrimSpace(raw)
		switch {
		case strings.HasPrefix(text, "On branch "):
			t.branch, told = strings.TrimPrefix(text, "On branch "), true
		case strings.HasPrefix(text, "## ") && status:
			t.branch, _, _ = strings.Cut(strings.TrimPrefix(text, "## "), "...")
			told = true
		case strings.HasPrefix(text, "nothing to commit"):
			clean, told = true, true
		case isCommitLine(text):
			t.commit, t.since, t.committed = text, entry, entry
			t.branch, _, _ = strings.Cut(text[1:], " ")
			t.dirty, t.seen, t.clean = nil, false, false
		case strings.HasPrefix(text, "Untracked files:"):
			section = "?? "
		case strings.HasPrefix(text, "Changes "):
			section = ""
		case strings.HasPrefix(text, "modified:"), strings.HasPrefix(text, "new file:"), strings.HasPrefix(text, "deleted:"), strings.HasPrefix(text, "renamed:"), strings.HasPrefix(text, "both modified:"):
			dirty, told = append(dirty, strings.Join(strings.Fields(text), " ")), true
		case status && section != "" && strings.HasPrefix(raw, "\t"):
			dirty, told = append(dirty, section+text), true
		case status && isStatusLine(raw):
			dirty, told = append(dirty, text), true
		}
	}
	if t.since != entry && !status && strings.Contains(line, "git commit") && !strings.Contains(line, "--dry-run") {
		t.dirty, t.seen, t.clean, t.since, t.committed = nil, false, false, entry, entry // quietly
	}
	if status && (told || strings.TrimSpace(output) == "") {
		t.dirty, t.seen, t.clean, t.since = dirty, true, clean || len(dirty) == 0, entry
	}
}

// maxStatus is how many bytes of a status are read.
const maxStatus = 1 << 16

// isStatusLine reports a line of a short status: two letters and a path.
func isStatusLine(line string) bool {
	return len(line) > 3 && line[2] == ' ' && strings.Trim(line[:2], " MADRCU?!T") == "" && strings.TrimSpace(line[:2]) != "" && line[3] != ' '
}

// isCommitLine reports the line in which git tells of a commit: "[main 1a2b3c4]
// Title".
func isCommitLine(line string) bool {
	if line == "" || line[0] != '[' {
		return false
	}
	inside, title, ok := strings.Cut(line[1:], "] ")
	at := strings.LastIndexByte(inside, ' ')
	if !ok || at < 1 || title == "" {
		return false
	}
	id := inside[at+1:]
	return len(id) >= 7 && len(id) <= 40 && strings.Trim(id, "0123456789abcdef") == ""
}

// branchSwitchedTo names the branch that a command line changes to.
func branchSwitchedTo(line string) string {
	words := strings.Fields(line)
	for i, w := range words {
		if (w != "checkout" && w != "switch") || i == 0 || i+1 >= len(words) {
			continue
		}
		next := words[i+1]
		if next == "-b" || next == "-B" || next == "-c" || next == "-C" {
			if i+2 < len(words) {
				return strings.Trim(words[i+2], `'";`)
			}
			return ""
		}
		if w == "switch" && next[0] != '-' && !strings.ContainsAny(next, "$`") {
			return strings.Trim(next, `'";`)
		}
	}
	return ""
}

// dirtyMost is how many uncommitted files are named.
const dirtyMost = 20

// treeLines is the tree as it is told, with the files changed since; nothing where
// nothing is known.
func (t *tree) treeLines(changed []*file) []string {
	var lines []string
	if t.branch != "" {
		lines = append(lines, "branch "+code(t.branch, lineLength))
	}
	if t.commit != "" {
		lines = append(lines, "last commit "+code(t.commit, lineLength))
	}
	if !t.seen {
		return lines
	}
	if t.clean {
		lines = append(lines, "nothing uncommitted when last looked")
	} else {
		lines = append(lines, "uncommitted when last looked: "+quotedList(t.dirty, dirtyMost))
	}
	var since []string
	for _, f := range changed {
		if f.latest > t.since && f.changes > 0 && f.last != tool.FileRestored && !t.names(f.path) {
			since = append(since, f.path)
		}
	}
	if len(since) > 0 {
		lines = append(lines, "changed after that: "+quotedList(since, dirtyMost))
	}
	return lines
}

// names reports whether a path is told of as uncommitted, and as a file that is there.
func (t *tree) names(path string) bool {
	return slices.ContainsFunc(t.dirty[:min(len(t.dirty), dirtyMost)], func(line string) bool {
		mark, name, _ := strings.Cut(line, " ")
		name = strings.Trim(name, `" `)
		return !strings.HasPrefix(strings.ToUpper(mark), "D") && name != "" && strings.HasSuffix("/"+path, "/"+name)
	})
}

// quotedList quotes names in a line, the first of them where there are too many.
func quotedList(names []string, most int) string {
	quoted := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, code(name, lineLength))
	}
	return strings.Join(quoted, ", ")
}
