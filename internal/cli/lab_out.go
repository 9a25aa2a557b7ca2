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
)

// commandLine is the command line that is run, as a person would write it: the
// flags of the command itself, and its arguments.
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

// write writes the report's files into a directory, each whole or not at all.
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
		name := filepath.Join(k.out, file.name)
		f, err := createFile(name, 0o666)
		if err != nil {
			return err
		}
		err = file.write(f)
		if err == nil {
			err = f.commit()
		}
		f.abandon()
		if err != nil {
			code, hint := fileTrouble(err, "check the directory")
			return hinted(errors.New("write "+name+": "+err.Error()), code, hint)
		}
		k.noticef("wrote %s", visibleLine(name))
	}
	return nil
}
