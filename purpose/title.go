package purpose

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold"
)

// TitleWidth is how many characters a title has at most.
const TitleWidth = 60

// Title makes a title of a request: its words in one line, cut at a word, without the
// marks of headings, and of a long address the end. It is
// empty for what is not a request and for a slash command alone.
func Title(m tenfold.UserMessage) string {
	words := wordsOf(unheaded(Said(m)))
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

// unheaded gives what is said behind the lines that stand before a view of Tenfold's, which a
// client was given for its conversation.
func unheaded(said string) string {
	first, rest, _ := strings.Cut(said, "\n")
	if !strings.HasPrefix(first, "Tenfold: ") || !strings.Contains(first, "undo: tenfold conversation undo ") {
		return said
	}
	for rest != "" {
		line, behind, _ := strings.Cut(rest, "\n")
		if !strings.HasSuffix(line, " below replace the conversation up to here.]") && !tenfold.IsNote(line) {
			break
		}
		rest = behind
	}
	return rest
}

// TitleOf is the title of the first request on the root that has one.
func TitleOf(entries iter.Seq[tenfold.Entry]) string {
	for e := range entries {
		if m, ok := e.Payload.(tenfold.UserMessage); ok && e.Branch == "" {
			if title := Title(m); title != "" {
				return title
			}
		}
	}
	return ""
}

// wordsOf are the words of a text that a title may have.
func wordsOf(text string) (words []string) {
	if text = strings.TrimSpace(text); isCommand(firstWord(text)) {
		text = text[len(firstWord(text)):]
	}
	for line := range strings.Lines(text) {
		of := strings.Fields(line)
		marks := "#>" // of a heading, of a quotation
		if len(words) == 0 {
			marks = "#>*-=`"
		}
		for len(of) > 0 && strings.Trim(of[0], marks) == "" {
			of = of[1:]
		}
		for _, word := range of {
			words = append(words, shortAddress(word))
		}
		if len(words) > TitleWidth {
			break
		}
	}
	return words
}

func firstWord(text string) string {
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		return text[:end]
	}
	return text
}

// shortAddress is the end of the path of a long address, which tells one from another:
// a title that ended before it would not say what the request is about.
func shortAddress(word string) string {
	at := strings.Index(word, "://")
	if at < 0 || len(word) <= TitleWidth/3 {
		return word
	}
	path, _, _ := strings.Cut(word[at+len("://"):], "?")
	parts := strings.Split(strings.TrimRight(path, "/"), "/")
	short := "…/" + strings.Join(parts[max(len(parts)-2, 1):], "/")
	if len(parts) < 3 || len(short) >= len(word) {
		return word
	}
	return short
}

// isCommand reports whether a word is a slash command, not a path.
func isCommand(word string) bool {
	name, ok := strings.CutPrefix(word, "/")
	return ok && name != "" && !strings.ContainsAny(name, "/.")
}
