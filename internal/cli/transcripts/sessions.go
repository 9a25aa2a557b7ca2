package transcripts

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/transcript"
)

// Kept lists the sessions that tools keep on this machine, the last
// written first. A tool whose sessions cannot be read is left out with a warning,
// unless it is the only one.
func Kept(ctx context.Context, a *command.App, tools ...transcript.Format) ([]transcript.Session, error) {
	home, err := command.HomeDirectory()
	if err != nil {
		return nil, err
	}
	var all []transcript.Session
	for _, tool := range tools {
		found, err := transcript.Sessions(ctx, tool, home, os.Getenv)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && len(tools) == 1 && len(found) == 0:
			return nil, err
		case err != nil:
			a.Warn(string(tool) + ": " + command.Explain(err).Error())
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(x, y transcript.Session) int { return y.Changed.Compare(x.Changed) })
	return all, nil
}

// HereNames are the names of the working directory: as the shell says it, and
// without links.
func HereNames() ([]string, error) {
	dir, err := command.WorkingDirectory()
	if err != nil {
		return nil, err
	}
	names := []string{dir}
	if actual, err := filepath.EvalSymlinks(dir); err == nil && actual != dir {
		names = append(names, actual)
	}
	return names, nil
}

// Newest is the newest of some sessions in which somebody asked something,
// and which no other session started; of the directories given, or of any. It is
// nil if there is none.
func Newest(ctx context.Context, a *command.App, all []transcript.Session, dirs []string) (*transcript.Session, error) {
	a.StartProgress("look for the newest session", int64(len(all)))
	defer a.Progress.End()
	for i := range all {
		a.Progress.At(int64(i))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if dirs != nil && !all[i].Ran(ctx, dirs...) {
			continue
		}
		if said(ctx, &all[i]) {
			return &all[i], nil
		}
	}
	return nil, nil
}

// said reports whether a session is one that a person may want to compact.
func said(ctx context.Context, s *transcript.Session) bool {
	return s.Describe(ctx) == nil && !s.Agent && s.Title != ""
}

// sessionsShown is how many sessions a list to pick from shows at once.
const sessionsShown = 15

// Pick shows the newest sessions and asks which one is for a purpose. It is nil if the
// answer is none.
func Pick(ctx context.Context, a *command.App, all []transcript.Session, purpose string) (*transcript.Session, error) {
	rest, words := all, ""
	var shown []*transcript.Session
	for {
		shown, rest = nextSessions(ctx, a, rest, words)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(shown) == 0 && words != "":
			a.Say("No session says " + terminal.VisibleLine(words) + ".\n")
		case len(shown) == 0:
			a.Say("There are no more.\n")
		default:
			listSessions(a, shown)
		}
		for again := true; again; {
			again = false
			answer, err := a.Ask(ctx, pickQuestion(purpose, len(shown), len(rest) > 0))
			if errors.Is(err, io.EOF) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			n, notNumber := strconv.Atoi(answer)
			switch {
			case answer == "q" || answer == "quit":
				return nil, nil
			case notNumber == nil && n >= 1 && n <= len(shown):
				return shown[n-1], nil
			case notNumber == nil:
				again = true
			case answer == "" && len(rest) == 0:
				rest, words = all, "" // from the beginning
			case answer == "":
			default:
				rest, words = all, answer
			}
		}
	}
}

func pickQuestion(purpose string, shown int, more bool) string {
	question := purpose + " which one? [number, words to search for, "
	if shown == 0 {
		question = "Search? [words, "
	}
	if more {
		question += "Enter for more, "
	} else {
		question += "Enter for all, "
	}
	return question + "q to quit] "
}

// nextSessions takes the next sessions to show from a list: those that say some
// words in their tool, directory or request.
func nextSessions(ctx context.Context, a *command.App, list []transcript.Session, words string) (shown []*transcript.Session, rest []transcript.Session) {
	a.StartProgress("read sessions", int64(len(list)))
	defer a.Progress.End()
	for i := range list {
		a.Progress.At(int64(i))
		if len(shown) == sessionsShown || ctx.Err() != nil {
			return shown, list[i:]
		}
		s := &list[i]
		if said(ctx, s) && strings.Contains(strings.ToLower(string(s.Format)+" "+s.Directory+" "+s.Title), words) {
			shown = append(shown, s)
		}
	}
	return shown, nil
}

// listSessions prints sessions, numbered, to standard error. What a file says is
// made visible first.
func listSessions(a *command.App, list []*transcript.Session) {
	lines := make([][5]string, len(list))
	var width [5]int
	for i, s := range list {
		tokens := ""
		if s.Tokens > 0 {
			tokens = number.Thousands(s.Tokens) + " tokens"
		}
		lines[i] = [5]string{strconv.Itoa(i + 1), number.Ago(a.Now(), s.Changed), string(s.Format), tokens, pathEnd(AtHome(s.Directory), 40)}
		for j, cell := range lines[i] {
			width[j] = max(width[j], ansi.StringWidth(cell))
		}
	}
	room := command.TitleWidth
	if a.ErrWidth > 0 {
		room = a.ErrWidth - width[0] - width[1] - width[2] - width[3] - width[4] - 2*len(width)
	}
	var text strings.Builder
	for i, s := range list {
		l := lines[i]
		head := terminal.PadLeft(l[0], width[0]) + "  " + terminal.Pad(l[1], width[1]) + "  " + terminal.Pad(l[2], width[2]) + "  " +
			terminal.PadLeft(l[3], width[3]) + "  "
		if room >= 20 {
			text.WriteString(head + terminal.Pad(l[4], width[4]) + "  " + terminal.Excerpt(s.Title, room) + "\n")
			continue
		}
		below := max(a.ErrWidth-width[0]-2, 10)
		indent := strings.Repeat(" ", width[0]+2)
		text.WriteString(ansi.Truncate(strings.TrimRight(head, " "), max(a.ErrWidth, 20), "…") + "\n")
		text.WriteString(indent + pathEnd(l[4], below) + "\n" + indent + terminal.Excerpt(s.Title, below) + "\n")
	}
	a.Say(text.String())
}

// pathEnd is the end of a path, which tells more of it, on at most so many columns.
func pathEnd(path string, width int) string {
	path = terminal.VisibleLine(path)
	if over := ansi.StringWidth(path) - width; over > 0 {
		return ansi.TruncateLeft(path, over+1, "…")
	}
	return path
}

// AtHome shortens a path below the home directory.
func AtHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return path
}
