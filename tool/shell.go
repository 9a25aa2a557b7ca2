package tool

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// shellCall is what a shell command reads and changes. Only commands that are
// known to read, with arguments that are known, are believed; every other may
// change anything.
func shellCall(a arguments) Call {
	c := Call{Kind: Shell}
	command, dir := a.command()
	segments, ok := splitCommand(command)
	if !ok || len(segments) == 0 {
		c.Unknown = true
		return c
	}
	var reads []Access
	for i, words := range segments {
		if words[0] == "cd" && len(words) == 2 && i == 0 {
			c.Moves = true
			if dir = joinPath(dir, CleanPath(words[1])); !isPlain(words[1]) {
				dir = "~" // somewhere
			}
			continue
		}
		found, readOnly := readCommand(words)
		if !readOnly {
			c.Unknown = true
			return c
		}
		// Of several commands nobody can tell whose the output is.
		if reads = nil; i == len(segments)-1 && (i == 0 || (i == 1 && segments[0][0] == "cd")) {
			reads = found
		}
	}
	for i := range reads {
		reads[i].Path = joinPath(dir, reads[i].Path)
	}
	c.Reads = reads
	return c
}

// command gives the command line and the directory it runs in: a string, or
// the arguments of a shell (bash -lc …).
func (a arguments) command() (command, dir string) {
	dir = CleanPath(a.text("workdir") + a.text("cwd") + a.text("dir_path"))
	for _, name := range []string{"command", "cmd"} {
		v, ok := a.members[name]
		if !ok {
			continue
		}
		if s, ok := stringOf(v); ok {
			return s, dir
		}
		var list []string
		if json.Unmarshal(v, &list) != nil {
			return "", dir
		}
		if len(list) == 3 && strings.HasPrefix(list[1], "-") && strings.HasSuffix(list[1], "c") {
			return list[2], dir
		}
		for i := range list {
			list[i] = "'" + strings.ReplaceAll(list[i], "'", `'\''`) + "'"
		}
		return strings.Join(list, " "), dir
	}
	return "", dir
}

// isPlain reports whether a word is a path as it stands.
func isPlain(word string) bool {
	return word != "" && word != "-" && !strings.ContainsAny(word, "*?[~")
}

// looking are the commands that only look, with the options that make them do
// more. find and git have their own rules.
var looking = map[string][]string{
	"ls": nil, "wc": nil, "pwd": nil, "which": nil, "stat": nil, "cut": nil, "tr": nil, "nl": nil,
	"basename": nil, "dirname": nil, "realpath": nil, "readlink": nil, "cmp": nil, "diff": {"--output"},
	"echo": nil, "cat": nil, "head": nil, "tail": {"-f", "-F", "--follow", "--retry"}, "true": nil,
	"grep": nil, "egrep": nil, "fgrep": nil, "rg": {"--pre", "--hostname-bin"}, "du": nil, "jq": nil,
	"find": {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"},
}

// lookingGit are git's commands that only look.
var lookingGit = []string{"status", "diff", "log", "show", "ls-files", "blame", "rev-parse", "grep"}

// readCommand tells what a command reads, and whether it only reads.
func readCommand(words []string) (reads []Access, readOnly bool) {
	name, rest := words[0], words[1:]
	switch name {
	case "sed":
		return readSed(rest)
	case "git":
		for len(rest) > 0 && rest[0] == "--no-pager" {
			rest = rest[1:]
		}
		if len(rest) == 0 || !slices.Contains(lookingGit, rest[0]) {
			return nil, false
		}
		return nil, !slices.ContainsFunc(rest, func(w string) bool {
			return strings.HasPrefix(w, "--output") || strings.HasPrefix(w, "--ext-diff") || strings.HasPrefix(w, "-O") ||
				strings.HasPrefix(w, "--open-files-in-pager")
		})
	}
	more, known := looking[name]
	if !known {
		return nil, false
	}
	for _, w := range rest {
		for _, option := range more {
			if w == option || strings.HasPrefix(w, option+"=") {
				return nil, false
			}
		}
	}
	switch name {
	case "cat", "nl":
		return files(rest, Access{}), true
	case "head":
		n, rest, ok := lineCount(rest)
		if !ok {
			return files(rest, Access{Part: true}), true
		}
		return files(rest, Access{To: n}), true
	case "tail":
		_, rest, _ := lineCount(rest)
		return files(rest, Access{Part: true}), true
	}
	return nil, true
}

// files makes accesses of a command's operands; nil where one is not a path as it
// stands.
func files(words []string, as Access) []Access {
	var all []Access
	for _, w := range words {
		if strings.HasPrefix(w, "-") && w != "-" {
			if w == "-n" || w == "--" || w == "-ba" {
				continue // numbers the lines
			}
			return nil
		}
		if !isPlain(w) {
			return nil
		}
		as.Path = CleanPath(w)
		all = append(all, as)
	}
	return all
}

// lineCount reads -n N, -nN or -N; without any it is 10.
func lineCount(words []string) (n int, rest []string, ok bool) {
	if len(words) == 0 || !strings.HasPrefix(words[0], "-") {
		return 10, words, true
	}
	text, rest := strings.TrimPrefix(strings.TrimPrefix(words[0], "-"), "n"), words[1:]
	if words[0] == "-n" {
		if len(rest) == 0 {
			return 0, nil, false
		}
		text, rest = rest[0], rest[1:]
	}
	n, err := strconv.Atoi(text)
	return n, rest, err == nil && n > 0
}

var printed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,9})(?:,(\d{1,9}|\$))?p$`) })

// readSed knows sed -n 'a,bp' FILE, with one or more prints.
func readSed(words []string) (reads []Access, readOnly bool) {
	if len(words) < 2 || words[0] != "-n" {
		return nil, false
	}
	var ranges []Access
	for script := range strings.SplitSeq(words[1], ";") {
		m := printed().FindStringSubmatch(strings.TrimSpace(script))
		if m == nil {
			return nil, false
		}
		from, _ := strconv.Atoi(m[1])
		to := from
		if m[2] == "$" {
			to = 0
		} else if m[2] != "" {
			// sed prints the first line even of a range that ends before it.
			to, _ = strconv.Atoi(m[2])
			to = max(to, from)
		}
		from, to, _ = normal(from, to)
		ranges = append(ranges, Access{From: from, To: to})
	}
	for _, w := range words[2:] {
		if strings.HasPrefix(w, "-") {
			return nil, false
		}
	}
	if len(words) != 3 {
		return nil, true // of a pipe, or of files as one
	}
	for _, r := range ranges {
		reads = append(reads, files(words[2:], r)...)
	}
	return reads, true
}
