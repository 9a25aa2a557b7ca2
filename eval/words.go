package eval

import (
	"fmt"
	"strings"
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
func (c Case) Command() string {
	return fmt.Sprintf("tenfold lab %s --cuts %d --horizon %s --strategy %s", shellWord(c.Name), c.Cut, horizonName(c.Horizon), shellWord(c.Policy))
}

// shellWord quotes a word for a shell where it needs that.
func shellWord(s string) string {
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
