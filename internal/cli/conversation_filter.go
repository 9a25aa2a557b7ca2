package cli

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/session"
	"tenfold/store"
)

// filter says which conversations a listing shows: all, unless flags say less.
type filter struct {
	tool, dir    string
	here         bool
	since, until parsed[moment]
}

func (f *filter) register(c *cobra.Command) {
	f.since.parse, f.until.parse = parseMoment, parseMoment
	c.Flags().StringVar(&f.tool, "tool", "", "only sessions of a `TOOL`: claude-code, codex, …")
	c.Flags().StringVar(&f.dir, "dir", "", "only sessions that ran in `DIR` or below it")
	c.Flags().BoolVar(&f.here, "here", false, "only sessions that ran in this directory or below it")
	c.Flags().Var(&f.since, "since", "only sessions that went on after a `TIME`:\n2026-01-31, 5h, 2d")
	c.Flags().Var(&f.until, "until", "only sessions that began before a `TIME`; a day\ncounts to its end")
	complete(c, "tool", readableFormats()...)
	_ = c.MarkFlagDirname("dir")
}

// matching gives the test for a conversation, given what time it is.
func (f *filter) matching(now time.Time) (func(store.Conversation) bool, error) {
	if err := checkFormat("--tool", f.tool); err != nil {
		return nil, err
	}
	var dirs []string
	switch {
	case f.dir != "" && f.here:
		return nil, exclusive("--dir", "--here")
	case f.here:
		var err error
		if dirs, err = hereNames(); err != nil {
			return nil, err
		}
	case f.dir != "":
		dir, err := filepath.Abs(f.dir)
		if err != nil {
			return nil, err
		}
		dirs = []string{dir}
		if actual, err := filepath.EvalSymlinks(dir); err == nil && actual != dir {
			dirs = append(dirs, actual)
		}
	}
	return func(c store.Conversation) bool {
		switch began, ended := span(c); {
		case f.tool != "" && session.ToolOf(c) != f.tool:
			return false
		case f.since.value != nil && ended.Before(f.since.value.at(now)):
			return false
		case f.until.value != nil && !began.Before(f.until.value.end(now)):
			return false
		}
		return dirs == nil || within(c.Origin.Directory, dirs)
	}, nil
}

// within reports whether a path is one of some directories or below one.
func within(path string, dirs []string) bool {
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))); ok && (rest == "" || rest[0] == filepath.Separator) {
			return true
		}
	}
	return false
}

// span is when a conversation began and when it ended, so far. One that an earlier
// release stored is known to have ended when it was last written to.
func span(c store.Conversation) (began, ended time.Time) {
	began, ended = c.Created, c.Stats.Ended
	if ended.IsZero() {
		ended = c.Updated
	}
	if began.After(ended) {
		began = ended
	}
	return began, ended
}

// about says whose session a conversation is, where it ran, and on which days.
func about(c store.Conversation) string {
	var parts []string
	if tool := session.ToolOf(c); tool != "" {
		parts = append(parts, tool)
	}
	if dir := c.Origin.Directory; dir != "" {
		parts = append(parts, atHome(dir))
	}
	if len(parts) == 0 {
		return "" // it is not from elsewhere, and its last change is shown
	}
	began, ended := span(c)
	if !began.IsZero() {
		days := began.Local().Format(time.DateOnly)
		if last := ended.Local().Format(time.DateOnly); last != days {
			days += " to " + last
		}
		parts = append(parts, days)
	}
	return terminal.VisibleLine(strings.Join(parts, ", "))
}

// A moment is a time as people write it: a day, a time of day, or how long ago.
type moment struct {
	time time.Time
	ago  time.Duration
	day  bool
}

// at is the time that is meant, the beginning of a day.
func (m moment) at(now time.Time) time.Time {
	if m.time.IsZero() {
		return now.Add(-m.ago)
	}
	return m.time
}

// end is the same, or the end of a day.
func (m moment) end(now time.Time) time.Time {
	if m.day {
		return m.time.AddDate(0, 0, 1)
	}
	return m.at(now)
}

func parseMoment(text string) (moment, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return moment{time: day, day: true}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return moment{time: at}, nil
		}
	}
	const day = 24 * time.Hour
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': day, 'w': 7 * day}
	if len(text) > 1 {
		n, err := strconv.Atoi(text[:len(text)-1])
		if unit := units[text[len(text)-1]]; err == nil && n >= 0 && n < 100_000 && unit > 0 {
			return moment{ago: time.Duration(n) * unit}, nil
		}
	}
	return moment{}, usage("invalid time "+quote(text), "write a day (2026-01-31), a time (2026-01-31T15:04) or how long ago (5h, 2d)")
}
