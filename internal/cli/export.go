package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/internal/cli/outfile"
	"tenfold/internal/cli/terminal"
	"tenfold/transcript"
)

// exportFormats lists the formats that can be written, our own first.
func exportFormats() []string {
	return formats(func(f transcript.FormatInfo) bool { return f.Export })
}

// readableFormats lists the formats that can be imported.
func readableFormats() []string {
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

// sentence wraps a sentence of a help text that lists formats.
func sentence(text string) string { return terminal.Fill(text, 79) }

func isExportFormat(name string) bool { return slices.Contains(exportFormats(), name) }

// formatFor is the format of an export: the one named, or the one that the
// file's name implies.
func formatFor(format, file string) (string, error) {
	known := "known formats: " + strings.Join(exportFormats(), ", ")
	switch {
	case isExportFormat(format):
		return format, nil
	case format != "":
		return "", usage("unknown format "+quote(format), known)
	case filepath.Ext(file) == ".jsonl":
		return string(transcript.Tenfold), nil
	case file == "" || file == "-":
		return "", usage("the format is missing", "add --to FORMAT; "+known)
	}
	return "", usage("cannot tell the format from the name "+filepath.Base(file), "add --to FORMAT; "+known)
}

// export writes conversations, and warns of what the format cannot represent.
// With --json it returns the warnings for the result.
func (a *app) export(w io.Writer, format string, views ...transcript.View) (held []string, err error) {
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

// resumeCommands are the commands with which a client resumes an export.
func (d *destination) resumeCommands(format string) []string {
	if d.file == nil || d.file.Direct {
		return nil
	}
	file, err := filepath.Abs(d.file.Path)
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return transcript.Resume(transcript.Format(format), file, data)
}

// printResume prints how to resume an export.
func (a *app) printResume(commands []string) {
	if len(commands) > 0 && !a.JSON && !a.Quiet {
		a.Printf("Resume it with:\n")
		for _, c := range commands {
			a.Printf("  %s\n", terminal.Visible(c))
		}
	}
}

// destination is where an export goes: a file, or standard output.
type destination struct {
	io.Writer
	file *outfile.File
}

// destination opens the output before any work is done, so that one that cannot
// be written fails at once.
func (a *app) destination(name string) (*destination, error) {
	if name == "" || name == "-" {
		return &destination{Writer: a.Out}, nil
	}
	f, err := outfile.Create(name, 0o666)
	if err != nil {
		return nil, err
	}
	return &destination{Writer: f, file: f}, nil
}

func (d *destination) commit() error {
	if d.file == nil {
		return nil
	}
	return d.file.Commit()
}

func (d *destination) abandon() {
	if d.file != nil {
		d.file.Abandon()
	}
}
