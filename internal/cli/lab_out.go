package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenfold/eval"
	"tenfold/internal/cli/outfile"
	"tenfold/internal/cli/terminal"
)

// commandLine is the command line being run, with the command's own flags.
func commandLine(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	own := c.LocalNonPersistentFlags()
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "out" || own.Lookup(f.Name) == nil {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name, eval.ShellWord(v))
		}
	})
	for _, arg := range args {
		words = append(words, eval.ShellWord(arg))
	}
	return strings.Join(words, " ")
}

// write writes the report's files to a directory.
func (k *lab) write(r *eval.Report) error {
	if err := os.MkdirAll(k.out, 0o755); err != nil { //nolint:gosec // a report is there to be read
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"frontier.svg", func(w io.Writer) error {
			plot, err := r.Result.Plot(r.Summary)
			if err != nil {
				return err
			}
			_, err = io.WriteString(w, plot)
			return err
		}},
		{"report.md", r.Markdown},
		{"report.html", r.HTML},
	} {
		if err := k.writeFile(filepath.Join(k.out, file.name), file.write); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file whole or not at all, and says so.
func (a *app) writeFile(name string, write func(io.Writer) error) error {
	f, err := outfile.Create(name, 0o666)
	if err == nil {
		defer f.Abandon()
		if err = write(f); err == nil {
			err = f.Commit()
		}
	}
	if err != nil {
		code, hint := fileTrouble(err, "check the directory")
		return hinted(errors.New("write "+name+": "+err.Error()), code, hint)
	}
	a.Noticef("wrote %s", terminal.VisibleLine(name))
	return nil
}
