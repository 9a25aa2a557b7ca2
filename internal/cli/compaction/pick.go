package compaction

import (
	"context"
	"errors"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/number"
	"tenfold/transcript"
)

// found completes the files of "compact": those given, or else the session that
// --last or --here chooses, or that is picked from a list. None is no session at
// all, and the person knows.
func (k *File) found(ctx context.Context, paths []string) ([]string, error) {
	choice := "--last"
	if k.Here {
		choice = "--here"
	}
	switch {
	case len(paths) > 0 && (k.last || k.Here):
		return nil, command.Exclusive("FILE", choice)
	case len(paths) > 0:
		return paths, nil
	case !k.last && !k.Here && (!k.InTTY || !k.ErrTTY):
		return nil, command.Usage("tenfold compact requires a file",
			"name one, or add --last for the newest session of the tools on this machine, --here for that of this directory; on a terminal it shows a list")
	}
	all, err := transcripts.Kept(ctx, k.App, k.tools()...)
	if err != nil {
		return nil, err
	}
	var s *transcript.Session
	if k.last || k.Here {
		s, err = k.Newest(ctx, all)
	} else if len(all) == 0 {
		err = k.NoSession(nil)
	} else if s, err = transcripts.Pick(ctx, k.App, all, "Compact"); s == nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	k.Chose(s)
	return []string{s.Path}, nil
}

// tools are those whose sessions are looked at: all, or the one of --format.
func (k *File) tools() []transcript.Format {
	if k.Format != "" {
		return []transcript.Format{transcript.Format(k.Format)}
	}
	return transcript.Keepers()
}

// Newest is the newest session, or that of this directory.
func (k *File) Newest(ctx context.Context, all []transcript.Session) (*transcript.Session, error) {
	var dirs []string
	if k.Here {
		var err error
		if dirs, err = transcripts.HereNames(); err != nil {
			return nil, err
		}
	}
	s, err := transcripts.Newest(ctx, k.App, all, dirs)
	if s == nil && err == nil {
		err = k.NoSession(dirs)
	}
	return s, err
}

// NoSession is the error where there is no session to choose.
func (k *File) NoSession(dirs []string) error {
	var names []string
	for _, tool := range k.tools() {
		names = append(names, string(tool))
	}
	where, hint := "on this machine", "name the file of a session"
	if dirs != nil {
		where, hint = "of "+dirs[0], "change to the directory in which the agent ran, or take the newest of any with --last"
	}
	return command.Hinted(errors.New("find a session: none "+where+" among those of "+strings.Join(names, ", ")), "not_found", hint)
}

// Chose notes which session is to be compacted, and says so.
func (k *File) Chose(s *transcript.Session) {
	k.Only, k.Format = s.Only, string(s.Format)
	about := []string{string(s.Format)}
	if s.Directory != "" {
		about = append(about, terminal.VisibleLine(transcripts.AtHome(s.Directory)))
	}
	about = append(about, number.Ago(k.Now(), s.Changed))
	k.Noticef("session %s  %s (%s)", terminal.Word(s.ID), terminal.Excerpt(s.Title, command.TitleWidth), strings.Join(about, ", "))
}
