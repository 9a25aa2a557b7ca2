package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript"
)

// exportFormats lists what a conversation can be written as: our own format,
// and the bodies of the providers' requests.
func exportFormats() []string {
	names := []string{string(transcript.Tenfold)}
	for _, p := range tenfold.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

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

// exported is a conversation as it is to be written.
type exported struct {
	transcript.Conversation
	view *tenfold.Projection
}

// export writes conversations: in our own format the log with its overlays, in
// others what the model sees.
func export(w io.Writer, format string, conversations ...exported) error {
	for _, c := range conversations {
		if format == string(transcript.Tenfold) {
			if err := transcript.Export(w, transcript.Tenfold, c.Conversation, c.view.Log().Entries()); err != nil {
				return err
			}
			continue
		}
		body, err := body(format, c.view)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(body, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func body(format string, view *tenfold.Projection) ([]byte, error) {
	for _, p := range tenfold.Profiles() {
		if p.Name == format {
			return p.Body(view)
		}
	}
	return nil, fmt.Errorf("unknown format %q", format)
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
