package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/outfile"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand(a *command.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man [flags]",
		Short: "Print the manual page",
		Long: `Prints the manual page of tenfold, or with --dir writes the pages of all
commands to a directory, named as man expects.`,
		Example: `  tenfold man | man -l -
  tenfold man --dir ~/.local/share/man/man1`,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("dir") {
				return manPages(a, c.Root(), dir)
			}
			a.Printf("%s", manPage(c.Root()))
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "`DIR` to write all pages to; created if missing")
	_ = c.MarkFlagDirname("dir")
	return c
}

// manPages writes the pages of a command and its subcommands.
func manPages(a *command.App, root *cobra.Command, dir string) error {
	if dir == "" {
		return command.Usage("--dir is empty", "write --dir man1")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // manual pages are for everybody
		return err
	}
	var walk func(c *cobra.Command) error
	walk = func(c *cobra.Command) error {
		name := filepath.Join(dir, pageName(c)+".1")
		if err := outfile.Write(name, manPage(c), 0o644); err != nil {
			return err
		}
		if err := a.Result(map[string]string{"page": name}, func() { a.Noticef("wrote %s", terminal.VisibleLine(name)) }); err != nil {
			return err
		}
		for _, inner := range pages(c) {
			if err := walk(inner); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root)
}

// pages are the subcommands that have pages.
func pages(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, inner := range c.Commands() {
		if inner.IsAvailableCommand() && inner.Name() != "help" {
			all = append(all, inner)
		}
	}
	return all
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the manual page of a command. It has no date, so that builds are
// reproducible.
func manPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	line := func(words ...string) { b.WriteString(strings.Join(words, " ") + "\n") }
	line(".TH", roffWord(strings.ToUpper(pageName(c))), "1", `""`, roffWord("tenfold "+command.Version()), `"Tenfold"`)
	line(".SH NAME")
	line(roff(pageName(c) + " - " + strings.ToLower(c.Short[:1]) + c.Short[1:]))
	line(".SH SYNOPSIS")
	line(".B", roffWord(c.UseLine()))
	if len(c.Aliases) > 0 {
		line(".SH ALIASES")
		line(roff(strings.Join(c.Aliases, ", ")))
	}
	line(".SH DESCRIPTION")
	for i, paragraph := range strings.Split(c.Long, "\n\n") {
		if i > 0 {
			line(".PP")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n\t") || strings.Contains(paragraph, "\n  ") {
			line(".nf")
			line(roff(paragraph))
			line(".fi")
			continue
		}
		line(roff(paragraph))
	}
	roffFlags(&b, "OPTIONS", c.NonInheritedFlags())
	roffFlags(&b, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		line(".SH EXAMPLES")
		line(".nf")
		line(roff(c.Example))
		line(".fi")
	}
	if !c.HasParent() {
		line(".SH EXIT STATUS")
		line(roff("0 on success, 1 on failure, 2 for an invalid command line, 130 if interrupted."))
		line(".SH ENVIRONMENT")
		for _, v := range [][2]string{
			{"TENFOLD_STORE", "The URL of the store, like --store."},
			{"TENFOLD_TOKEN", "The token for a store at https://…"},
			{"TENFOLD_…", "A configuration value: the key in capitals, with _ for each dot."},
			{"NO_COLOR", "Disables colour."},
			{"VISUAL, EDITOR", "The editor for \"tenfold config edit\" and --review."},
		} {
			line(".TP")
			line(".B", roffWord(v[0]))
			line(roff(v[1]))
		}
	}
	var related []string
	if c.HasParent() {
		related = append(related, pageName(c.Parent())+"(1)")
	}
	for _, inner := range pages(c) {
		related = append(related, pageName(inner)+"(1)")
	}
	if len(related) > 0 {
		line(".SH SEE ALSO")
		line(roff(strings.Join(related, ", ")))
	}
	return b.Bytes()
}

func roffFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + roffWord(title) + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, words := pflag.UnquoteUsage(f)
		spelt := "--" + f.Name
		if f.Shorthand != "" {
			spelt = "-" + f.Shorthand + ", " + spelt
		}
		b.WriteString(".TP\n.B " + roffWord(spelt))
		if name != "" {
			b.WriteString(" " + roffWord(name))
		}
		b.WriteString("\n" + roff(words) + "\n")
	})
}

// roff escapes text so that it contains no macros.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffWord escapes text as one argument of a macro.
func roffWord(text string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(roff(text), "\n", " "), `"`, `""`) + `"`
}
