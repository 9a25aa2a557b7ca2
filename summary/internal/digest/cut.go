package digest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineLength is how many characters of a tool's line are quoted.
const lineLength = 200

// fragmentFrom is from how many characters on a line without sentences may be
// quoted in part (semantics P5b).
const fragmentFrom = 220

// clip shortens one line to so many characters: it ends between words, and a
// mark says that it goes on. It does not look at what it leaves out.
func clip(text string, characters int) string {
	if len(text) <= characters {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > characters {
			return wholeWords(text, i) + "…"
		}
	}
	return text
}

// wholeWords is the beginning of a text up to a place, less a word that ends after
// it. A word longer than a third of that is cut.
func wholeWords(text string, end int) string {
	head := text[:end]
	if end < len(text) && text[end] != ' ' && text[end] != '\n' && text[end] != '\t' {
		if at := strings.LastIndexAny(head, " \t\n"); at > end*2/3 {
			head = head[:at]
		}
	}
	return strings.TrimRight(head, " \t\r\n")
}

// opening is what a text says first, in about so many characters: whole lines,
// of the next line whole sentences, and of a line without either the words that
// fit (semantics P5b). What goes on after it ends in "…", on a line of its own
// where it breaks off at a line's end.
func opening(text string, characters int) string {
	text = strings.TrimSpace(text)
	if len(text) <= characters || utf8.RuneCountInString(text) <= characters {
		return text
	}
	end, used := 0, 0 // of what is taken whole
	for end < len(text) {
		line, _, _ := strings.Cut(text[end:], "\n")
		if n := utf8.RuneCountInString(line) + 1; used+n <= characters+1 {
			end, used = min(end+len(line)+1, len(text)), used+n
			continue
		}
		if part := sentencesOf(line, characters-used); part != "" && !strings.Contains(text[:end], "```") {
			return strings.TrimRight(text[:end]+part, "\n") + " …"
		}
		break
	}
	if whole := trimOpenEnd(text[:end]); whole != "" {
		return whole + "\n…"
	}
	if line, _, _ := strings.Cut(text, "\n"); utf8.RuneCountInString(line) <= characters {
		return line + " …"
	}
	return clip(text, characters)
}

// trimOpenEnd takes off a text what leads to something that is not there: blank
// lines, a heading, a line that ends in a colon, a fence that is not closed.
func trimOpenEnd(text string) string {
	for {
		text = strings.TrimRight(text, " \t\r\n")
		at := strings.LastIndexByte(text, '\n')
		last := strings.TrimSpace(text[at+1:])
		leads := strings.HasPrefix(last, "#") || strings.HasSuffix(last, ":") || strings.HasSuffix(last, ":**") || strings.Trim(last, "-=*_") == ""
		if text == "" || !leads {
			break
		}
		text = text[:max(at, 0)]
	}
	if n := strings.Count(text, "```"); n%2 == 1 {
		return trimOpenEnd(text[:strings.LastIndex(text, "```")])
	}
	return text
}

// sentencesOf is the whole sentences at the beginning of a line that so many
// characters hold.
func sentencesOf(line string, characters int) string {
	line = strings.TrimSpace(line)
	taken, rest := "", line
	for rest != "" {
		if _, rest = sentence(rest); rest == "" && taken == "" {
			return "" // one sentence, and longer
		}
		next := strings.TrimSpace(line[:len(line)-len(rest)]) // as it was written: Chinese has no spaces there
		if utf8.RuneCountInString(next) > characters {
			break
		}
		taken = next
	}
	return taken
}

// sentence cuts the first sentence off a line. Where it is not sure that one
// ends, it goes on.
func sentence(line string) (first, rest string) {
	for i, r := range line {
		if !strings.ContainsRune(".!?。！？؟", r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		end = len(line) - len(strings.TrimLeft(line[end:], ".!?\"'`”’)]*_"))
		next := strings.TrimLeftFunc(line[end:], unicode.IsSpace)
		follows, _ := utf8.DecodeRuneInString(next)
		switch {
		case next == "":
			return line, ""
		case strings.ContainsRune("。！？؟", r):
		case len(next) == len(line)-end, unicode.IsLower(follows), r == '.' && abbreviates(line[:i]):
			continue
		}
		return line[:end], next
	}
	return line, ""
}

var abbreviations = strings.Fields("e.g i.e eg ie etc vs cf mr mrs ms dr prof st no nr fig eq sec ch vol approx al resp inc ltd co corp est min max incl excl jr sr bzw z.b d.h ca usw")

// abbreviates reports whether the full stop behind what was read of a line may
// belong to a word: an abbreviation, an initial, or the number of an item.
func abbreviates(read string) bool {
	word := strings.TrimLeft(read[strings.LastIndexAny(read, " \t(")+1:], "*_\"'`")
	return utf8.RuneCountInString(word) == 1 || len(word) <= 3 && strings.Trim(word, "0123456789") == "" || slices.Contains(abbreviations, strings.ToLower(word))
}
