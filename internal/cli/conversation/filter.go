package conversation

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/listing"
	"tenfold/session"
	"tenfold/store"
)

// filter says which conversations a listing shows: all, unless flags say less.
type filter struct {
	tool, dir    string
	here         bool
	since, until command.Parsed[listing.Moment]
}

func (f *filter) register(c *cobra.Command) {
	f.since.Parse, f.until.Parse = listing.ParseMoment, listing.ParseMoment
	c.Flags().StringVar(&f.tool, "tool", "", "only sessions of a `TOOL`: claude-code, codex, …")
	c.Flags().StringVar(&f.dir, "dir", "", "only sessions that ran in `DIR` or below it")
	c.Flags().BoolVar(&f.here, "here", false, "only sessions that ran in this directory or below it")
	c.Flags().Var(&f.since, "since", "only sessions active after a `TIME`:\n2026-01-31, 5h, 2d")
	c.Flags().Var(&f.until, "until", "only sessions that began before a `TIME`; a day is\nincluded")
	command.Complete(c, "tool", transcripts.ReadableFormats()...)
	_ = c.MarkFlagDirname("dir")
}

// matching gives the test for a conversation, given what time it is.
func (f *filter) matching(now time.Time) (func(store.Conversation) bool, error) {
	if err := transcripts.CheckFormat("", f.tool); err != nil {
		return nil, err
	}
	shown := listing.Filter{Tool: f.tool, Since: f.since.Value, Until: f.until.Value}
	switch {
	case f.dir != "" && f.here:
		return nil, command.Exclusive("--dir", "--here")
	case f.here:
		var err error
		if shown.Directories, err = transcripts.HereNames(); err != nil {
			return nil, err
		}
	case f.dir != "":
		dir, err := filepath.Abs(f.dir)
		if err != nil {
			return nil, err
		}
		shown.Directories = []string{dir}
		if actual, err := filepath.EvalSymlinks(dir); err == nil && actual != dir {
			shown.Directories = append(shown.Directories, actual)
		}
	}
	return func(c store.Conversation) bool { return shown.Matches(c, now) }, nil
}

// about says whose session a conversation is, where it ran, and on which days.
func about(c store.Conversation) string {
	var parts []string
	if tool := session.ToolOf(c); tool != "" {
		parts = append(parts, tool)
	}
	if dir := c.Origin.Directory; dir != "" {
		parts = append(parts, transcripts.AtHome(dir))
	}
	if len(parts) == 0 {
		return "" // it is not from elsewhere, and its last change is shown
	}
	began, ended := listing.Span(c)
	if !began.IsZero() {
		days := began.Local().Format(time.DateOnly)
		if last := ended.Local().Format(time.DateOnly); last != days {
			days += " to " + last
		}
		parts = append(parts, days)
	}
	return terminal.VisibleLine(strings.Join(parts, ", "))
}
