package cli

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

	"tenfold/internal/cli/terminal"
	"tenfold/transcript"
)

// keptSessions lists the sessions that tools keep on this machine, the last
// written first. A tool whose sessions cannot be read is left out with a warning,
// unless it is the only one.
func (a *app) keptSessions(ctx context.Context, tools ...transcript.Format) ([]transcript.Session, error) {
	home, err := os.UserHomeDir()
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
			a.Warn(string(tool) + ": " + explain(err).Error())
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(x, y transcript.Session) int { return y.Changed.Compare(x.Changed) })
	return all, nil
}

// hereNames are the names of the working directory: as the shell says it, and
// without links.
func hereNames() ([]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	names := []string{dir}
	if actual, err := filepath.EvalSymlinks(dir); err == nil && actual != dir {
		names = append(names, actual)
	}
	return names, nil
}

// newestSession is the newest of some sessions in which somebody asked something,
// and which no other session started; of the directories given, or of any. It is
// nil if there is none.
func (a *app) newestSession(ctx context.Context, all []transcript.Session, dirs []string) (*transcript.Session, error) {
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

// pickSession shows the newest sessions and asks which one is for a purpose. It is nil if the
// answer is none.
func (a *app) pickSession(ctx context.Context, all []transcript.Session, purpose string) (*transcript.Session, error) {
	rest, words := all, ""
	var shown []*transcript.Session
	for {
		shown, rest = a.nextSessions(ctx, rest, words)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(shown) == 0 && words != "":
			a.Say("No session says " + terminal.VisibleLine(words) + ".\n")
		case len(shown) == 0:
			a.Say("There are no more.\n")
		default:
			a.listSessions(shown)
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
func (a *app) nextSessions(ctx context.Context, list []transcript.Session, words string) (shown []*transcript.Session, rest []transcript.Session) {
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
func (a *app) listSessions(list []*transcript.Session) {
	lines := make([][5]string, len(list))
	var width [5]int
	for i, s := range list {
		tokens := ""
		if s.Tokens > 0 {
			tokens = thousands(s.Tokens) + " tokens"
		}
		lines[i] = [5]string{strconv.Itoa(i + 1), ago(a.now(), s.Changed), string(s.Format), tokens, pathEnd(atHome(s.Directory), 40)}
		for j, cell := range lines[i] {
			width[j] = max(width[j], ansi.StringWidth(cell))
		}
	}
	room := titleWidth
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

// atHome shortens a path below the home directory.
func atHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return path
}

// found completes the files of "compact": those given, or else the session that
// --last or --here chooses, or that is picked from a list. None is no session at
// all, and the person knows.
func (k *compactFile) found(ctx context.Context, paths []string) ([]string, error) {
	choice := "--last"
	if k.here {
		choice = "--here"
	}
	switch {
	case len(paths) > 0 && (k.last || k.here):
		return nil, exclusive("FILE", choice)
	case len(paths) > 0:
		return paths, nil
	case !k.last && !k.here && (!k.InTTY || !k.ErrTTY):
		return nil, usage("tenfold compact requires a file",
			"name one, or add --last for the newest session of the tools on this machine, --here for that of this directory; on a terminal it shows a list")
	}
	all, err := k.keptSessions(ctx, k.tools()...)
	if err != nil {
		return nil, err
	}
	var s *transcript.Session
	if k.last || k.here {
		s, err = k.newest(ctx, all)
	} else if len(all) == 0 {
		err = k.noSession(nil)
	} else if s, err = k.pickSession(ctx, all, "Compact"); s == nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	k.chose(s)
	return []string{s.Path}, nil
}

// tools are those whose sessions are looked at: all, or the one of --format.
func (k *compactFile) tools() []transcript.Format {
	if k.format != "" {
		return []transcript.Format{transcript.Format(k.format)}
	}
	return transcript.Keepers()
}

// newest is the newest session, or that of this directory.
func (k *compactFile) newest(ctx context.Context, all []transcript.Session) (*transcript.Session, error) {
	var dirs []string
	if k.here {
		var err error
		if dirs, err = hereNames(); err != nil {
			return nil, err
		}
	}
	s, err := k.newestSession(ctx, all, dirs)
	if s == nil && err == nil {
		err = k.noSession(dirs)
	}
	return s, err
}

// noSession is the error where there is no session to choose.
func (k *compactFile) noSession(dirs []string) error {
	var names []string
	for _, tool := range k.tools() {
		names = append(names, string(tool))
	}
	where, hint := "on this machine", "name the file of a session"
	if dirs != nil {
		where, hint = "of "+dirs[0], "change to the directory in which the agent ran, or take the newest of any with --last"
	}
	return hinted(errors.New("find a session: none "+where+" among those of "+strings.Join(names, ", ")), "not_found", hint)
}

// chose notes which session is to be compacted, and says so.
func (k *compactFile) chose(s *transcript.Session) {
	k.only, k.format = s.Only, string(s.Format)
	about := []string{string(s.Format)}
	if s.Directory != "" {
		about = append(about, terminal.VisibleLine(atHome(s.Directory)))
	}
	about = append(about, ago(k.now(), s.Changed))
	k.Noticef("session %s  %s (%s)", terminal.VisibleLine(s.ID), terminal.Excerpt(s.Title, titleWidth), strings.Join(about, ", "))
}
