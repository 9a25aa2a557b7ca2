package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
)

// mostCompleted is how many ids a shell is offered, the newest.
const mostCompleted = 200

// CompleteIDs lets the shell complete at most so many ids; 0 is no limit.
func (a *App) CompleteIDs(most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if most > 0 && len(args) >= most || !a.MayHaveConversations() {
			return nil, none
		}
		l, err := a.Look(c.Context())
		if err != nil {
			return nil, none
		}
		var ids []cobra.Completion
		newest, err := l.Service.Page(c.Context(), nil, mostCompleted)
		if err != nil {
			return nil, none
		}
		for _, found := range newest {
			if terminal.VisibleLine(found.ID) != found.ID {
				continue // what a shell would make of it names no conversation
			}
			ids = append(ids, cobra.CompletionWithDesc(found.ID, terminal.Excerpt(found.Title, TitleWidth)))
		}
		return ids, none
	}
}

// Complete lets the shell complete a flag that takes one of some names.
func Complete(c *cobra.Command, flag string, names ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteProfiles lets the shell complete a flag that names a profile.
func (a *App) CompleteProfiles(c *cobra.Command, flag string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		a.Quiet = true
		e, err := a.Effective()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return e.ProfileNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// CompleteKeys lets the shell complete a configuration key: those that are set,
// and all others without a NAME in them. In a flag, after is "=".
func (a *App) CompleteKeys(after string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && after == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.Quiet = true
		seen := map[string]bool{}
		for _, key := range config.Keys() {
			seen[key+after] = !strings.Contains(key, "NAME")
		}
		if e, err := a.Effective(); err == nil {
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

// TitleWidth is the width of titles where no terminal limits it.
const TitleWidth = 60
