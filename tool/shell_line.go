package tool

import (
	"regexp"
	"strings"
	"sync"
)

// A shellWord is a word of a command line; known where it is one text, whatever
// variables set elsewhere are. A glob stands for the files that match it.
type shellWord struct {
	text        string
	known, glob bool
}

// A shellCommand is a simple command of a line.
type shellCommand struct {
	words []shellWord
	// to and add are where its output goes: over a file, or to its end.
	to, add []shellWord
	// body is the here-document, or the here-string, it is given.
	body string
	// open and close count the subshells that begin before it and end after it.
	open, close int
	// led tells that variables are set for it, or that a word of the shell's own is in front.
	led bool
	// after is what joins it to the command before: "" for the first, ";" for
	// a line end too.
	after string
}

// texts are the words as they stand; nil without any.
func (c *shellCommand) texts() (all []string) {
	for _, w := range c.words {
		all = append(all, w.text)
	}
	return all
}

// readShell reads the commands of a line in the order in which they are
// written, those of loops, branches and substitutions too. What it cannot read
// ends it. It looks at each byte once, for a transcript is a stranger's.
func readShell(text string) *shellReader {
	r := &shellReader{text: text, set: map[string]string{}}
	r.commands(0)
	return r
}

// splitCommand cuts a command line into its commands, joined by |, ||, &&, ;
// or line ends, and those into words. False for everything that could do more
// than run them: variables, redirections, substitutions, subshells, background.
func splitCommand(line string) (segments [][]string, ok bool) {
	r := readShell(line)
	for _, c := range r.all {
		if words := c.texts(); words != nil {
			segments = append(segments, words)
		}
		r.more = r.more || c.led
	}
	return segments, !r.more
}

type shellReader struct {
	text  string
	at    int
	all   []*shellCommand
	now   *shellCommand
	opens int
	deep  int
	led   bool
	after string
	// waiting are here-documents whose bodies begin at the next line end.
	waiting []hereDocument
	set     map[string]string // variables whose values are known
	// more tells that the line may do more than run commands with the words that stand
	// there: it expands, redirects, runs them in the background, or cannot be read.
	more bool
}

type hereDocument struct {
	end  string
	tabs bool
	of   *shellCommand
}

// deepest is how deep substitutions are read.
const deepest = 20

func (r *shellReader) rest() string { return r.text[r.at:] }

func (r *shellReader) command() *shellCommand {
	if r.now == nil {
		r.now = &shellCommand{open: r.opens, after: r.after, led: r.led}
		r.opens, r.led = 0, false
		r.all = append(r.all, r.now)
	}
	return r.now
}

// end ends the command under way; by says how the next one is joined to it.
func (r *shellReader) end(by string) {
	if r.now != nil || len(r.all) > 0 && by != ";" {
		r.after = by
	}
	if c := r.now; c != nil {
		for len(c.words) > 0 && c.words[0].known { // variables set in front of a command, or alone
			name, value, ok := strings.Cut(c.words[0].text, "=")
			if !ok || !isName(name) {
				break
			}
			if r.set[name] = value; len(value) > longest {
				delete(r.set, name)
			}
			c.words, c.led = c.words[1:], true
		}
	}
	r.more = r.more || r.led // what a word of the shell's own ends
	r.now, r.led = nil, false
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// commands reads until the text ends, or a parenthesis closes that was open before.
func (r *shellReader) commands(until byte) {
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			r.more = r.more || c == '\r'
			r.at++
		case c == '\n':
			r.at++
			r.end(";")
			r.bodies()
		case c == '#':
			r.more = true
			if n := strings.IndexByte(r.rest(), '\n'); n >= 0 {
				r.at += n
			} else {
				r.at = len(r.text)
			}
		case c == ')' && until == ')', c == '`' && until == '`':
			r.end(";")
			return
		case c == '(':
			r.end(";")
			r.opens++
			r.more = true
			r.at++
		case c == ')': // of a subshell, or of a case
			if r.end(";"); len(r.all) > 0 {
				r.all[len(r.all)-1].close++
			}
			r.more = true
			r.at++
		case strings.HasPrefix(r.rest(), "&>"):
			r.more = true
			r.at++
		case strings.HasPrefix(r.rest(), "&&"), strings.HasPrefix(r.rest(), "||"):
			r.end(r.rest()[:2])
			r.at += 2
		case c == ';' || c == '&':
			r.end(";")
			r.more = r.more || c == '&'
			r.at++
		case c == '|':
			r.end("|")
			r.at++
		case (c == '<' || c == '>') && !strings.HasPrefix(r.rest(), "<(") && !strings.HasPrefix(r.rest(), ">("):
			r.redirect()
		default:
			r.more = r.more || c == '!'
			from := r.at
			w, ok := r.word()
			if !ok {
				r.at, r.more = len(r.text), true
				return
			}
			if r.now == nil && keywords[r.text[from:r.at]] {
				r.led = true
				continue
			}
			if next := r.rest(); w.known && (next != "" && (next[0] == '>' || next[0] == '<')) && len(w.text) == 1 && w.text[0] >= '0' && w.text[0] <= '9' {
				r.more = r.more || w.text != "1" && w.text != "2"
				if w.text != "1" && next[0] == '>' { // what a program says of errors is no file of anybody's
					r.skipped()
				}
				continue
			}
			cmd := r.command()
			cmd.words = append(cmd.words, w)
		}
	}
	r.end(";")
}

var keywords = map[string]bool{"{": true, "}": true, "if": true, "then": true, "else": true, "elif": true, "fi": true, "do": true, "done": true, "while": true, "until": true, "!": true, "time": true}

// skipped passes a redirection that does not count.
func (r *shellReader) skipped() {
	was := r.command()
	to, add := len(was.to), len(was.add)
	r.redirect()
	was.to, was.add = was.to[:to], was.add[:add]
}

// harmless is where output may be sent without changing anything.
var harmless = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^>(&[12]|\s*/dev/null)(\s|$|[;|&])`) })

// redirect reads a redirection.
func (r *shellReader) redirect() {
	text, cmd := r.rest(), r.command()
	r.more = r.more || !harmless().MatchString(text)
	n := len(text) - len(strings.TrimLeft(text, "<>|&"))
	op := text[:n]
	r.at += n
	heredoc := op == "<<"
	tabs := heredoc && strings.HasPrefix(r.rest(), "-")
	if tabs {
		r.at++
	}
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
	w, ok := r.word()
	switch {
	case !ok:
		r.at = len(r.text)
	case heredoc:
		r.waiting = append(r.waiting, hereDocument{w.text, tabs, cmd})
	case op == "<<<":
		cmd.body = w.text
	case op == ">" || op == ">|":
		cmd.to = append(cmd.to, w)
	case op == ">>":
		cmd.add = append(cmd.add, w)
	}
}

// bodies reads the here-documents that begin at this line.
func (r *shellReader) bodies() {
	for _, h := range r.waiting {
		start := r.at
		for r.at < len(r.text) {
			line, _, whole := strings.Cut(r.rest(), "\n")
			from := r.at
			if r.at += len(line); whole {
				r.at++
			}
			if line = strings.TrimRight(line, "\r"); line == h.end || h.tabs && strings.TrimLeft(line, "\t") == h.end {
				h.of.body = r.text[start:from]
				break
			}
			h.of.body = r.text[start:r.at]
		}
	}
	r.waiting = nil
}

// word reads a word; false where it has no end.
func (r *shellReader) word() (w shellWord, ok bool) {
	var out strings.Builder
	w.known = true
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case strings.IndexByte(" \t\r\n;&|<>()", c) >= 0 && !strings.HasPrefix(r.rest(), "<(") && !strings.HasPrefix(r.rest(), ">("), c == '`' && r.deep > 0 && out.Len() > 0:
			w.text = out.String()
			return w, true
		case c == '\'':
			n := strings.IndexByte(r.text[r.at+1:], '\'')
			if n < 0 {
				return w, false
			}
			out.WriteString(r.text[r.at+1 : r.at+1+n])
			r.at += n + 2
		case c == '"':
			if r.at++; !r.quoted(&out, &w.known) {
				return w, false
			}
		case c == '\\':
			if r.at+1 < len(r.text) && r.text[r.at+1] != '\n' {
				out.WriteByte(r.text[r.at+1])
			} else {
				r.more = true
			}
			r.at += min(2, len(r.text)-r.at)
		case c == '$' || c == '`' || c == '<' || c == '>':
			if !r.expand(&out, &w.known) {
				return w, false
			}
		case c == '*' || c == '?' || c == '[' && out.Len() > 0:
			w.glob = true
			out.WriteByte(c)
			r.at++
		case c == '{' && !strings.HasPrefix(r.rest(), "{ ") && !strings.HasPrefix(r.rest(), "{\n"):
			w.known, r.more = false, true // {a,b}
			r.at++
		default:
			r.more = r.more || c == '{' || c == '}'
			out.WriteByte(c)
			r.at++
		}
	}
	w.text = out.String()
	return w, true
}

// quoted reads on to the end of what stands in double quotes.
func (r *shellReader) quoted(out *strings.Builder, known *bool) bool {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return true
		case c == '\\' && r.at+1 < len(r.text):
			r.more = true
			if next := r.text[r.at+1]; strings.IndexByte("$`\"\\", next) < 0 && next != '\n' {
				out.WriteByte(c)
			}
			if r.text[r.at+1] != '\n' {
				out.WriteByte(r.text[r.at+1])
			}
			r.at += 2
		case c == '$' || c == '`':
			if !r.expand(out, known) {
				return false
			}
		default:
			out.WriteByte(c)
			r.at++
		}
	}
	return false
}

// expand reads a variable or a substitution. The commands of a substitution are
// read as others are; what it stands for is not known.
func (r *shellReader) expand(out *strings.Builder, known *bool) bool {
	r.more = true
	rest := r.rest()
	if len(rest) > 1 && rest[1] == '(' || rest[0] == '`' {
		*known = false
		until := byte(')')
		if r.at++; rest[0] == '`' {
			until = '`'
		} else {
			r.at++
		}
		if r.deep++; r.deep > deepest {
			return false
		}
		now, after, opens := r.now, r.after, r.opens
		waiting := r.waiting
		r.now, r.opens, r.waiting = nil, 0, nil
		from := len(r.all)
		r.commands(until)
		for len(r.all) > from && r.all[from].after != "" { // none of them follows the line's own
			r.all[from].after = ""
		}
		r.now, r.after, r.opens, r.waiting = now, after, opens, waiting
		r.deep--
		if r.at >= len(r.text) {
			return false
		}
		r.at++
		return true
	}
	if rest[0] != '$' {
		*known = false
		out.WriteByte(rest[0])
		r.at++
		return true
	}
	n := 1
	braced := len(rest) > 1 && rest[1] == '{'
	if braced {
		n++
	}
	start := n
	for n < len(rest) && isName("a"+rest[n:n+1]) {
		n++
	}
	value, set := r.set[rest[start:n]]
	if braced {
		end := strings.IndexByte(rest[n:], '}')
		if end < 0 {
			return false
		}
		set = set && end == 0
		n += end + 1
	} else if n == 1 { // $?, $1, $@, or a dollar
		n = min(2, len(rest))
		set = false
	}
	*known = *known && set
	out.WriteString(value)
	r.at += n
	return true
}
