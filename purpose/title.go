package purpose

import (
	"strings"
	"unicode/utf8"

	"tenfold"
)

// TitleWidth is how many characters a title has at most.
const TitleWidth = 60

// Title makes a title of a request: its words in one line, cut at a word. It is
// empty for what is not a request and for a slash command alone.
func Title(m tenfold.UserMessage) string {
	words := strings.Fields(Said(m))
	if len(words) > 0 && isCommand(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && strings.Trim(words[0], "#>*-=`") == "" {
		words = words[1:] // marks of a heading, a quotation, a list
	}
	var title strings.Builder
	length := 0
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch room := TitleWidth - length - 1; { // for the space
		case i == 0 && n > TitleWidth:
			return string([]rune(word)[:TitleWidth-1]) + "…"
		case i > 0 && n > room, i > 0 && n == room && i < len(words)-1:
			return title.String() + "…"
		case i > 0:
			title.WriteByte(' ')
			length++
		}
		title.WriteString(word)
		length += n
	}
	return title.String()
}

// isCommand reports whether a word is a slash command, not a path.
func isCommand(word string) bool {
	name, ok := strings.CutPrefix(word, "/")
	return ok && name != "" && !strings.ContainsAny(name, "/.")
}
