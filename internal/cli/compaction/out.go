package compaction

import (
	"os"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/transcripts"
	"tenfold/transcript"
)

// An outlet is where a compacted conversation goes.
type outlet interface {
	// many reports whether it takes more than one conversation.
	many() (ok bool, format string)
	// write writes conversations, and notes in the report how to go on with them.
	write(a *command.App, r *Report, views []transcript.View) error
	// piped reports whether it is standard output.
	piped() bool
}

// outTo is the file of --out.
type outTo struct {
	*transcripts.Destination
	format string
}

func (to *outTo) many() (ok bool, format string) {
	return to.format == string(transcript.Tenfold), to.format
}

func (to *outTo) piped() bool { return to.File == nil }

func (to *outTo) write(a *command.App, r *Report, views []transcript.View) error {
	warnings, err := transcripts.WriteTranscript(a, to, to.format, views...)
	if err == nil {
		err = to.Commit()
	}
	r.Warnings = append(r.Warnings, warnings...)
	r.Resume = to.ResumeCommands(to.format)
	return err
}

func sameFile(x, y string) bool {
	one, err := os.Stat(x)
	if err != nil {
		return false
	}
	other, err := os.Stat(y)
	return err == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}
