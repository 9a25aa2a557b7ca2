package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/config"
)

// completeIDs lets the shell complete ids of conversations, at most so many; 0 is
// no limit.
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
			ids = append(ids, cobra.CompletionWithDesc(visibleLine(found.ID), excerpt(found.Title, titleWidth)))
		}
		return ids, none
	}
}

// complete lets the shell complete a flag that takes one of some names. A flag
// that is not there is no error here: it is one where it is read.
func complete(c *cobra.Command, flag string, names ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// completeProfiles lets the shell complete --profile.
func (a *app) completeProfiles(c *cobra.Command) { a.completeProfilesOf(c, "profile") }

// completeProfilesOf lets the shell complete a flag that names a profile.
func (a *app) completeProfilesOf(c *cobra.Command, flag string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		a.quiet = true // nobody reads what is said here
		e, err := a.effective()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return e.ProfileNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeKeys lets the shell complete a key of the configuration: those that
// have values, and all others that have no name in them. After a key of a flag
// comes "=".
func (a *app) completeKeys(after string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && after == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.quiet = true
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
