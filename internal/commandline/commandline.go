// Package commandline says which command lines are the same command. It reads no
// shell: what a line does is known to package tool.
package commandline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Key gives what makes two command lines the same: white space counts
// as one blank outside of quotes, comment lines in front, line ends behind the
// last command, 2>&1 and how many lines of the output are wanted do not count.
func Key(line string) string {
	var words []string
	for text := range strings.SplitSeq(strings.TrimSpace(line), "\n") {
		if trimmed := strings.TrimSpace(text); trimmed != "" && (len(words) > 0 || trimmed[0] != '#') {
			words = append(words, Words(trimmed)...)
			words = append(words, "\n")
		}
	}
	var kept []string
	for i := 0; i < len(words); i++ {
		if words[i] == "2>&1" || (words[i] == "\n" && i == len(words)-1) {
			continue
		}
		kept = append(kept, words[i])
		if (words[i] == "tail" || words[i] == "head") && i > 0 && words[i-1] == "|" {
			for i+1 < len(words) && isLineCount(words[i+1]) {
				i++
			}
		}
	}
	return strings.TrimRight(strings.Join(kept, " "), "; ")
}

// A Run is a line of a single command whose words the shell does not change: what is
// set for it alone, and its words without quotes.
type Run struct{ Set, Words []string }

// RunOf reads a command line. Of any other line it gives the zero Run.
func RunOf(line string) (r Run) {
	if strings.ContainsAny(line, "|;&\n<`$") {
		return Run{}
	}
	r.Words = Words(line)
	for len(r.Words) > 1 && assignment.MatchString(r.Words[0]) {
		r.Set, r.Words = append(r.Set, r.Words[0]), r.Words[1:]
	}
	for i, w := range r.Words {
		if n := len(w); n > 2 && (w[0] == '"' || w[0] == '\'') && strings.IndexByte(w[1:], w[0]) == n-2 {
			r.Words[i] = w[1 : n-1]
		}
	}
	return r
}

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// TriedAgain reports whether a later run is this one over again, be it with more set
// for it: so a command is mostly mended that failed.
func (r Run) TriedAgain(by Run) bool {
	return len(r.Words) > 0 && slices.Equal(r.Words, by.Words) &&
		!slices.ContainsFunc(r.Set, func(set string) bool { return !slices.Contains(by.Set, set) })
}

// SameUse reports whether two runs are of one program, for the same: "gh pr view". Of a
// program that runs others, the same is the other one: "uv run pytest", "python -m pytest".
func (r Run) SameUse(other Run) bool {
	if min(len(r.Words), len(other.Words)) < 2 || !slices.Equal(r.Words[:2], other.Words[:2]) {
		return false
	}
	second, third := r.Words[1], ""
	if len(r.Words) > 2 {
		third = r.Words[2]
	}
	switch {
	case slices.Contains(runners, r.Words[0]), slices.Contains(running, second), verb.MatchString(second) && verb.MatchString(third):
		return third != "" && len(other.Words) > 2 && other.Words[2] == third
	case strings.HasPrefix(second, "-"):
		return false // what it is for stands behind that
	}
	return true
}

// runners are programs that run others, running the words of programs that do, and verb
// matches what others are told to do.
var (
	runners = []string{"sudo", "env", "time", "xargs", "timeout", "nohup"}
	running = []string{"run", "run-script", "exec", "dlx", "x", "tool", "-m", "-c", "-lc"}
	verb    = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// isLineCount knows -n, -20, -n20 and 20.
func isLineCount(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "-"), "n")
	_, err := strconv.Atoi(word)
	return err == nil || word == ""
}

// Words is strings.Fields that leaves what is in quotes together.
func Words(s string) []string {
	if !strings.ContainsAny(s, `'"`) {
		return strings.Fields(s)
	}
	return apart(s, " \t\r")
}

// apart cuts a command line at any of some characters that are not in quotes.
func apart(s, at string) []string {
	var mark rune // the quote that is open
	return strings.FieldsFunc(s, func(c rune) bool {
		switch {
		case mark == 0 && (c == '\'' || c == '"'):
			mark = c
		case mark == c:
			mark = 0
		}
		return mark == 0 && strings.ContainsRune(at, c)
	})
}

// Commands are the commands of a line.
func Commands(line string) []string { return apart(line, ";|&\n") }
