package digest

import (
	"slices"
	"strconv"
	"strings"
)

// normalise gives what makes two command lines the same: white space counts
// as one blank outside of quotes, comment lines in front, line ends behind the
// last command, 2>&1 and how many lines of the output are wanted do not count.
func normalise(line string) string {
	var words []string
	for text := range strings.SplitSeq(strings.TrimSpace(line), "\n") {
		if trimmed := strings.TrimSpace(text); trimmed != "" && (len(words) > 0 || trimmed[0] != '#') {
			words = append(words, quotedFields(trimmed)...)
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

// similarityKey gives what two runs of one command have in common that differ in flags
// alone; of git only what it is to do. Empty for lines of several commands.
func similarityKey(line string) string {
	if strings.ContainsAny(line, "|;&\n<`$") {
		return ""
	}
	words := quotedFields(line)
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(words) < 2 {
		return "" // a name says too little
	}
	if words[0] == "git" {
		words = words[:2]
	}
	return strings.Join(words, " ")
}

// isLineCount knows -n, -20, -n20 and 20.
func isLineCount(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "-"), "n")
	_, err := strconv.Atoi(word)
	return err == nil || word == ""
}

// quotedFields is strings.Fields that leaves what is in quotes together.
func quotedFields(s string) []string {
	if !strings.ContainsAny(s, `'"`) {
		return strings.Fields(s)
	}
	return splitUnquoted(s, " \t\r")
}

// splitUnquoted cuts a command line at any of some characters that are not in quotes.
func splitUnquoted(s, at string) []string {
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

func commandsOf(line string) []string { return splitUnquoted(line, ";|&\n") }
