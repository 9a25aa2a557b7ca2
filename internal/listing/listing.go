// Package listing decides which conversations a listing shows: on the command line
// and on the page.
package listing

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
)

// A Filter says which conversations are shown: those that pass all of it. Zero
// fields ask for nothing.
type Filter struct {
	// Tool is whose session it is.
	Tool string
	// Directories are where it ran, or below one of them.
	Directories []string
	// Since and Until: it went on after, and began before.
	Since, Until *Moment
}

// Matches reports whether a conversation passes, given what time it is.
func (f Filter) Matches(c store.Conversation, now time.Time) bool {
	switch began, ended := Span(c); {
	case f.Tool != "" && session.ToolOf(c) != f.Tool,
		f.Since != nil && ended.Before(f.Since.At(now)),
		f.Until != nil && !began.Before(f.Until.End(now)):
		return false
	}
	return f.Directories == nil || within(c.Origin.Directory, f.Directories)
}

// within reports whether a path is one of some directories or below one.
func within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
		return ok && (rest == "" || rest[0] == filepath.Separator)
	})
}

// Span is when a conversation began and when it ended, so far. One that an earlier
// release stored is known to have ended when it was last written to; one that says
// nothing ended when it began.
func Span(c store.Conversation) (began, ended time.Time) {
	began, ended = c.Created, c.Stats.Ended
	if ended.IsZero() && (c.Stats.Turns > 0 || c.Stats.TokensBefore > 0) {
		ended = c.Updated
	}
	if ended.IsZero() {
		ended = began
	}
	if began.After(ended) {
		began = ended
	}
	return began, ended
}

// A Moment is a time as people write it: a day, a time of day, or how long ago.
type Moment struct {
	time time.Time
	ago  time.Duration
	day  bool
}

// At is the time that is meant, the beginning of a day.
func (m Moment) At(now time.Time) time.Time {
	if m.time.IsZero() {
		return now.Add(-m.ago)
	}
	return m.time
}

// End is the same, or the end of a day.
func (m Moment) End(now time.Time) time.Time {
	if m.day {
		return m.time.AddDate(0, 0, 1)
	}
	return m.At(now)
}

// ParseMoment reads "2026-01-31", "2026-01-31T15:04", "5h" or "2d". Days are local.
func ParseMoment(text string) (Moment, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return Moment{time: day, day: true}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return Moment{time: at}, nil
		}
	}
	const day = 24 * time.Hour
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': day, 'w': 7 * day}
	if len(text) > 1 {
		n, err := strconv.Atoi(text[:len(text)-1])
		if unit := units[text[len(text)-1]]; err == nil && n >= 0 && n < 100_000 && unit > 0 {
			return Moment{ago: time.Duration(n) * unit}, nil
		}
	}
	return Moment{}, &problem.Error{
		Code: "usage", Usage: true, Problem: "invalid time " + strconv.Quote(text),
		Hint: "write a day (2026-01-31), a time (2026-01-31T15:04) or how long ago (5h, 2d)",
	}
}
