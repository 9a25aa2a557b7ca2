package purpose

import (
	"slices"
	"strings"

	"tenfold"
)

// Of gives the purpose of a message: what its [tenfold.UserMessage.Purpose] says,
// or what its texts tell. A message in which a person said anything, or gave a
// file, is a request.
func Of(m tenfold.UserMessage) tenfold.Purpose {
	if m.Purpose != tenfold.Request {
		return m.Purpose
	}
	is := tenfold.Request
	for _, p := range m.Parts {
		if p.File != nil && !m.Synthetic {
			return tenfold.Request
		}
		if strings.TrimSpace(p.Text) == "" {
			continue
		}
		switch OfText(p.Text) {
		case tenfold.Request:
			return tenfold.Request
		case tenfold.Context:
			is = tenfold.Context
		case tenfold.Notice:
			if is == tenfold.Request {
				is = tenfold.Notice
			}
		}
	}
	return is
}

// OfText gives the purpose of one text: a request where a person said any of it.
func OfText(text string) tenfold.Purpose {
	said, is := split(text)
	if said != "" {
		return tenfold.Request
	}
	return is
}

// Said gives what of a message a person said, its texts in order, each
// beginning a line; empty for a message that is not a request. Names and contents
// of files are not in it.
func Said(m tenfold.UserMessage) string {
	if !m.IsRequest() {
		return ""
	}
	var said []string
	for _, p := range m.Parts {
		if p.File != nil {
			continue
		}
		if text, _ := split(p.Text); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n")
}

// Edited gives the file that a line of a host says it edited as an answer told it to,
// as Aider does, whose model calls no tool; empty for any other line.
func Edited(line string) string {
	if path, ok := strings.CutPrefix(line, "Applied edit to "); ok {
		return path
	}
	return ""
}

// Apart gives what of a text a person said, and what a host put around it. Where they
// cannot be told apart all is said.
func Apart(text string) (said, host string) {
	words, is := split(text)
	before, after, found := strings.Cut(text, words)
	switch {
	case is == tenfold.Request || !found:
		return text, ""
	case words == "":
		return "", text
	}
	return words, strings.TrimSpace(strings.TrimSpace(before) + "\n" + strings.TrimSpace(after))
}

// Speaks reports whether a text in an assistant's place is an assistant's, and not
// a host's where no model answered.
func Speaks(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && !slices.Contains(placeholders, text) && !isTag(text)
}

// isTag reports whether a text is one tag that ends something, as of the page that a
// session was shown on.
func isTag(text string) bool {
	name, ok := strings.CutPrefix(text, "</")
	name, closed := strings.CutSuffix(name, ">")
	return ok && closed && !strings.ContainsAny(name, "<> \n")
}

// split takes what a host put around a person's words off a text, and gives the
// purpose of that: [tenfold.Request] where there was nothing.
func split(text string) (said string, is tenfold.Purpose) {
	text = strings.TrimSpace(text)
	if said, echo := command(text); echo {
		return said, tenfold.Notice
	}
	var typed []string
	note := func(p tenfold.Purpose) {
		if is != tenfold.Context {
			is = p
		}
	}
	for text != "" {
		block, p, ok := leading(text)
		if !ok {
			break
		}
		if words, ok := quoted(block); ok {
			typed = append(typed, words)
		} else {
			note(p)
		}
		text = strings.TrimSpace(text[len(block):])
	}
	for text != "" {
		block, p, ok := trailing(text)
		if !ok {
			break
		}
		note(p)
		text = strings.TrimSpace(text[:len(text)-len(block)])
	}
	if text = unwrap(text); text != "" {
		typed = append(typed, text)
	}
	return strings.Join(typed, "\n\n"), is
}

// leading gives what of a host's stands at the start of a text.
func leading(text string) (block string, is tenfold.Purpose, ok bool) {
	if tenfold.IsNote(text) { // of a view that was exported: the words behind it are a person's
		note, _, _ := strings.Cut(text, "\n")
		return note, tenfold.Notice, true
	}
	for _, p := range phrases {
		if !strings.HasPrefix(text, p.start) {
			continue
		}
		const last = "</INSTRUCTIONS>"
		if end := strings.LastIndex(text, last); end >= 0 && p.start[0] == '#' {
			return text[:end+len(last)], p.is, true
		}
		return text, p.is, true
	}
	if !strings.HasPrefix(text, "<") {
		return "", "", false
	}
	for _, a := range attached {
		if end := strings.LastIndex(text, a.end); end >= 0 && strings.HasPrefix(text, a.start) && strings.Contains(text[:end], a.then) {
			return text[:end+len(a.end)], tenfold.Notice, true
		}
	}
	for _, t := range tags {
		rest, ok := strings.CutPrefix(text[1:], t.name)
		if !ok || rest == "" || !strings.ContainsRune("> \n", rune(rest[0])) {
			continue
		}
		last := "</" + t.name + ">"
		end := strings.Index(text, last)
		if t.quotes {
			end = strings.LastIndex(text, last)
		}
		if end < 0 {
			return text, kindOf(t, text), true
		}
		block = text[:end+len(last)]
		return text[:len(block)+t.line(text[len(block):])], kindOf(t, block), true
	}
	return "", "", false
}

// line gives how much of what follows the closing tag is the host's as well.
func (t tag) line(rest string) int {
	for _, start := range t.then {
		if strings.HasPrefix(rest, "\n"+start) {
			line, _, _ := strings.Cut(rest[1:], "\n")
			return 1 + len(line)
		}
	}
	return 0
}

// trailing gives the reminder at the end of a text.
func trailing(text string) (block string, is tenfold.Purpose, ok bool) {
	for _, t := range tags {
		if !strings.HasSuffix(text, "</"+t.name+">") {
			continue
		}
		if start := strings.LastIndex(text, "<"+t.name); start > 0 {
			return text[start:], kindOf(t, text[start:]), true
		}
	}
	return "", "", false
}

// kindOf is what a block in a tag is for: a reminder of what happened instructs
// nobody.
func kindOf(t tag, block string) tenfold.Purpose {
	if t.name == "system-reminder" && slices.ContainsFunc(events, func(start string) bool { return strings.HasPrefix(inside(block), start) }) {
		return tenfold.Notice
	}
	return t.is
}

// inside is what a block holds between its tags.
func inside(block string) string {
	_, text, _ := strings.Cut(block, ">")
	if end := strings.LastIndex(text, "</"); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSpace(text)
}

// quoted gives what a person typed while the agent worked, of the reminder that
// tells the model.
func quoted(block string) (string, bool) {
	if !strings.HasPrefix(block, "<system-reminder>") {
		return "", false
	}
	words, _, ok := typedMeanwhile(inside(block))
	return words, ok
}

// typedMeanwhile gives what a person typed while the agent worked, of a text that tells the
// model; closed tells that the host's own words follow.
func typedMeanwhile(text string) (words string, closed, ok bool) {
	for _, start := range quotations {
		if words, ok := strings.CutPrefix(text, start); ok {
			for _, end := range trailers {
				var found bool
				words, _, found = strings.Cut(words, end)
				closed = closed || found
			}
			return strings.TrimSpace(words), closed, true
		}
	}
	return "", false, false
}

// command reads the echo of a slash command of Claude Code. One that it hands
// to the model is the person's request, by its name and what follows it.
func command(text string) (said string, echo bool) {
	own := strings.HasPrefix(text, "<command-name>")
	if !own && !strings.HasPrefix(text, "<command-message>") {
		return "", false
	}
	name := element(text, "command-name")
	words := element(text, "command-args")
	if own && (words == "" || slices.Contains(ownCommands, name)) {
		return "", true
	}
	return strings.TrimSpace(name + " " + words), true
}

// element gives what stands in the first element of a name.
func element(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return ""
	}
	in, _, _ := strings.Cut(rest, "</"+name+">")
	return strings.TrimSpace(in)
}

// unwrap takes off what stands around a person's words.
func unwrap(text string) string {
	for _, end := range leadIns {
		if !strings.HasPrefix(text, "# ") {
			break // a long text is not searched for nothing
		}
		if _, words, ok := strings.Cut(text, end); ok {
			text = strings.TrimSpace(words)
		}
	}
	if words, closed, ok := typedMeanwhile(text); ok && closed { // else a person may quote it
		return words
	}
	if words, ok := Framed(text); ok {
		return words
	}
	return text
}

// Framed gives what a person said in a text that Cline or Roo wrote around it: a tag,
// the heading of a result, or a sentence of the tool's.
func Framed(text string) (words string, ok bool) {
	text = strings.TrimSpace(text)
	whole := true
	if strings.HasPrefix(text, "[") {
		if _, result, headed := strings.Cut(text, "] Result:"); headed {
			text, whole = strings.TrimSpace(result), false
		}
	}
	told := slices.ContainsFunc(frames, func(start string) bool { return strings.HasPrefix(text, start) })
	for _, name := range wrappers {
		at := strings.Index(text, "<"+name+">")
		if at == 0 && (!whole || strings.HasSuffix(text, "</"+name+">")) || at > 0 && told && text[at-1] == '\n' {
			if words = element(text, name); words != "" {
				return words, true
			}
		}
	}
	return "", false
}
