package lab

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenfold/eval"
	"tenfold/internal/cli/command"
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
		if err := command.WriteFile(k.App, filepath.Join(k.out, file.name), file.write); err != nil {
			return err
		}
	}
	return nil
}
