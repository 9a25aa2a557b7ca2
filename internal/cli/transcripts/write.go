package transcripts

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/outfile"
	"tenfold/transcript"
)

// ExportFormats lists the formats that can be written, our own first.
func ExportFormats() []string {
	return formats(func(f transcript.FormatInfo) bool { return f.Export })
}

// ReadableFormats lists the formats that can be imported.
func ReadableFormats() []string {
	return formats(func(f transcript.FormatInfo) bool { return f.Import })
}

func formats(wanted func(transcript.FormatInfo) bool) (names []string) {
	for _, f := range transcript.Formats() {
		if wanted(f) {
			names = append(names, string(f.Format))
		}
	}
	return names
}

// IsExportFormat reports whether a format can be written.
func IsExportFormat(name string) bool { return slices.Contains(ExportFormats(), name) }

// FormatFor is the format of an export: the one named, or the one that the
// file's name implies. Others are what the command writes besides.
func FormatFor(format, file string, others ...string) (string, error) {
	known := "known formats: " + strings.Join(slices.Concat(ExportFormats(), others), ", ")
	switch {
	case IsExportFormat(format):
		return format, nil
	case format != "":
		return "", command.Usage("unknown format "+command.Quote(format), known)
	case filepath.Ext(file) == ".jsonl":
		return string(transcript.Tenfold), nil
	case filepath.Ext(file) == ".md":
		return string(transcript.Markdown), nil
	case file == "" || file == "-":
		return "", command.Usage("the format is missing", "add --to FORMAT; "+known)
	}
	return "", command.Usage("cannot tell the format from the name "+filepath.Base(file), "add --to FORMAT; "+known)
}

// WriteTranscript writes conversations, and warns of what the format cannot represent.
// With --json it returns the warnings for the result.
func WriteTranscript(a *command.App, w io.Writer, format string, views ...transcript.View) (held []string, err error) {
	for _, v := range views {
		warnings, err := transcript.Export(w, transcript.Format(format), v)
		if err != nil {
			return nil, err
		}
		for _, text := range warnings {
			if text = v.ID + ": " + text; a.JSON {
				held = append(held, text)
			} else {
				a.Warn(text)
			}
		}
	}
	return held, nil
}

// ResumeCommands are the commands with which a client resumes an export.
func (d *Destination) ResumeCommands(format string) []string {
	if d.File == nil || d.File.Direct {
		return nil
	}
	file, err := filepath.Abs(d.File.Path)
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return transcript.Resume(transcript.Format(format), file, data)
}

// PrintResume prints how to resume an export.
func PrintResume(a *command.App, commands []string) {
	if len(commands) > 0 && !a.JSON && !a.Quiet {
		a.Printf("Resume it with:\n")
		for _, c := range commands {
			a.Printf("  %s\n", terminal.Visible(c))
		}
	}
}

// Destination is where an export goes: a file, or standard output.
type Destination struct {
	io.Writer
	File *outfile.File
}

// OpenDestination opens the output before any work is done, so that one that cannot
// be written fails at once.
func OpenDestination(a *command.App, name string) (*Destination, error) {
	if name == "" || name == "-" {
		return &Destination{Writer: a.Out}, nil
	}
	f, err := outfile.Create(name, 0o666)
	if err != nil {
		return nil, err
	}
	return &Destination{Writer: f, File: f}, nil
}

// Commit puts the file in its place.
func (d *Destination) Commit() error {
	if d.File == nil {
		return nil
	}
	return d.File.Commit()
}

// Abandon leaves no file, unless Commit put it in its place.
func (d *Destination) Abandon() {
	if d.File != nil {
		d.File.Abandon()
	}
}
