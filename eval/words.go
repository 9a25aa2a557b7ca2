package eval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scope says in a sentence what a run measured and what it left out.
func (r *Result) Scope(s Summary) string {
	text := fmt.Sprintf("%s of %s, %s", counted(s.Sessions, "session"), counted(s.Sources, "source"), counted(s.Cuts, "cut"))
	if s.Skipped > 0 {
		text += fmt.Sprintf("; %s left out", counted(s.Skipped, "session"))
		if r.Options.MinRequests > 0 {
			text += fmt.Sprintf(" (fewer than %d requests, or nothing used from memory)", r.Options.MinRequests)
		} else {
			text += " (too short, or nothing used from memory)"
		}
	}
	if n := len(r.Failures); n > 0 {
		text += fmt.Sprintf("; %s failed", counted(n, "file"))
	}
	return text + "."
}

// Caution is what the figures do not prove; it stands wherever they do.
const Caution = "These figures say what is available to the model, not that the task succeeds; a policy made for what is measured does well in it."

// Command is the command line that measures a case again and names what was
// lost.
func (c Case) Command() string { return strings.Join(c.Words(), " ") }

// Words are the command line in pieces that belong together.
func (c Case) Words() []string {
	return []string{
		"tenfold lab", ShellWord(c.Name), fmt.Sprintf("--cuts %d", c.Cut), "--horizon " + horizonName(c.Horizon), "--strategy " + ShellWord(c.Policy),
	}
}

// ShellWord quotes a word for a shell where it needs that.
func ShellWord(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("./_-:=%,@+", r)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// printable writes what does not show, or would turn the direction of what
// follows, as an escape: names of files come from anywhere.
func printable(s string) string {
	if !strings.ContainsFunc(s, hides) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hides(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hides(r rune) bool {
	return !unicode.IsPrint(r) || r == utf8.RuneError
}
