package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/transcript"
)

// exportFormats lists what a conversation can be written as, our own format
// first.
func exportFormats() []string {
	var names []string
	for _, f := range transcript.Formats() {
		if f.Export {
			names = append(names, string(f.Format))
		}
	}
	return names
}

// sentence wraps a sentence of a help text that grows with the formats.
func sentence(text string) string { return fill(text, 79) }

func isExportFormat(name string) bool { return slices.Contains(exportFormats(), name) }

// formatFor settles the format of an export: the one named, or the one that
// the file's name implies.
func formatFor(format, file string) (string, error) {
	known := strings.Join(exportFormats(), ", ")
	switch {
	case isExportFormat(format):
		return format, nil
	case format != "":
		return "", usage("--to: unknown format "+quote(format), "known are "+known)
	case filepath.Ext(file) == ".jsonl":
		return string(transcript.Tenfold), nil
	case file == "" || file == "-":
		return "", usage("the format is missing", "name it with --to: "+known)
	}
	return "", usage("the name "+filepath.Base(file)+" does not tell the format to write", "name it with --to: "+known)
}

// export writes conversations, and warns of what the format has no place for;
// with --json it gives the warnings for a result to hold.
func (a *app) export(w io.Writer, format string, views ...transcript.View) (held []string, err error) {
	for _, v := range views {
		warnings, err := transcript.Export(w, transcript.Format(format), v)
		if err != nil {
			return nil, err
		}
		for _, text := range warnings {
			if text = v.ID + ": " + text; a.json {
				held = append(held, text)
			} else {
				a.warn(text)
			}
		}
	}
	return held, nil
}

// howToResume gives the commands with which a client goes on with an export.
func (d *destination) howToResume(format string) []string {
	if d.file == nil || d.file.direct {
		return nil
	}
	file, err := filepath.Abs(d.file.name)
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return transcript.Resume(transcript.Format(format), file, data)
}

// tellResume prints how to go on with an export.
func (a *app) tellResume(commands []string) {
	if len(commands) > 0 && !a.json && !a.quiet {
		a.printf("Go on with it:\n")
		for _, c := range commands {
			a.printf("  %s\n", visible(c))
		}
	}
}

// destination is where an export goes: a file, or standard output.
type destination struct {
	io.Writer
	file *outFile
}

// destination opens where to write. What cannot be written is told before any
// work is done.
func (a *app) destination(name string) (*destination, error) {
	if name == "" || name == "-" {
		return &destination{Writer: a.out}, nil
	}
	f, err := createFile(name, 0o666)
	if err != nil {
		return nil, err
	}
	return &destination{Writer: f, file: f}, nil
}

func (d *destination) commit() error {
	if d.file == nil {
		return nil
	}
	return d.file.commit()
}

func (d *destination) abandon() {
	if d.file != nil {
		d.file.abandon()
	}
}
