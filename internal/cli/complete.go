package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
)

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
			return usage("tenfold completion requires a SHELL", hint)
		}
		return usage("unknown shell "+quote(args[0]), hint)
	}
}

// completeIDs lets the shell complete at most so many ids; 0 is no limit.
func (a *app) completeIDs(most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if most > 0 && len(args) >= most {
			return nil, none
		}
		l, err := a.open(c.Context())
		if err != nil {
			return nil, none
		}
		var ids []cobra.Completion
		for found, err := range l.service.List(c.Context()) {
			if err != nil {
				return nil, none
			}
			ids = append(ids, cobra.CompletionWithDesc(terminal.VisibleLine(found.ID), terminal.Excerpt(found.Title, titleWidth)))
		}
		return ids, none
	}
}

// complete lets the shell complete a flag that takes one of some names.
func complete(c *cobra.Command, flag string, names ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// completeProfiles lets the shell complete a flag that names a profile.
func (a *app) completeProfiles(c *cobra.Command, flag string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		a.Quiet = true
		e, err := a.effective()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return e.ProfileNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeKeys lets the shell complete a configuration key: those that are set,
// and all others without a NAME in them. In a flag, after is "=".
func (a *app) completeKeys(after string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && after == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.Quiet = true
		seen := map[string]bool{}
		for _, key := range config.Keys() {
			seen[key+after] = !strings.Contains(key, "NAME")
		}
		if e, err := a.effective(); err == nil {
			all, _ := e.Settings("")
			for _, s := range all {
				seen[s.Key()+after] = !s.Table || after == ""
			}
		}
		maps.DeleteFunc(seen, func(_ string, yes bool) bool { return !yes })
		directive := cobra.ShellCompDirectiveNoFileComp
		if after != "" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return slices.Sorted(maps.Keys(seen)), directive
	}
}
