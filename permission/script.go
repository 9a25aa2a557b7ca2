package permission

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A word of a command. It is known where it is the same text, and one word,
// whatever the shell, its variables and the files are.
type word struct {
	text  string
	known bool
}

// program is the name of the file that a command runs; empty if it is not known.
func program(words []word) string {
	if !words[0].known {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(words[0].text, `\`, "/"))), ".exe")
}

// literal gives the text of words that are all known.
func literal(words []word) ([]string, bool) {
	var out []string
	for _, w := range words {
		if !w.known {
			return nil, false
		}
		out = append(out, w.text)
	}
	return out, true
}

// A script is what is known of a command line.
type script struct {
	// commands are its simple commands, those in substitutions included. Each has
	// a word.
	commands [][]word
	// inner are those that its commands may run: what follows sudo, what sh -c is
	// given.
	inner [][]word
	// plain tells that it does nothing but run commands: it sets no variable,
	// defines no function, writes to no file, starts nothing in the background.
	plain bool
	// reads tells that it reads files by redirection; moves, that it changes the
	// directory.
	reads, moves bool
	// doubtful tells that it may run what is not in commands and inner.
	doubtful bool
}

// maxCommand is more than the length of any command line that should run unseen. The
// time that some take to parse grows with the square of it.
const maxCommand = 16 << 10

// parse reads a command line as each of the shells may that sh stands for: what
// one takes for a quotation, another does not ($'…').
func parse(text string) script {
	strange := func(r rune) bool { return r == 0x7f || r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError }
	if len(text) > maxCommand || strings.ContainsFunc(text, strange) {
		return script{doubtful: true}
	}
	whole := script{plain: true}
	for _, language := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		file, err := syntax.NewParser(syntax.Variant(language)).Parse(strings.NewReader(text), "")
		if err != nil {
			whole.plain, whole.doubtful = false, true
			continue
		}
		s := script{plain: true}
		syntax.Walk(file, func(n syntax.Node) bool {
			s.node(n)
			return true
		})
		whole.plain, whole.reads = whole.plain && s.plain, whole.reads || s.reads
		if !slices.EqualFunc(whole.commands, s.commands, slices.Equal) {
			whole.commands = append(whole.commands, s.commands...)
		}
	}
	for _, words := range whole.commands {
		whole.look(words)
	}
	return whole
}

// node takes in a part of the syntax tree. What is not listed is not plain.
func (s *script) node(n syntax.Node) {
	ok := true
	switch n := n.(type) {
	case nil, *syntax.File, *syntax.BinaryCmd, *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.Word, *syntax.Lit, *syntax.Comment:
	case *syntax.Stmt:
		ok = !n.Background && !n.Coprocess && !n.Disown && n.Cmd != nil
	case *syntax.CallExpr:
		var words []word
		for _, w := range n.Args {
			words = append(words, wordOf(w))
		}
		if len(words) > 0 { // none where variables are set
			s.commands = append(s.commands, words)
		}
	case *syntax.SglQuoted:
		ok = !n.Dollar
	case *syntax.DblQuoted:
		ok = !n.Dollar
	case *syntax.CmdSubst:
		ok = !n.Backquotes && !n.TempFile && !n.ReplyVar
	case *syntax.ParamExp:
		ok = n.Short && n.Index == nil // ${…} may assign, or evaluate what a variable says
	case *syntax.Redirect:
		ok = s.redirect(n)
	default:
		ok = false
	}
	s.plain = s.plain && ok
}

// redirect tells whether a redirection writes to nothing but /dev/null and open
// files.
func (s *script) redirect(r *syntax.Redirect) bool {
	to := wordOf(r.Word)
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		return to.text != "" && strings.Trim(to.text, "0123456789") == ""
	case syntax.RdrOut, syntax.AppOut: // &> runs what is before it in the background where a shell does not know it
		return to.text == "/dev/null"
	case syntax.RdrIn:
		s.reads = true
		return to.text == "/dev/null" || to.known && !strings.HasPrefix(path.Clean("/"+to.text), "/dev/")
	default:
		return false
	}
}

// wordOf reads a word. What a shell may expand to others is not known.
func wordOf(w *syntax.Word) word {
	var text strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if !unescape(&text, part.Value, false) {
				return word{}
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return word{}
			}
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || !unescape(&text, lit.Value, true) {
					return word{}
				}
			}
		default:
			return word{}
		}
	}
	return word{text: text.String(), known: true}
}

// unescape writes what a literal stands for; it reports whether that is known.
func unescape(out *strings.Builder, s string, quoted bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 == len(s):
			return false
		case c == '\\' && (!quoted || strings.IndexByte("$`\"\\", s[i+1]) >= 0):
			i++
			out.WriteByte(s[i])
		case !quoted && strings.IndexByte("*?[]{}$", c) >= 0:
			return false
		default:
			out.WriteByte(c)
		}
	}
	return true
}

// look takes in what a command may run, and whether it changes the directory.
func (s *script) look(words []word) {
	name := program(words)
	s.moves = s.moves || slices.Contains(movers, name)
	if !runsOthers(words) {
		return
	}
	for i, w := range words[1:] {
		s.inner = append(s.inner, words[i+1:])
		if !w.known {
			s.doubtful = true
		} else if strings.ContainsAny(w.text, " \t\n;&|<>()$`\"'\\=") {
			in := parse(w.text)
			s.inner = append(append(s.inner, in.commands...), in.inner...)
			s.doubtful = s.doubtful || in.doubtful
		}
	}
}
