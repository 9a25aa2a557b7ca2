package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// helpWidth is the width that help is written for.
const helpWidth = 80

// help prints a command's help. On a narrow terminal prose is rewrapped, and the
// descriptions of flags and commands go below them.
func help(a *command.App, c *cobra.Command) {
	if a.Width == 0 || a.Width >= helpWidth {
		a.Printf("%s\n\n%s", strings.TrimSpace(c.Long), c.UsageString())
		return
	}
	h := narrowHelp{width: a.Width}
	for part := range strings.SplitSeq(strings.TrimSpace(c.Long), "\n\n") {
		h.prose("", part)
		h.out.WriteByte('\n')
	}
	h.out.WriteString("Usage:\n")
	h.prose("  ", c.UseLine())
	if c.HasAvailableSubCommands() {
		h.out.WriteString("\nCommands:\n")
		for _, inner := range c.Commands() {
			if inner.IsAvailableCommand() {
				h.item("  "+inner.Name(), inner.Short)
			}
		}
	}
	if c.HasExample() {
		h.out.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	h.flags("Flags", c.LocalFlags())
	h.flags("Global Flags", c.InheritedFlags())
	a.Printf("%s", h.out.String())
}

// helpCommand is "tenfold help": the same as --help.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Long:  "Shows the help of a command, like --help.",
		Example: `  tenfold help compact
  tenfold help conversation fork`,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if of, rest, err := c.Root().Find(args); err == nil && len(rest) == 0 {
				for _, inner := range of.Commands() {
					if inner.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(inner.Name(), inner.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if len(rest) > 0 || err != nil {
				return command.Group(of, rest)
			}
			return of.Help()
		},
	}
}

// narrowHelp formats help for a narrow terminal.
type narrowHelp struct {
	out   strings.Builder
	width int
}

// prose writes a rewrapped text.
func (h *narrowHelp) prose(indent, text string) {
	text = terminal.Fill(text, max(h.width-len(indent), 20))
	h.out.WriteString(indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
}

// item writes a name and its description below.
func (h *narrowHelp) item(name, text string) {
	h.out.WriteString(name + "\n")
	h.prose("      ", text)
}

func (h *narrowHelp) flags(title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	h.out.WriteString("\n" + title + ":\n")
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "  --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		switch {
		case value != "" && f.NoOptDefVal != "":
			name += "[=" + value + "]"
		case value != "":
			name += " " + value
		}
		h.item(name, text)
	})
}

// explainCompletion adds the command "completion". Unlike cobra's own, it fails
// for an unknown shell.
func explainCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	c.Use = "completion SHELL"
	c.Short = "Print a shell completion script"
	c.Long = `Prints a script for bash, zsh, fish or powershell that completes commands,
flags, IDs, profiles and configuration keys. "tenfold completion SHELL --help"
explains how to install it.`
	c.Example = "  source <(tenfold completion bash)"
	var shells []string
	for _, shell := range c.Commands() {
		shell.Short = "Print the completion script for " + shell.Name()
		long := strings.Split(shell.Long, "\n")
		for i := range long {
			long[i] = terminal.WrapLine(long[i], helpWidth, 0)
		}
		shell.Long = strings.Join(long, "\n")
		shell.Example = "  tenfold completion " + shell.Name()
		shells = append(shells, shell.Name())
	}
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(_ *cobra.Command, args []string) error {
		hint := "known shells: " + strings.Join(shells, ", ")
		if len(args) == 0 {
			return command.Usage("tenfold completion requires a SHELL", hint)
		}
		return command.Usage("unknown shell "+command.Quote(args[0]), hint)
	}
}
